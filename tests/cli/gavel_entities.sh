#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Hierarchical fairness through the whole program: tenants of a trace become entities with weights.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

cat >"$work/jobs.csv" <<'END'
job_id,arrival_s,model,workers,steps,tenant
a1,0,any,1,100000,alice
a2,0,any,1,100000,alice
b1,0,any,1,100000,bob
b2,0,any,1,100000,bob
END
printf 'model,gpu_type,workers,steps_per_second\nany,gpu,1,1\n' >"$work/rates.csv"

# run_with ENTITIES [OPTION...]
run_with() {
  printf '%b' "$1" >"$work/entities.csv"
  shift
  hsim --policy "gavel:objective=max_min_fairness_water_filling_perf:entities=$work/entities.csv$*" \
    --trace "$work/jobs.csv" --cluster gpu=1x1 --rates "$work/rates.csv" --audit \
    --jobs-out "$work/out.csv"
}

finish_of() {
  awk -F, -v id="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["job_id"] == id { print $at["finish_s"] }' "$work/out.csv"
}
before() { awk -v a="$(finish_of "$1")" -v b="$(finish_of "$2")" 'BEGIN { exit !(a + 0 < b + 0) }'; }

# One GPU; bob has three times alice's weight, and serves his jobs in order.
run_with 'tenant,weight,mode\nalice,1,fairness\nbob,3,fifo\n'
expect_exit 0
expect 'bob, who gets more, serves his first job first' before b1 b2
expect 'b1 has three quarters and is the first of all' before b1 a1
expect 'b2 waits for b1 and still gets more than either of alice' before b2 a1
run_with 'tenant,weight,mode\nalice,3,fifo\nbob,1,\n'
expect_exit 0
expect 'now a1 is the first' before a1 b1
expect 'and a2 is before b1' before a2 b1
run_with 'tenant\nalice\nbob\n'
expect_exit 0
run_with 'tenant,weight,mode\nalice,1,fairness\nbob,3,fifo\n' :compat=code
expect_exit 0

run_with 'tenant,weight,mode\nalice,1,fairness\nbob,3,lottery\n'
expect_exit 1
expect_err 'entities.csv:3:'
expect_err 'lottery'
expect_err 'fairness or fifo'
run_with 'tenant,weight\nalice,1\nbob,3\nalice,2\n'
expect_exit 1
expect_err 'entities.csv:4:'
expect_err 'each tenant once'
run_with 'tenant,weight\nalice,0\nbob,3\n'
expect_exit 1
expect_err 'entities.csv:2:'
expect_err 'weight'
run_with 'tenant,weight\nalice,1\n'
expect_exit 1
expect_err 'entities.csv: does not name the tenant "bob" of the trace'
run_with 'weight\n1\n'
expect_exit 1
expect_err 'tenant'
run_with 'tenant,weight\n'
expect_exit 1
expect_err 'names no entity'

# A job that belongs to nobody is found when it arrives.
sed -i 's/bob$//' "$work/jobs.csv"
run_with 'tenant,weight\nalice,1\nbob,1\n'
expect_exit 4
expect_err 'job b1 has no tenant'
