#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Windows, tenants, samples, scaled arrivals: what is left, in which order, and wrong values.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
philly=$SOURCE_DIR/traces/philly.csv

cat >"$work/jobs.csv" <<'EOT'
job_id,arrival_s,model,workers,steps,tenant,deadline_s
"a,1",10,A3C,1,100,ann,110
b,20,A3C,1,100,bob,
c,20,A3C,1,100,ann,
d,30,A3C,1,100,,
e,50,A3C,1,100,ann,80
EOT
ids() { # of the last convert
  tail -n +2 -- "$out" | sed 's/,[^,]*,1,100,.*//' | tr '\n' ' '
}
left() {
  local wanted=$1
  shift
  hsim convert "$work/jobs.csv" --to native --quiet "$@"
  expect_exit 0
  expect "the jobs $wanted" test "$(ids)" = "$wanted "
}
left '"a,1" b c d e'
left 'b c d' --from 20 --to 50
left 'b c d e' --from 20
left '"a,1"' --to 20
left '"a,1" c e' --tenant ann
left '"a,1" b c e' --tenant bob --tenant ann
left 'c e' --tenant ann --from 11
left 'b c' --from 20 --limit 2
left '"a,1"' --limit 1 --tenant ann

# A window that begins in the trace's own time is not shifted; --rebase does that.
hsim convert "$work/jobs.csv" --to native --from 30
expect_out_line 'd,30,1,100,A3C,,'
hsim convert "$work/jobs.csv" --to native --from 30 --rebase
expect_out_line 'd,0,1,100,A3C,,'
expect_out_line 'e,20,1,100,A3C,ann,50'

# Gaps are scaled from the first arrival on; deadlines keep their distance.
hsim convert "$work/jobs.csv" --to native --scale-arrivals 0.5
expect_out_line '"a,1",10,1,100,A3C,ann,110'
expect_out_line 'b,15,1,100,A3C,bob,'
expect_out_line 'e,30,1,100,A3C,ann,60'

# A sample is the seed's, has exactly N jobs, and keeps their order.
hsim convert "$philly" --to native --sample 100 --seed 3
cp -- "$out" "$work/first"
expect '100 jobs' test "$(wc -l <"$work/first")" = 101
expect 'in order' sort -c -t, -k1,1n <(tail -n +2 "$work/first")
hsim convert "$philly" --to native --sample 100 --seed 3
expect_same "$out" "$work/first"
hsim convert "$philly" --to native --sample 100 --seed 4
expect 'another sample' test "$(cmp -s "$out" "$work/first" && echo same)" = ''

# Models are assigned before: a job of the sample has the model that it has in the whole.
hsim convert "$philly" --to native --seed 3
expect 'models as in the whole' test "$(grep -cvxFf "$out" "$work/first" || true)" = 0

# A run on a window is a run on the file that holds the window.
hsim convert "$work/jobs.csv" --to native --from 20 --tenant ann --out "$work/part.csv"
expect_exit 0
hsim --policy fifo --trace "$work/part.csv" --jobs-out "$work/part.jobs"
hsim --policy fifo --trace "$work/jobs.csv" --from 20 --tenant ann --jobs-out "$work/whole.jobs"
expect_exit 0
expect_same "$work/part.jobs" "$work/whole.jobs"

# A window of measured jobs in the middle of a longer process.
hsim generate --preset gavel_continuous:lam=600 --jobs 200 --out "$work/long.csv"
hsim --policy fifo --trace "$work/long.csv" --measure 100:150 --json
expect_exit 0
expect_out '"measure": { "from": 100, "to": 150 }'
expect_out '"finished": 50'
hsim --policy fifo --trace "$work/long.csv" --measure 100:150
expect_out 'jobs 100 to 149 of the arrival order are measured'
expect_out 'fifo: the last job had arrived before the measured ones were done'
hsim --policy fifo --trace "$work/long.csv" --measure 0:1
expect 'no such note while jobs arrive' test -z "$(grep 'last job had arrived' "$out" || true)"

wrong() {
  local message=$1
  shift
  hsim convert "$work/jobs.csv" --to native "$@"
  expect_exit 2
  expect_no_out
  expect_err "$message"
}
wrong 'option --from: value "noon": expected a number of seconds' --from noon
wrong 'option --from: value "-1"' --from=-1
wrong 'expected native, gavel or swf, or the seconds' --to tomorrow
wrong 'expected --from below --to' --from 30 --to 30
wrong "the trace's arrivals go from 10 to 50" --from 51
wrong 'no tenant of the trace; did you mean "ann"?' --tenant anne
wrong 'no job of these tenants arrives then' --tenant bob --from 30
wrong 'expected at most the 5 jobs' --sample 6
wrong 'option --sample: value "0"' --sample 0
wrong 'option --sample: value "half"' --sample half
wrong 'option --scale-arrivals: value "0": expected a factor' --scale-arrivals 0
wrong 'did you mean --sample?' --sampel 3
hsim convert "$SOURCE_DIR/traces/gavel/small_test.trace" --to native --tenant ann
expect_exit 2
expect_err 'the trace names no tenants'
