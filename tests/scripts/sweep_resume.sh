#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/sweep that is killed with kill -9: what is done stays, what is half done runs again, nothing
# runs twice at once.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"
# shellcheck source=tests/cli/lib/sweep.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib/sweep.sh"
cd -- "$work"

cat >grid.json <<JSON
{ "fixed": { "policy": "fifo", "trace": "$SOURCE_DIR/traces/philly.csv" },
  "vary": { "limit": { "from": 1, "to": 6 } } }
JSON
# An hsim that notes each run, and at the third prints half a summary and waits for the file `go`.
cat >slow <<'SH'
#!/bin/sh
case " $* " in
  *" --json "*)
    echo "$*" >>runs
    if [ "$(wc -l <runs)" = 3 ]; then
      printf '{ "half": '
      echo "$PPID $$" >.waiting && mv .waiting waiting
      while [ ! -e go ]; do sleep 0.02; done
      exit 9
    fi
    ;;
esac
exec "$HSIM" "$@"
SH
chmod +x slow
sweep grid.json --out whole --quiet
expect_exit 0

# start: a sweep in the background that is left at its third run.
start() {
  rm -f -- runs go waiting
  setsid "$python" "$SOURCE_DIR/scripts/sweep" grid.json --out "$1" --hsim ./slow --jobs 1 \
    >"$1.printed" 2>&1 </dev/null &
  sweeping=$!
  until_true test -e waiting
}
statuses() {
  find "$1/points" -name status | wc -l
}

# Everything dies at once: the sweep, parallel, the program that runs a point, hsim.
start all
read -r runner program <waiting
kill -9 -- "-$sweeping" "$runner" "$program"
wait "$sweeping" 2>/dev/null || true
expect 'two are done' test "$(statuses all)" = 2
expect 'no table yet' test ! -e all/results.csv
until_true flock --nonblock all/.lock true
touch go
sweep grid.json --out all --hsim ./slow --jobs 1
expect_exit 0
expect_err '6 points, 4 to run'
expect 'the third ran twice, the others once' test "$(sort runs | uniq -c | awk '{ print $1 }' | sort | tr '\n' ' ')" = \
  '1 1 1 1 1 2 '
expect_same all/results.csv whole/results.csv
expect 'nothing half is left' test "$(find all/points -name '.*' | wc -l)" = 0

# While a sweep works in a folder, a second one does not. Only the sweep dies: parallel ends the runs
# and itself, and the next call goes on.
if command -v setpriv >/dev/null; then
  start alone
  sweep grid.json --out alone --hsim ./slow --jobs 1
  expect_exit 4
  expect_err 'another sweep, or what a killed one left running, works here'
  kill -9 "$sweeping"
  wait "$sweeping" 2>/dev/null || true
  until_true flock --nonblock alone/.lock true
  expect 'the fourth was not started' test "$(wc -l <runs)" = 3
  touch go
  sweep grid.json --out alone --hsim ./slow --jobs 1
  expect_exit 0
  expect_err '6 points, 4 to run'
  expect_same alone/results.csv whole/results.csv
fi

# A summary that was cut short, as by a machine that lost power, is no result.
victim=$(find all/points -name summary.json | LC_ALL=C sort | head -n 1)
head -c 100 -- "$victim" >short.json
cp -- short.json "$victim"
sweep grid.json --out all --hsim ./slow
expect_exit 0
expect_err '6 points, 1 to run'
expect_same all/results.csv whole/results.csv

# An output that was not asked for before is made now.
sweep grid.json --out all --hsim ./slow --outputs events --quiet
expect_exit 0
expect 'six events files' test "$(find all/points -name events.csv | wc -l)" = 6
