# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of scripts/sweep share; after lib.sh. It runs $HSIM.

# skip REASON: the test cannot run here.
skip() {
  echo "skipped: $1"
  trap - EXIT
  rm -rf -- "$work"
  exit 77
}

for program in python3 parallel; do
  command -v "$program" >/dev/null || skip "$program is not installed"
done
export HSIM
export PARALLEL_HOME=$work/.parallel
mkdir -p -- "$PARALLEL_HOME"

# Debian's own Python if there is one: what may stand before it in PATH can be slow to start.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
sweep() {
  run "$python" "$SOURCE_DIR/scripts/sweep" "$@"
}

# until_true COMMAND...: waits for it, a minute at most.
until_true() {
  local deadline=$((SECONDS + 60))
  until "$@"; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      echo "waited a minute for: $*" >&2
      return 1
    fi
    sleep 0.02
  done
}

# cells CSV COLUMN...: these columns of a table without quoted cells, without the header, joined by blanks.
cells() {
  local file=$1
  shift
  awk -F, -v wanted="$*" '
    NR == 1 { n = split(wanted, name, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
    { for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? " " : "\n" }' "$file"
}
