#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What other programs read about the project: CITATION.cff says what the build says and keeps to the
# Citation File Format 1.2.0; the workflow for GitHub is sound, asks for no rights that it does not
# need and calls .ci/run.
set -euo pipefail
cd -- "$SOURCE_DIR"

python=''
for candidate in python3 /usr/bin/python3; do
  if [ -z "$python" ] && "$candidate" -c 'import yaml' 2>/dev/null; then
    python=$candidate
  fi
done
if [ -z "$python" ]; then
  echo "skipped: python3 with yaml is not installed"
  exit 77
fi

"$python" - <<'END'
import re
import sys

import yaml

faults = []


def expect(what, holds):
    if not holds:
        faults.append(what)


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


build = open("CMakeLists.txt", encoding="utf-8").read()
version = re.search(r"^project\(hsim VERSION ([0-9.]+)", build, re.M).group(1)

cff = load("CITATION.cff")
known = set(
    "abstract authors cff-version commit contact date-released doi identifiers keywords license "
    "license-url message preferred-citation references repository repository-artifact "
    "repository-code title type url version".split()
)
expect("CITATION.cff: only keys of the format", set(cff) <= known)
expect("CITATION.cff: cff-version 1.2.0", cff.get("cff-version") == "1.2.0")
expect("CITATION.cff: type software", cff.get("type") == "software")
for key in ("message", "title", "abstract", "license"):
    expect(f"CITATION.cff: a text for {key}", isinstance(cff.get(key), str) and cff[key])
expect("CITATION.cff: the version of the build", cff.get("version") == version)
expect("CITATION.cff: the licence of the sources", cff["license"] == "GPL-3.0-or-later")
authors = cff.get("authors")
expect("CITATION.cff: authors", isinstance(authors, list) and authors)
for author in authors or []:
    entity, person = "name" in author, bool({"family-names", "given-names", "alias"} & set(author))
    expect("CITATION.cff: each author is a person or an entity", entity != person)
words = cff.get("keywords", [])
expect("CITATION.cff: keywords once each", words and len(set(words)) == len(words))

path = ".github/workflows/ci.yml"
flow = load(path)
expect(f"{path}: a name", isinstance(flow.get("name"), str))
# YAML 1.1 reads the key `on` as true.
triggers = flow.get(True, flow.get("on"))
expect(f"{path}: runs for pushes and pull requests", {"push", "pull_request"} <= set(triggers))
expect(f"{path}: may read the contents, no more", flow.get("permissions") == {"contents": "read"})
expect(f"{path}: an older run ends", flow.get("concurrency", {}).get("cancel-in-progress") is True)
jobs = flow.get("jobs", {})
commands = []
for name, job in jobs.items():
    expect(f"{path}: {name}: a machine", isinstance(job.get("runs-on"), str))
    expect(f"{path}: {name}: a limit of time", isinstance(job.get("timeout-minutes"), int))
    expect(f"{path}: {name}: no further rights", "permissions" not in job)
    for step in job.get("steps", []):
        expect(f"{path}: {name}: a step runs or uses", ("run" in step) != ("uses" in step))
        action = step.get("uses", "a/b@1")
        expect(f"{path}: {name}: {action} names a version", re.fullmatch(r"[\w./-]+@\w[\w.]*", action))
        commands.append(step.get("run"))
expect(f"{path}: calls .ci/run", ".ci/run" in commands)

for fault in faults:
    print(f"expected {fault}")
sys.exit(bool(faults))
END

if command -v actionlint >/dev/null; then
  actionlint .github/workflows/ci.yml
fi
