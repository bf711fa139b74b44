#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# hsim inspect: counts that add up, what it finds, text and JSON, wrong calls.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
cd -- "$SOURCE_DIR"

hsim inspect traces/philly.csv
expect_exit 0
expect_no_err
expect_out '480 rows read, 480 loaded, 0 skipped; models assigned by rule hadar'
expect_out 'warning: the offered load is 1.96 times what the cluster can serve'
hsim inspect traces/philly-full.csv.gz --cluster configs/clusters/philly.json --json
expect_exit 0
expect_out '"rows": 82247'
expect_out '"warnings": []'
hsim inspect --trace=traces/gavel/minimize_makespan.trace
expect_out 'all jobs arrive at once'

# Bad rows are skipped and counted by reason; read = loaded + skipped.
cat >"$work/bad.csv" <<'EOT'
job_id,arrival_s,model,workers,steps,tenant
a,0,A3C,1,100,ann
b,5,A3C,0,100,ann
c,5,A3C,none,100,ann
a,9,A3C,1,100,ann
e,3,A3C,1,100,bob
f,3,A3C,1,100,bob
g,3,A3C,1,100,ann
h,20,A3C,2,100,
i,30,ResNet-50 (batch size 64),64,1000,ann
EOT
hsim inspect "$work/bad.csv"
expect_exit 0
expect_no_err
expect_out '9 rows read, 6 loaded, 3 skipped'
expect_out '2 x column workers: expected'
expect_out 'bad.csv:3: column workers: value "0"'
expect_out '1 x column job_id: expected an id of its own'
expect_out 'ties 2, rows out of order 0, duplicates but for the id 1'
expect_out 'jobs that can never run: 2'
expect_out 'no GPU type of the cluster that it accepts runs A3C with 2 workers (first: h)'
expect_out 'needs 64 GPUs of one type, the cluster has at most 20 that it can use (first: i)'
expect_out 'warning: 2 jobs can never run on this cluster'
# A reason holds nothing that differs from row to row.
cat >"$work/alike.csv" <<'EOT'
job_id,arrival_s,model,workers,steps,duration_s,min_workers,max_workers,gpu_types,phases
a,0,A3C,1,100,5,,,,
b,0,A3C,1,200,6,,,,
c,0,A3C,1,100,,4,3,,
d,0,A3C,1,100,,5,2,,
e,0,A3C,1,100,,,,v1,
f,0,A3C,1,100,,,,v2,
g,0,A3C,1,100,,,,,x
h,0,A3C,1,100,,,,,y
i,0,A3C,1,100,,,,,5:x
j,0,A3C,1,100,,,,,5:y
k,0,A3C,1,100,,,,,
EOT
hsim inspect "$work/alike.csv"
expect_exit 0
for reason in 'duration_s: expected it to be empty, since steps is filled in' \
  'min_workers: expected at most max_workers' 'gpu_types: expected GPU types of the rates table' \
  'phases: expected STEP:MODEL joined by semicolons' 'phases: expected a model of the rates table'; do
  expect_out "2 x column $reason"
done
hsim inspect "$work/bad.csv" --json
expect_exit 0
cp -- "$out" "$work/bad.json"
for line in '"rows": 9,' '"loaded_rows": 6,' '"skipped_rows": 3,' '"jobs": 6,' '"without_rate": 1,' \
  '"never_jobs": 2,' '"never_unless_types_mix": 0,'; do
  expect_out "$line"
done
expect_out '"schema": "hsim.inspection/1"'
run bash -c '"$0" inspect - --json <"$1"' "$HSIM" "$work/bad.csv"
expect_exit 0
expect_out '"file": "-",'
hsim inspect "$work/bad.csv" --on-bad-row error
expect_exit 1
expect_no_out
expect_err 'bad.csv:3: column workers'
hsim inspect "$work/bad.csv" --tenant bob
expect_out 'selected   2 jobs of these'

# As many as a run says: jobs that never run are those that a run rejects.
hsim --policy fifo --trace "$work/bad.csv" --on-bad-row skip --json
expect_out '"rejected": 2'

# Jobs that arrive out of order; a job that runs on one type only.
cat >"$work/order.csv" <<'EOT'
job_id,arrival_s,model,workers,duration_s,gpu_types
a,100,A3C,1,1000,k80
b,0,A3C,1,1000,
c,50,A3C,1,1000,k80
EOT
hsim inspect "$work/order.csv" --cluster k80=1x1,v100=1x8
expect_out 'rows out of order 1'
expect_out 'warning: 2 jobs can run on k80 only'

# Rows that are no jobs are listed by reason and are not bad; the rows of all reasons add up.
expect_sum() {
  awk -v "name=$1" '/"skipped_rows":/ { all = $2 + 0 } /"arrivals":/ { exit }
    match($0, /"rows": [0-9]+/) && ++n > 1 { sum += substr($0, RSTART + 8, RLENGTH - 8) }
    END { if (all == 0 || sum != all) { print name ": " sum " of " all; exit 1 } }' "$out"
}
for call in 'chronus.csv' 'openb_pods.csv' 'openb_pods.csv --fractional skip' 'sacct.txt' 'philly_log_gaps.json'; do
  read -ra arguments <<<"$call"
  hsim inspect "tests/data/input/${arguments[0]}" "${arguments[@]:1}" --json
  expect_exit 0
  expect "skipped_rows of $call" expect_sum "$call"
done
hsim inspect tests/data/input/chronus.csv
expect_out '2 x no GPUs'
expect_out 'times of the trace are read as minutes (--time-unit)'
expect 'no bad row' test "$(grep -c 'bad row' "$out")" = 0
hsim inspect tests/data/input/chronus.csv --json
expect_out '"time_unit": "minutes"'
expect_out '{ "reason": "no GPUs", "rows": 2, "first": null }'
hsim inspect tests/data/input/openb_pods.csv
expect_out '2 x never started'
expect_out 'warning: 1 bad row is skipped'
hsim inspect tests/data/input/openb_pods.csv --fractional up
expect_out 'jobs with a part of a GPU, rounded up: 1'
hsim inspect tests/data/input/spot.csv
expect_out 'jobs whose GPU type is in neither cluster nor rates: may use any: 4'
hsim inspect tests/data/input/spot.csv --json
expect_out '"remarks": { "jobs whose GPU type is in neither cluster nor rates: may use any": 4 }'

wrong() {
  local code=$1 message=$2
  shift 2
  hsim inspect "$@"
  expect_exit "$code"
  expect_no_out
  expect_err "$message"
}
wrong 2 'the trace is missing'
wrong 2 'there is a trace already' traces/philly.csv traces/philly.csv
wrong 2 'unknown option --policy (hsim inspect --help lists them)' traces/philly.csv --policy fifo
wrong 2 'option --json takes no value' traces/philly.csv --json=1
wrong 1 'absent.csv' "$work/absent.csv"
wrong 1 'unknown trace format' README.md
wrong 2 'cluster v100=1' traces/philly.csv --cluster v100=1
printf 'job_id,arrival_s,model,workers,steps\na,0,A3C,x,1\n' >"$work/none.csv"
wrong 1 'none.csv:2: column workers: value "x": expected a whole number' "$work/none.csv"
hsim inspect --help
expect_exit 0
expect_out 'Usage: hsim inspect TRACE'
