# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of scripts/plot and scripts/report share; after lib.sh.

# skip REASON: the test cannot run here.
skip() {
  echo "skipped: $1"
  trap - EXIT
  rm -rf -- "$work"
  exit 77
}

command -v gnuplot >/dev/null || skip 'gnuplot is not installed'
# The interpreter itself: wrappers that choose one take longer to start than it takes to draw.
python=$(python3 -c 'import json, os, sys; print(os.path.dirname(sys.executable))' 2>/dev/null) ||
  skip 'python3 is not installed'
export PATH=$python:$PATH
export HSIM

plot() {
  run "$SOURCE_DIR/scripts/plot" "$@"
}

# data FOLDER COMMENT: the rows of the data file left by --keep whose first line is "# COMMENT".
data() {
  local file found=''
  for file in "$1"/data*.txt; do
    if [ "$(head -n 1 -- "$file")" = "# $2" ]; then
      found=$file
    fi
  done
  [ -n "$found" ] || echo "no data file of $1 begins with: # $2" >&2
  grep -v '^#' -- "$found"
}

# svg_text FILE: all texts of a drawing, one a line; fails when it is not XML.
svg_text() {
  python3 -c '
import sys, xml.etree.ElementTree as tree
for element in tree.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}text"):
    print("".join(element.itertext()))' "$1"
}

# near A B: two numbers that agree to seven digits; those of data files have ten.
near() {
  awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d * d <= 1e-14 * a * a) }'
}
