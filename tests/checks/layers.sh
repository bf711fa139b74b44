#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Which folder may include which: the data flows one way, and a policy cannot reach the engine.
set -euo pipefail
cd -- "$SOURCE_DIR"

# folder: the folders that its files may include
rules='
include/hsim: hsim
src/model: hsim model
src/input: hsim model input
src/solver: hsim model solver
src/workload: hsim model workload
src/engine: hsim model engine
src/policy: hsim model solver policy
src/bound: hsim model solver bound
src/output: hsim model output
src/cli: hsim model input solver bound engine policy workload output cli
src/main.c: hsim model input solver engine policy output cli
tests/policies: hsim
examples: hsim
'

bad=0
report() {
  echo "$1"
  bad=$((bad + 1))
}

allowed_for() {
  local folder list
  allowed=''
  while IFS=: read -r folder list; do
    if [ -n "$folder" ] && [[ $1 == "$folder" || $1 == "$folder"/* ]]; then
      allowed=" $list "
    fi
  done <<<"$rules"
}

seen=0
previous=''
while IFS=: read -r file line text; do
  if [ "$file" != "$previous" ]; then
    allowed_for "$file"
    previous=$file
    [ -n "$allowed" ] || report "$file: in no layer; add its folder to tests/checks/layers.sh"
  fi
  [ -n "$allowed" ] || continue
  seen=$((seen + 1))
  header=${text#*\"}
  header=${header%%\"*}
  if [[ $header != */* ]]; then
    report "$file:$line: \"$header\": write it as \"folder/$header\""
  elif [[ $allowed != *" ${header%%/*} "* ]]; then
    report "$file:$line: may not include \"$header\" (may include:$allowed)"
  fi
done < <(grep -rnE --include='*.[ch]' --exclude-dir=unit --exclude-dir=bench --exclude-dir=fuzz \
  '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' include src tests examples |
  LC_ALL=C sort -t: -k1,1 -k2,2n)

if [ "$seen" -eq 0 ]; then
  report "no #include line found: the check itself is broken"
fi
echo "$seen includes, $bad against the rules"
[ "$bad" -eq 0 ]
