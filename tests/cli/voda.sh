#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The policy voda from the command line: its algorithms side by side, its figures, its log, wrong
# options, and the script that reproduces the author's runs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

lab=(--trace "$SOURCE_DIR/traces/voda/run_1.csv" --cluster gtx1080ti=3x4
  --rates "$SOURCE_DIR/configs/rates/voda.csv" --speedups "$SOURCE_DIR/configs/speedups/voda.csv"
  --costs voda --semantics default:spread=ignore --audit)
settings=rate_limit=120:threshold=1800:promote=4:compaction=4

every=''
for algorithm in fifo elastic_fifo srjf elastic_srjf tiresias elastic_tiresias ffdl afs_l; do
  for compat in fixed code code2021; do
    every+=${every:+,}voda:algorithm=$algorithm:$settings:compat=$compat
  done
done
hsim --policy "$every" "${lab[@]}" --json --jobs-out "$work/jobs.csv"
expect_exit 0
expect 'all jobs of all runs finish' test "$(grep -c ',finished,' "$work/jobs.csv")" -eq $((24 * 24))
expect_out '"workers_migrated"'
expect_out '"full_restarts"'
expect_out '"longest_wait_s"'
cp -- "$out" "$work/first.json"
hsim --policy "$every" "${lab[@]}" --json --jobs-out "$work/again.csv" --jobs 1
expect_same "$out" "$work/first.json"
expect_same "$work/jobs.csv" "$work/again.csv"

# Random choices follow the seed and nothing else.
hsim --policy "voda:tie=random" "${lab[@]}" --json --seed 1
cp -- "$out" "$work/one.json"
hsim --policy "voda:tie=random" "${lab[@]}" --json --seed 1
expect_same "$out" "$work/one.json"
hsim --policy "voda:tie=random" "${lab[@]}" --json --seed 2
expect 'another seed gives other figures' test "$(grep workers_migrated "$out")" != \
  "$(grep workers_migrated "$work/one.json")"

hsim --policy voda "${lab[@]}" --policy-log "$work/log.jsonl" --quiet
expect_exit 0
expect 'a line a rescheduling' grep -q '"event":"rescheduling","pool":0' "$work/log.jsonl"

hsim --policy voda:algorithm=elastic_fife "${lab[@]}"
expect_exit 2
expect_err 'elastic_fifo'
hsim --policy voda:rate_limit=-1 "${lab[@]}"
expect_exit 2
expect_err 'rate_limit'
hsim --list-policies voda
expect_exit 0
expect_out 'afs_l'

run "$SOURCE_DIR/scripts/reproduce/voda" --program "$HSIM" scenario
expect_exit 0
expect_out 'hard, afs_l'
expect 'one figure outside the bands' test "$(grep -c '[0-9]! ' "$out")" -eq 1
run "$SOURCE_DIR/scripts/reproduce/voda" nonsense
expect_exit 2
