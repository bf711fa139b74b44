#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The shell scripts pass shellcheck.
set -euo pipefail
cd -- "$SOURCE_DIR"

if ! command -v shellcheck >/dev/null; then
  echo "skipped: shellcheck is not installed"
  exit 77
fi
files=()
while IFS= read -r -d '' file; do
  if [[ $file == *.bash || $(head -n 1 -- "$file") == '#!'*bash ]]; then
    files+=("$file")
  fi
done < <(find scripts .ci packaging tests -path tests/fuzz/corpus -prune -o -type f -print0 |
  LC_ALL=C sort -z)
[ ${#files[@]} -gt 0 ]
shellcheck --external-sources --source-path=SCRIPTDIR -- "${files[@]}"
echo "${#files[@]} scripts"
