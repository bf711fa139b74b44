# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the groups of --by anew from the jobs CSV of the same call: usage: check_by.py SUMMARY.json
JOBS.csv KEY. Says what is wrong and exits 1."""

import csv
import json
import math
import sys


def close(a, b):
    return (a is None and b is None) or (
        a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9))


def figures(values):
    """Mean and nearest-rank quantiles."""
    values = sorted(values)
    if not values:
        return dict.fromkeys(("mean", "p50", "p90", "p99", "max"))
    rank = {p: values[max(math.ceil(p * len(values) / 100) - 1, 0)] for p in (50, 90, 99)}
    return {"mean": math.fsum(values) / len(values), "p50": rank[50], "p90": rank[90],
            "p99": rank[99], "max": values[-1]}


def main():
    summary = json.load(open(sys.argv[1], encoding="utf-8"))
    jobs = list(csv.DictReader(open(sys.argv[2], newline="", encoding="utf-8")))
    key = sys.argv[3]
    wrong = []
    for run in summary["runs"]:
        by, groups = run["by"], {}
        if by["key"] != key:
            wrong.append("key " + by["key"])
        for job in jobs:
            if job["policy"] == run["policy"]:
                name = int(job[key]) if key == "workers" else job[key] or None
                groups.setdefault(name, []).append(job)
        names = sorted((n for n in groups if n is not None), key=lambda n: n if key == "workers" else
                       n.encode()) + [None] * (None in groups)
        if [group["name"] for group in by["groups"]] != names:
            wrong.append("groups %s" % [group["name"] for group in by["groups"]])
            continue
        for group in by["groups"]:
            mine = groups[group["name"]]
            done = [job for job in mine if job["state"] == "finished"]
            for state, n in group["jobs"].items():
                if n != sum(job["state"] == state for job in mine):
                    wrong.append("%s: %d %s" % (group["name"], n, state))
            hours = math.fsum(float(job["gpu_s"] or 0) for job in mine) / 3600
            if not close(group["gpu_hours"], hours):
                wrong.append("%s: %r GPU-hours, not %r" % (group["name"], group["gpu_hours"], hours))
            for name in ("jct_s", "queueing_s", "slowdown"):
                wanted = figures([float(job[name]) for job in done if job[name]])
                for figure, value in wanted.items():
                    if not close(group[name][figure], value):
                        wrong.append("%s: %s.%s %r, not %r" % (group["name"], name, figure,
                                                               group[name][figure], value))
    for line in wrong[:20]:
        print(line)
    sys.exit(bool(wrong))


main()
