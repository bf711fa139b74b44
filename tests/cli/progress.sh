#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The progress line: on a terminal by itself, elsewhere only when asked for, gone at the end.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

trace=$SOURCE_DIR/traces/philly.csv
wipe=$'\r\033[K'

# Nothing that is not asked for in a pipe or a file.
hsim --policy las,fifo --trace "$trace" --limit 50
expect_exit 0
expect_no_err
cp -- "$out" "$work/table"
hsim --policy las,fifo --trace "$trace" --limit 50 --progress=never
expect_no_err
hsim --policy las,fifo --trace "$trace" --limit 50 --progress=auto
expect_no_err

# Asked for: drawn in place, wiped at the end, the same results.
ends_wiped() {
  [ "$(tail -c 4 "$1")" = "$wipe" ]
}
for how in --progress --progress=always; do
  hsim --policy las,fifo --trace "$trace" --limit 50 "$how"
  expect_exit 0
  expect_same "$work/table" "$out"
  expect_err '2 runs ['
  expect_err ' of 100 jobs'
  expect 'the line is wiped' ends_wiped "$err"
done
hsim --policy las --trace "$trace" --limit 50 --measure 10:30 --progress
expect_err $'\rlas ['
expect_err ' of 20 jobs, day '
expect 'the line is wiped' ends_wiped "$err"

# A run that fails: its message stands on a line of its own.
hsim --policy "las,$POLICIES_DIR/misbehaves.so:do=crash" --trace "$trace" --limit 50 --progress
expect_exit 4
expect 'the message follows the wiped line' \
  grep -qF -- "${wipe}hsim: policy $POLICIES_DIR/misbehaves.so: crashed" "$err"

hsim --policy las --trace "$trace" --limit 50 --progress --quiet
expect_no_err
hsim --policy las --trace "$trace" --progress=sometimes
expect_exit 2
expect_err 'option --progress: value "sometimes": expected auto, always or never'

# On a terminal.
if ! command -v script >/dev/null; then
  echo 'not tested on a terminal: script (package bsdutils) is missing'
  exit 0
fi
on_terminal() { # TERM OPTION...: what a terminal shows of stderr
  local terminal=$1
  shift
  run env TERM="$terminal" script -qec \
    "$(printf '%q ' "$HSIM" --policy las,fifo --trace "$trace" --limit 50 "$@") >$(printf '%q' "$work/table2")" \
    "$work/typescript"
  expect_exit 0
  expect_same "$work/table" "$work/table2"
}
on_terminal xterm
expect_out '2 runs ['
expect 'the line is wiped' ends_wiped "$out"
on_terminal xterm --progress=never
expect_no_out
on_terminal xterm --quiet
expect_no_out
on_terminal dumb
expect_no_out
