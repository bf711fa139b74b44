#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --batsim-out, --swf-out and --gavel-log: readers of these formats understand the files, and what
# they read is what the jobs CSV and the summary say.
# shellcheck source=tests/cli/lib/python.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/python.sh"
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
lib=$SOURCE_DIR/tests/cli/lib
cd -- "$work"
philly=(--trace "$SOURCE_DIR/traces/philly.csv" --limit 80)
example=(--trace "$SOURCE_DIR/docs/examples/jobs.csv" --cluster "$SOURCE_DIR/docs/examples/lab.json"
  --rates "$SOURCE_DIR/docs/examples/rates.csv" --reference-gpu fast)

# export_all ARGUMENTS...: the files r_jobs.csv..., r.swf, r.log, and jobs.csv, summary.json.
export_all() {
  hsim "$@" --json --jobs-out jobs.csv --batsim-out r --swf-out r.swf --gavel-log r.log
  expect_exit 0
  expect_no_err
  cp -- "$out" summary.json
}
check() {
  run "$python" "$lib/check_$1.py" "${@:2}"
  expect_exit 0
  expect_no_err
}
# Submit, wait and run of an SWF line against the jobs CSV; ids where all are numbers.
swf_agrees() {
  awk '
    FNR == 1 { file++ }
    file == 1 && FNR == 1 { for (i = 1; i <= split($0, name, ","); i++) column[name[i]] = i; next }
    file == 1 { n++; split($0, cell, ","); state[n] = cell[column["state"]]; workers[n] = cell[column["workers"]]
                jct[n] = cell[column["jct_s"]]; queue[n] = cell[column["queueing_s"]]; next }
    /^;/ { comments++; next }
    { jobs++
      if (NF != 18 || /[^-0-9 ]/) bad = "line " FNR
      if ($8 != workers[jobs]) bad = "workers of job " jobs
      if (state[jobs] == "finished" && ($11 != 1 || $3 + $4 - jct[jobs] > 1 || jct[jobs] - $3 - $4 > 1 ||
          $3 - queue[jobs] > 1 || queue[jobs] - $3 > 1 || $6 > $4 + 1)) bad = "times of job " jobs
      if (state[jobs] != "finished" && $11 == 1) bad = "status of job " jobs }
    END { if (jobs != n || comments < 7) bad = jobs " of " n " jobs, " comments " comments"
          if (bad != "") print bad; exit bad != "" }' jobs.csv r.swf
}
check_all() {
  check batsim r jobs.csv
  check gavel_log r.log jobs.csv summary.json
  expect 'the SWF file agrees with the jobs CSV' swf_agrees
}

for policy in las hadar:beam=1 fifo voda; do
  export_all --policy "$policy" "${philly[@]}"
  check_all
done
export_all --policy las "${philly[@]}" --mtbf 24 --mttr 4
check_all
export_all --policy las "${philly[@]}" --until 30000 --cluster v100=1x4
check_all
run "$python" "$lib/check_batsim.py" r jobs.csv
expect_out 'RUNNING'
expect_out 'SUBMITTED'

# The readers see what is wrong.
export_all --policy las "${example[@]}"
check_all
broken() { # FILE SED-PROGRAM CHECK MESSAGE
  cp -- "$1" kept
  sed -i "$2" "$1"
  if [ "$3" = batsim ]; then
    run "$python" "$lib/check_batsim.py" r jobs.csv
  else
    run "$python" "$lib/check_gavel_log.py" r.log jobs.csv summary.json
  fi
  expect_exit 1
  expect_out "$4"
  mv -- kept "$1"
}
broken r_jobs.csv '2s/,0,/,1,/' batsim submission_time
broken r_jobs.csv '2s/0-1 5-6/0-1/' batsim 'a: GPUs'
broken r_segments.csv '3s/0-3/0-2/' batsim 'b: GPU-seconds'
broken r_segments.csv '2s/360,360,0/720,720,0/' batsim 'resource 0'
broken r.log '/Micro-task succeeded.*ID: 2/d' gavel 'scheduled'
broken r.log 's/^Job 1: 1/Job 1: 2/' gavel 'job 1'
broken r.log 's/^Average job completion time: /&1/' gavel Average

# What hsim writes it reads: a job a line, its run time that of the result.
export_all --policy fifo "${philly[@]}"
hsim inspect r.swf --json
expect_exit 0
expect_out '"format": "swf"'
expect_out '"jobs": 80'
hsim inspect r.swf
expect_no_err

# Gavel's own figures, which its simulator prints with three decimals.
export_all --policy gavel:objective=isolated:compat=code \
  --trace "$SOURCE_DIR/traces/gavel/artifact_evaluation.trace" --cluster v100=2x1,p100=2x1,k80=2x1
check_all
for line in 'Total duration: 6433.090 seconds (1.79 hours)' 'Job 0: 2817.168' 'Job 14: 2998.827' \
  'Average job completion time: 4286.651 seconds (1.19 hours)' 'Cluster utilization: 0.786'; do
  expect "the line $line" grep -qxF -- "$line" r.log
done
# Its first two rounds: jobs by type.
rounds=$(awk -F'\t' '/Micro-task scheduled/ { split($1, t, /[][]/); split($2, j, " "); split($3, w, " ")
  if (!(t[2] in seen)) { seen[t[2]] = 1; n++ } if (n <= 2) printf "%d:%s:%s ", t[2], j[3], w[3] }' r.log |
  tr ' ' '\n' | sort | tr '\n' ' ')
expect "two rounds as Gavel's: $rounds" test "$rounds" = "\
0:0:v100 0:2:v100 0:3:p100 0:4:p100 0:5:k80 0:6:k80 \
359:0:p100 359:2:p100 359:3:v100 359:4:v100 359:7:k80 359:8:k80 "

# Two jobs on one GPU.
hsim --policy gavel:objective=fifo_packed:compat=code --trace "$SOURCE_DIR/traces/gavel/small_test.trace" \
  --cluster v100=2x1,p100=2x1,k80=2x1 --json --jobs-out jobs.csv --gavel-log r.log
expect_exit 0
cp -- "$out" summary.json
check gavel_log r.log jobs.csv summary.json

# One run a file: several are refused before anything is written.
for option in batsim-out swf-out gavel-log; do
  hsim --policy fifo,las "${example[@]}" "--$option" several
  expect_exit 2
  expect_err "option --$option: its files hold one run, and this call has 2"
done
hsim --policy fifo --seeds 1,2 "${example[@]}" --swf-out several
expect_exit 2
expect_err "this call has 2"
expect 'nothing was written' test "$(find . -name 'several*' | wc -l)" = 0

# A prefix makes names, which must not be those of other files.
hsim --policy las "${example[@]}" --batsim-out x --events-out x_segments.csv
expect_exit 2
expect_err 'x_segments.csv: two outputs in one file'
cp -- "$SOURCE_DIR/docs/examples/jobs.csv" y_jobs.csv
hsim --policy las "${example[@]}" --trace y_jobs.csv --batsim-out y
expect_exit 2
expect_err 'y_jobs.csv: an output over an input'
printf 'time_s,event,target,gpus\n1,node_down,f-0,\n' >events.csv
hsim --policy las "${example[@]}" --events-in events.csv --swf-out events.csv
expect_exit 2
expect_err 'events.csv: an output over an input'
hsim --policy las "${example[@]}" --swf-out - --quiet
expect_exit 0
expect_out_line '; Version: 2.2'
expect_err 'finished'
hsim --policy las "${example[@]}" --gavel-log /dev/full
expect_exit 4
expect_err '/dev/full: cannot write'
