#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Gavel's own simulator against gavel:compat=code: fifo_perf to the last bit in makespan and in
# every job's completion time; max_min_fairness_perf on the trace whose optima are nearly unique.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

reference=$SOURCE_DIR/tests/reference/gavel

# Equal as doubles, whatever the digits: both columns are read by the same awk.
same_numbers() {
  awk -F, '
    FNR == 1 { for (i = 1; i <= NF; i++) { if ($i == "job_id") id = i; if ($i == "jct_s") jct = i }
               next }
    NR == FNR { wanted[$id] = $jct; n++; next }
    { seen++
      if (!($id in wanted) || wanted[$id] "" == "" ? $jct "" != "" : wanted[$id] + 0 != $jct + 0) {
        print "job " $id ": " $jct " instead of " wanted[$id]; bad = 1 } }
    END { exit bad || n != seen || n == 0 }' "$1" "$2"
}

# run_case NAME OBJECTIVE: sets $makespan and $mean from the summary.
run_case() {
  local name=$1 objective=$2 trace cluster
  trace=$SOURCE_DIR/traces/gavel/${name%%__*}.trace
  local v100 p100 k80 counts=${name%__seed*}
  IFS=- read -r v100 p100 k80 <<<"${counts##*__}"
  cluster=v100=${v100}x1,p100=${p100}x1,k80=${k80}x1
  hsim --policy "gavel:objective=$objective:compat=code" --trace "$trace" --cluster "$cluster" \
    --audit --json --jobs-out "$work/jobs.csv"
  expect_exit 0
  local flat
  flat=$(tr -d ' \n' <"$out")
  makespan=$(sed -n 's/.*"end_s":\([0-9.e+]*\),.*/\1/p' <<<"$flat")
  mean=$(sed -n 's/.*"jct_s":{"mean":\([0-9.e+]*\),.*/\1/p' <<<"$flat")
}

column() { # NAME COLUMN of exact.csv
  awk -F, -v name="$1" -v column="$2" '
    { sub(/\r$/, "") }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["name"] == name { print $at[column] }' "$reference/exact.csv"
}

equal() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a + 0 == b + 0) }'; }
within() { awk -v a="$1" -v b="$2" -v r="$3" 'BEGIN { d = a / b - 1; exit !(a != "" && d < r && d > -r) }'; }

cases=0
for file in "$reference"/jobs/*__fifo_perf__*.csv; do
  name=$(basename -- "$file" .csv)
  run_case "$name" fifo_perf
  expect "$name: makespan $(column "$name" makespan_s)" equal "$makespan" "$(column "$name" makespan_s)"
  expect "$name: every completion time" same_numbers "$file" "$work/jobs.csv"
  cases=$((cases + 1))
done
expect 'three traces were compared' test "$cases" = 3

name=artifact_evaluation__max_min_fairness_perf__2-2-2__seed0
run_case "$name" max_min_fairness_perf
expect 'makespan within 0.1 %' within "$makespan" "$(column "$name" makespan_s)" 0.001
expect 'mean completion time within 0.1 %' within "$mean" "$(column "$name" mean_jct_s)" 0.001

# Small traces, worked out with the original: rows are steps, gang size, arrival.
micro() { # CLUSTER EXPECTED... ROW... with -- between
  local cluster=$1 expected=() i=0
  shift
  while [ "$1" != -- ]; do expected+=("$1"); shift; done
  shift
  : >"$work/micro.trace"
  for row in "$@"; do
    IFS=, read -r steps workers arrival <<<"$row"
    printf 'ResNet-18 (batch size 32)\tc\td\t-n\t0\t%s\t%s\t1\t-1\t%s\n' "$steps" "$workers" \
      "$arrival" >>"$work/micro.trace"
  done
  hsim --policy gavel:objective=fifo_perf:compat=code --trace "$work/micro.trace" \
    --cluster "$cluster" --audit --json --jobs-out "$work/jobs.csv"
  expect_exit 0
  {
    echo job_id,jct_s
    for value in "${expected[@]}"; do
      echo "$i,${value#none}"
      i=$((i + 1))
    done
  } >"$work/expected.csv"
  expect "completion times ${expected[*]}" same_numbers "$work/expected.csv" "$work/jobs.csv"
}
micro v100=4x1 33.3921509941149 19523.392150994114 33.39215099411376 -- 1000,1,500 1000,1,510 1000,1,20000
micro v100=4x1 33.3921509941149 56.7843019882298 -- 1000,1,500 1000,1,510
micro v100=4x1 2003.5290596468944 383.3595387106736 33.39215099411376 -- 60000,1,0 1000,1,10 1000,1,20000
micro v100=1x1,p100=1x1 27.913192777317136 27.913192777319637 45.32638555463927 -- 1000,1,500 1000,1,50000 1000,1,50010.5
micro v100=4x1,p100=4x1 none 2791.3192777317186 -- 3,4,0 100000,1,0
expect 'the job with fewer steps than workers is dropped' grep -q ',dropped,' "$work/jobs.csv"
