#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# hsim convert: each target, round trips, what is reported as lost, and wrong calls.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
example=(--rates "$SOURCE_DIR/docs/examples/rates.csv" --reference-gpu fast)
lab=$SOURCE_DIR/docs/examples/lab.json
cd -- "$SOURCE_DIR"

# Native again: what convert wrote stays as it is, byte for byte.
for trace in traces/philly.csv traces/gavel/max_min_fairness.trace; do
  hsim convert "$trace" --to native --out "$work/once.csv"
  expect_exit 0
  expect_no_out
  expect_no_err
  hsim convert "$work/once.csv" --to native
  expect_same "$out" "$work/once.csv"
done

# The same runs follow from it: all figures and every job.
same_runs() { # TRACE CONVERTED ARGUMENTS...
  local trace=$1 converted=$2
  shift 2
  hsim --trace "$trace" --jobs-out "$work/a.jobs" --json "$@"
  expect_exit 0
  sed -n '/"runs"/,$p' -- "$out" >"$work/a.runs"
  hsim --trace "$converted" --jobs-out "$work/b.jobs" --json "$@"
  expect_exit 0
  sed -n '/"runs"/,$p' -- "$out" >"$work/b.runs"
  expect_same "$work/a.runs" "$work/b.runs"
  expect_same "$work/a.jobs" "$work/b.jobs"
}
hsim convert traces/philly.csv --to native --out "$work/philly.csv"
same_runs traces/philly.csv "$work/philly.csv" --policy fifo,las --limit 200
hsim convert traces/gavel/max_min_fairness.trace --to native --out "$work/gavel.csv"
same_runs traces/gavel/max_min_fairness.trace "$work/gavel.csv" --policy fifo --semantics gavel
same_runs traces/gavel/max_min_fairness.trace "$work/gavel.csv" --policy gavel:objective=fifo_perf:compat=code \
  --cluster v100=8x1,p100=16x1,k80=24x1
hsim convert docs/examples/jobs.csv --to native "${example[@]}" --out "$work/jobs.csv"
same_runs docs/examples/jobs.csv "$work/jobs.csv" --policy las --cluster "$lab" "${example[@]}"

# Gavel's own traces come back as they were.
for trace in debug max_min_fairness medium_test minimize_makespan small_test; do
  hsim convert "traces/gavel/$trace.trace" --to gavel
  expect_exit 0
  expect_no_err
  expect_same "$out" "traces/gavel/$trace.trace"
done
hsim convert "$work/gavel.csv" --to gavel
expect_same "$out" traces/gavel/max_min_fairness.trace

# Everything that a native trace can hold comes back, ids as they are.
cat >"$work/full.csv" <<'EOT'
job_id,arrival_s,workers,steps,model,min_workers,max_workers,gpu_types,epochs,weight,priority,tenant,app,deadline_s,estimate_s,phases
" a, ""1""",0.25,2,100.5,small,1,4,fast slow,3,2.5,-1,"x, y",app,90,12.5,"50:large;75.5:small"
b,1e-9,1,1e-300,small,1,1,slow,,1,0,,,,,
EOT
hsim convert "$work/full.csv" --to native "${example[@]}"
expect_exit 0
expect_no_err
expect_out_line '" a, ""1""",0.25,2,100.5,small,1,4,,3,2.5,-1,"x, y",app,90,12.5,"50:large;75.5:small"'
expect_out_line 'b,1e-09,1,1e-300,small,1,1,slow,,1,0,,,,,'
cp -- "$out" "$work/again.csv"
hsim convert "$work/again.csv" --to native "${example[@]}"
expect_same "$out" "$work/again.csv"

# Types that a job names stay, whether the given cluster has them or not, and whether it has others.
cat >"$work/types.csv" <<'EOT'
job_id,arrival_s,workers,steps,model,gpu_types
a,0,1,5,A3C,v100
b,0,1,5,A3C,k80
c,0,1,5,A3C,k80 v100
d,0,1,5,A3C,
EOT
for cluster in v100=1x4 v100=1x4,k80=1x4 v100=1x4,p100=1x1,k80=1x4; do
  hsim convert "$work/types.csv" --to native --cluster "$cluster"
  expect_exit 0
  expect_out_line 'a,0,1,5,A3C,v100'
  expect_out_line 'b,0,1,5,A3C,k80'
  expect 'both types of c' grep -qE '^c,0,1,5,A3C,(v100 k80|k80 v100)$' "$out"
  expect_out_line 'd,0,1,5,A3C,'
done
hsim convert "$work/types.csv" --to gavel --cluster v100=1x4
expect_err 'gavel cannot hold, of 3 jobs of 4: restrictions to GPU types'
# Models are those that a run on the cluster gives.
hsim convert traces/philly.csv --to native --cluster k80=1x20 --out "$work/k80.csv"
same_runs traces/philly.csv "$work/k80.csv" --policy fifo --limit 50 --cluster k80=1x20

# What a target cannot hold is counted; --quiet leaves that out.
hsim convert "$work/full.csv" --to gavel "${example[@]}"
expect_exit 0
expect_err 'gavel cannot hold, of 2 jobs of 2: ids'
expect_err 'gavel cannot hold, of 2 jobs of 2: steps that are not whole'
for what in 'elastic ranges' 'later phases' 'priorities' 'tenants' 'apps' 'epochs' 'deadlines' 'estimates'; do
  expect_err "gavel cannot hold, of 1 job of 2: $what"
done
expect 'b first, its steps 1 at least' \
  test "$(head -n 1 "$out")" = "$(printf 'small\t-\t-\t-\t0\t1\t1\t1\t-1.000000\t1e-09')"
hsim convert "$work/full.csv" --to gavel "${example[@]}" --quiet
expect_no_err

# Standard input to standard output, in conversions and in runs.
run bash -c '"$0" convert - --to native --rates "$2" <"$1"' "$HSIM" "$work/full.csv" "${example[1]}"
expect_exit 0
expect_same "$out" "$work/again.csv"
run bash -c '"$0" --policy fifo --trace - --jobs-out - --quiet <traces/gavel/debug.trace' "$HSIM"
expect_exit 0
expect_out 'job_id,'

# SWF: 18 numbers a job, submit 2, run 4, processors 5, user 12.
hsim convert traces/philly.csv --to swf
expect_exit 0
expect_err 'swf cannot hold, of 480 jobs of 480: models'
expect_out '; User 1: 6c71a0'
expect '480 lines of 18 numbers' \
  test "$(grep -v '^;' "$out" | awk 'NF == 18 && !/[^-0-9 ]/' | wc -l)" = 480
expect 'the durations of the log' cmp -s \
  <(grep -v '^;' "$out" | awk '{ print $1, $4, $5 }' | head -n 50) \
  <(awk -F, 'NR > 1 { printf "%d %d %d\n", NR - 1, $2, $3 }' traces/philly.csv | head -n 50)
expect_err 'swf cannot hold, of 480 jobs of 480: tenants: a number stands for each'
hsim convert "$work/full.csv" --to swf "${example[@]}"
expect_err 'of 1 job of 2: tenants: a number stands for each, their names are in the comments'
expect_err 'of 1 job of 2: apps: a number stands for each, their names are in the comments'
expect 'the estimate stands as requested time' grep -qE '^[0-9]+ [0-9]+ -1( [-0-9]+){5} 13 ' "$out"
hsim convert docs/examples/jobs.csv --to swf "${example[@]}"
expect_err 'jobs are numbered from 1'
expect_out_line '1 0 -1 1000 2 -1 -1 2 -1 -1 1 1 -1 1 -1 -1 -1 -1'

# Ids that SWF has as numbers stay; it counts jobs from 1.
cat >"$work/ids.csv" <<'EOT'
job_id,arrival_s,workers,steps,model
1234567890,0,1,1000,small
123456789012345678,5,1,1000,small
EOT
hsim convert "$work/ids.csv" --to swf "${example[@]}"
expect_exit 0
expect 'the ids' test "$(grep -v '^;' "$out" | cut -d ' ' -f 1 | tr '\n' ' ')" = '1234567890 123456789012345678 '
expect 'no word of ids' test "$(grep -c 'ids:' "$err")" = 0
hsim convert traces/gavel/debug.trace --to swf
expect_err 'ids: not all are whole numbers from 1 (0 is none in SWF) in at most 18 digits; jobs are numbered from 1'

# What reading left out or changed is told as a run tells it.
hsim convert tests/data/input/chronus.csv --to native
expect_exit 0
expect_err 'hsim: times of the trace are read as minutes (--time-unit)'
expect_err 'hsim: rows of the trace that were skipped, no GPUs: 2'
hsim convert tests/data/input/openb_pods.csv --to native --fractional up
expect_err 'hsim: jobs with a part of a GPU, rounded up: 1'
hsim convert tests/data/input/spot.csv --to native
expect_err 'hsim: jobs whose GPU type is in neither cluster nor rates: may use any: 4'
hsim convert tests/data/input/shockwave12.trace --to native
expect_err 'hsim: jobs with a batch mode that is not modelled: '
hsim convert tests/data/input/chronus.csv --to native --quiet
expect_no_err

# Whole numbers have no exponent; what no reader of the format takes is refused.
printf 'job_id,arrival_s,workers,steps,model\nbig,0,1,1e17,small\n' >"$work/big.csv"
hsim convert "$work/big.csv" --to gavel "${example[@]}"
expect_exit 0
expect 'whole steps' test "$(cut -f 6 "$out")" = 100000000000000000
hsim convert "$work/big.csv" --to native "${example[@]}"
expect_out_line 'big,0,1,1e+17,small'
cp -- "$work/big.csv" "$work/long.csv"
sed -i 's/1e17/1e19/' "$work/long.csv"

# Wrong calls.
wrong() {
  local code=$1 message=$2
  shift 2
  hsim convert "$@"
  expect_exit "$code"
  expect_no_out
  expect_err "$message"
}
wrong 2 'the trace is missing' --to native
wrong 2 '--to is missing: native, gavel or swf' traces/philly.csv
wrong 2 'there is a trace already' traces/philly.csv traces/philly.csv --to swf
wrong 2 'unknown option --form; did you mean --from?' traces/philly.csv --form swf
wrong 2 "Try 'hsim convert --help'" traces/philly.csv --to csv
wrong 1 'absent.csv' "$work/absent.csv" --to native
wrong 2 'an output over an input' "$work/jobs.csv" --to native --out "$work/jobs.csv" "${example[@]}"
wrong 4 'no/folder' traces/philly.csv --to native --out "$work/no/folder/x.csv"
wrong 1 'job "big": steps 1e+19: expected less than 2^63 in Gavel' "$work/long.csv" --to gavel "${example[@]}"
wrong 1 'job "big": run time 10000000000000000: expected at most 1e12 seconds in SWF' "$work/big.csv" --to swf "${example[@]}"
sed -i 's/model$/model,estimate_s/; s/1e17,small/10,small,1e13/' "$work/big.csv"
wrong 1 'job "big": estimate 10000000000000: expected at most 1e12 seconds in SWF' "$work/big.csv" --to swf "${example[@]}"
wrong 1 'a model of the rates table' docs/examples/jobs.csv --to native
hsim convert --help
expect_exit 0
expect_out 'Usage: hsim convert TRACE --to native|gavel|swf'
