# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs under the names that Gavel's sweep scripts give them, which its notebooks look for:
raw_logs/v100=36.p100=36.k80=36/POLICY/[PARAMETER=VALUE/...]seed=0/lambda=900.000000.log, or
num_total_jobs=100.log where arrivals have no rate."""
import json
import os
import shutil

from hsim_sweep.grid import slug

OPTION = "gavel-log"
GPU_ORDER = ("v100", "p100", "k80")
# Parameters that the other parts of the name stand for.
NAMED = ("label", "policy", "policy.objective", "cluster", "seed", "limit", "generate.preset",
         "generate.preset.lam")


def spec_option(spec, key):
    """The value of KEY in NAME:KEY=VALUE..., None without it."""
    for part in spec.split(":")[1:]:
        name, _, value = part.partition("=")
        if name == key:
            return value
    return None


def policy_folder(point):
    """Gavel's name of the policy: for its own family the objective, else hsim's text."""
    spec = point.options["policy"]
    objective = spec_option(spec, "objective") if spec.split(":")[0] == "gavel" else None
    return slug(objective or spec)


def log_name(point, summary):
    """The last part: the mean gap between arrivals of a generated trace, else how many jobs."""
    lam = spec_option((point.generate or {}).get("preset", ""), "lam")
    if lam is not None and float(lam) > 0:
        return f"lambda={float(lam):.6f}.log"
    return f"num_total_jobs={summary['trace']['jobs']}.log"


def levels(points):
    """The parameters that need a level of their own: those with several values."""
    names = dict.fromkeys(name for point in points for name in point.columns if name not in NAMED)
    return [name for name in names if len({point.columns[name] for point in points} - {""}) > 1]


def log_path(point, summary, own_level):
    """Where a point's log goes, below raw_logs."""
    gpus = summary["cluster"]["gpus"]
    types = list(GPU_ORDER) + [name for name in gpus if name not in GPU_ORDER]
    others = [slug(f"{name.split('.')[-1]}={os.path.basename(point.columns[name])}")
              for name in own_level if point.columns[name] != ""]
    seed = point.options.get("seed", "0")
    return os.path.join(".".join(f"{name}={gpus.get(name, 0)}" for name in types),
                        policy_folder(point), *others, f"seed={seed}", log_name(point, summary))


def place(folder, results):
    """Lays the logs of results [(point, summary)] out anew, as further names of the points' files.
    Returns what could not be placed, as texts."""
    root = os.path.join(folder.path, "raw_logs")
    fresh = os.path.join(folder.path, f".raw_logs.{os.getpid()}")
    shutil.rmtree(fresh, ignore_errors=True)
    clashes, taken = [], {}
    own_level = levels([point for point, _ in results])
    for point, text in results:
        name = log_path(point, json.loads(text), own_level)
        if name in taken:
            clashes.append(f"{name}: {point.name} and {taken[name]}")
            continue
        taken[name] = point.name
        os.makedirs(os.path.join(fresh, os.path.dirname(name)), exist_ok=True)
        os.link(folder.place(point, folder.outputs[OPTION]), os.path.join(fresh, name))
    shutil.rmtree(root, ignore_errors=True)
    if os.path.isdir(fresh):
        os.rename(fresh, root)
    return clashes
