#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# hsim bound, and --bound beside the runs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

trace=$SOURCE_DIR/traces/philly.csv

# number NAME: the first figure of that name in the JSON on stdout.
number() {
  sed -n "s/.*\"$1\": *\\([-0-9.e+]*\\|null\\).*/\\1/p" "$out" | head -n 1
}

# distances: the first run's, without blanks.
distances() {
  tr -d ' \n' <"$out" | sed 's/.*"distance_percent":{\([^}]*\)}.*/\1/'
}

at_most() {
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a + 0 <= b + 0) }'
}

# One job whose figures are plain: 600 s at 10 steps a second, alone on its GPU.
cat >"$work/rates.csv" <<'CSV'
gpu_type,model,workers,steps_per_second
fast,m,1,10
fast,m,2,15
CSV
printf 'job_id,arrival_s,model,workers,steps\na,0,m,1,6000\n' >"$work/one.csv"
hsim bound --trace "$work/one.csv" --rates "$work/rates.csv" --cluster fast=1x2 --policy fifo --json
expect_exit 0
expect_out '"schema": "hsim.bound/1"'
expect_out '"rules": "rigid"'
expect_out '"policy": "fifo"'
expect 'the makespan is 600 s' at_most 599.99 "$(number makespan_s)"
expect 'and no more' at_most "$(number makespan_s)" 600
expect 'so is the mean JCT' at_most 599.99 "$(number jct_mean_s)"

# Elastic up to two workers: 15 steps a second; forked: 20. The table names each kind once.
hsim bound --trace "$work/one.csv" --rates "$work/rates.csv" --cluster fast=1x2 --elastic 1:2x
expect_exit 0
for kind in rigid pairs 'mixed types' elastic 'mixed types, copies'; do
  expect_out "$kind"
done
expect_out 'intervals'
hsim bound --trace "$work/one.csv" --rates "$work/rates.csv" --cluster fast=1x2 --elastic 1:2x --json
expect 'elastic in 400 s' grep -qE '"makespan_s": 399\.9' "$out"
expect 'copies in 300 s' grep -qE '"makespan_s": 299\.9' "$out"

# Beside runs: the JSON object and its distances, the second table, nothing without the option.
hsim --policy srtf,hadar:beam=1 --trace "$trace" --limit 60 --bound --json
expect_exit 0
cp -- "$out" "$work/bounded.json"
expect_out '"distance_percent"'
expect_out '"rules": "mixed types"'
bound=$(sed -n '/"bound"/,/}/s/.*"makespan_s": \([0-9.]*\).*/\1/p' "$out" | head -n 1)
expect 'no run is below the bound' at_most "$bound" "$(number makespan_s)"
hsim --policy srtf,hadar:beam=1 --trace "$trace" --limit 60 --bound
expect_exit 0
expect_out 'allowing for'
expect_out 'rigid'
expect_out 'intervals of time'
hsim --policy srtf,hadar:beam=1 --trace "$trace" --limit 60 --json
expect_exit 0
expect 'no bound unless asked for' test "$(grep -c '"bound": {' "$out")" = 0

# A stored result without bounds still matches a call with them, and one with them itself.
cp -- "$out" "$work/plain.json"
hsim --policy srtf,hadar:beam=1 --trace "$trace" --limit 60 --bound --check "$work/plain.json"
expect_exit 0
hsim --policy srtf,hadar:beam=1 --trace "$trace" --limit 60 --bound --check "$work/bounded.json"
expect_exit 0

# The same permissions: the same bounds, whatever else differs.
hsim bound --policy las,srtf,fifo:backfill=1 --trace "$trace" --limit 60 --json
expect 'one bound for three' test "$(grep '"makespan_s"' "$out" | sort -u | wc -l)" = 1

# No distance where jobs are missing: a window, a clock that stops.
for missing in '--measure 10:40' '--until 100000'; do
  # shellcheck disable=SC2086
  hsim --policy srtf --trace "$trace" --limit 60 --bound --json $missing
  expect_exit 0
  expect "no distance with $missing" \
    test "$(distances)" = '"makespan":null,"jct_mean":null,"slowdown_max":null'
done

# A job that nobody can run is in no bound and hides none.
printf 'job_id,arrival_s,model,workers,steps\na,0,m,1,6000\nb,0,m,8,100\n' >"$work/two.csv"
hsim --policy fifo --trace "$work/two.csv" --rates "$work/rates.csv" --cluster fast=1x2 --bound --json
expect_exit 0
expect_out '"rejected": 1'
percent=$(distances | sed 's/"makespan":\([0-9.]*\),.*/\1/')
expect 'the other job is 10 s above the bound' at_most "$percent" 1.67
expect 'and not less' at_most 1.66 "$percent"

# Wrong usage.
hsim bound
expect_exit 2
expect_err '--trace is missing'
hsim bound --trace "$trace" --policy nosuch
expect_exit 2
expect_err 'unknown policy'
hsim bounds --trace "$trace"
expect_exit 2
