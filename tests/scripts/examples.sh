#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every command that the README and the pages of docs/ show does what they say: lines of ```sh
# blocks that start with hsim (also scripts/hsim, build/hsim), cc, scripts/plot, scripts/report or
# scripts/sweep run in order, in a folder with the tree's files, and end with exit 0, or N where the
# line ends with the comment "# exits N". Lines that draw need gnuplot, sweeps (of $HSIM) need GNU
# parallel; they are left out without it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"

# "LINE<tab>COMMAND" of a page's blocks; a final backslash joins lines.
commands() {
  awk '
    /^[[:space:]]*```sh[[:space:]]*$/ { inside = 1; next }
    /^[[:space:]]*```/ { inside = 0; joined = ""; next }
    !inside { next }
    {
      sub(/^[[:space:]]+/, joined == "" ? "" : " ")
      if (joined == "") line = NR
      joined = joined $0
      if (sub(/\\$/, "", joined)) next
      sub(/^\$ /, "", joined)
      sub(/^(\.\/)?(scripts|build)\/hsim /, "hsim ", joined)
      if (joined ~ /^(hsim|cc|scripts\/(plot|report|sweep)) /) printf "%d\t%s\n", line, joined
      joined = ""
    }' "$1"
}

mkdir -- "$work/bin"
ln -s -- "$HSIM" "$work/bin/hsim"
export HSIM PATH="$work/bin:$PATH" PARALLEL_HOME="$work/bin"
draws=no
if command -v gnuplot >/dev/null && python3 -c 'import json' 2>/dev/null; then
  draws=yes
fi

found=0
for page in "$SOURCE_DIR/README.md" "$SOURCE_DIR"/docs/*.md; do
  [ -e "$page" ] || continue
  folder=$work/run.$(basename -- "$page")
  mkdir -- "$folder"
  for part in traces configs include examples tests docs scripts; do
    ln -s -- "$SOURCE_DIR/$part" "$folder/$part"
  done
  while IFS=$'\t' read -r line text; do
    if [[ $draws == no && $text =~ ^scripts/(plot|report)\  ]]; then
      echo "skipped, without gnuplot or python3: $text"
      continue
    fi
    if [[ $text == scripts/sweep* ]] && ! command -v parallel >/dev/null; then
      continue
    fi
    found=$((found + 1))
    wanted=0
    if [[ $text =~ \#\ exits\ ([0-9]+)[[:space:]]*$ ]]; then
      wanted=${BASH_REMATCH[1]}
    fi
    cd -- "$folder"
    run bash -o pipefail -c "$text"
    cd -- "$work"
    command_line="$(basename -- "$page"):$line: $text"
    expect_exit "$wanted"
  done < <(commands "$page")
done
expect 'at least one example in README.md' test "$found" -gt 0
