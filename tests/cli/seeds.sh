#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Several seeds: one row a policy, the same whatever the number of processes; noise; hsim compare.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

trace=$SOURCE_DIR/traces/philly.csv
common=(--policy "las,hadar:beam=1" --trace "$trace" --limit 40)

# The first process that is done is not the first in the document.
for jobs in 1 2 5; do
  hsim "${common[@]}" --seeds 0-3,7 --jobs "$jobs" --json --jobs-out "$work/jobs.$jobs.csv" \
    --events-out "$work/events.$jobs.csv" --series-out "$work/series.$jobs.csv"
  expect_exit 0
  cp -- "$out" "$work/$jobs.json"
done
for jobs in 2 5; do
  for file in jobs events series; do
    expect_same "$work/$file.1.csv" "$work/$file.$jobs.csv"
  done
  expect_same "$work/1.json" "$work/$jobs.json"
done
expect 'seed is the last column' grep -q ',copies,rho,seed$' "$work/jobs.1.csv"
expect '40 rows a policy and seed' test "$(grep -c '^las,.*,7$' "$work/jobs.1.csv")" -eq 40

# Each run is what its seed alone gives.
hsim "${common[@]}" --seed 7 --jobs-out "$work/seven.csv"
expect_exit 0
grep '^las,.*,7$' "$work/jobs.1.csv" | sed 's/,7$//' >"$work/from-seeds.csv"
grep '^las,' "$work/seven.csv" >"$work/from-seed.csv"
expect_same "$work/from-seeds.csv" "$work/from-seed.csv"

hsim "${common[@]}" --seeds 0-3,7 --check "$work/1.json" --junit "$work/junit.xml"
expect_exit 0
expect_out 'ratio to'
expect_out '±'
expect_out '5 seeds'
expect 'a case for each run and one for all' grep -q '<testsuites tests="11" failures="0">' \
  "$work/junit.xml"
hsim "${common[@]}" --seeds 0-2 --restart-cost 60 --check "$work/1.json" --junit "$work/junit.xml"
expect_exit 3
expect 'the failures are there' grep -q 'makespan_s: baseline' "$work/junit.xml"

# A trace that names its models, and no noise: nothing depends on the seed.
hsim --policy fifo --trace "$SOURCE_DIR/tests/data/input/gavel10.trace" --seeds 0-2
expect_exit 0
expect_err 'all seeds gave fifo the same result'
hsim --policy fifo --trace "$SOURCE_DIR/tests/data/input/gavel10.trace" --seeds 0-2 --shake 5%
expect_exit 0
expect_no_err
hsim --policy fifo --trace "$SOURCE_DIR/tests/data/input/gavel10.trace" --shake 5% --json
expect_out '"shake": 0.05'

# Saved documents of one seed each say what --seeds says.
for seed in 0 1 2; do
  hsim "${common[@]}" --seed "$seed" --json
  cp -- "$out" "$work/seed$seed.json"
done
hsim "${common[@]}" --seeds 0-2 --json
cp -- "$out" "$work/seeds.json"
hsim compare "$work/seed0.json" "$work/seed1.json" "$work/seed2.json"
expect_exit 0
cp -- "$out" "$work/files.txt"
hsim compare "$work/seeds.json"
expect_exit 0
expect_same "$out" "$work/files.txt"
hsim compare "$work/seed0.json" "$work/seed1.json" --json
expect_exit 0
expect_out '"schema": "hsim.comparison/1"'
hsim compare "$work/seed0.json" "$work/seed0.json"
expect_exit 0
expect_out "las ($work/seed0.json)"

# Runs that differ in more than their seed stay apart, and what differs is said.
for options in '--scale-arrivals 0.5' '--until 100000' '--from 100' '--reference-gpu k80' '--rebase' \
  '--tenant 6214e9' '--assign uniform' '--elastic 1:4' '--restart-cost 60' '--mtbf 100'; do
  read -r -a words <<<"$options"
  hsim "${common[@]}" --seed 1 "${words[@]}" --json
  expect_exit 0
  cp -- "$out" "$work/other.json"
  hsim compare "$work/seed0.json" "$work/other.json"
  expect_exit 0
  expect_out "las ($work/other.json)"
  expect_out "$work/other.json differs from $work/seed0.json in"
  hsim "${common[@]}" --check "$work/other.json" --seed 1
  expect_exit 3
done
hsim "${common[@]}" --seeds 0,1 --scale-arrivals 0.5 --shake 10% --until 9e5 --tenant 6214e9
expect_out 'shaken by 10 %'
expect_out 'scale-arrivals 0.5'
expect_out 'until 900000 s'
hsim bound --trace "$trace" --check "$work/1.json"
expect_exit 2

# Bounds follow the seed, too.
hsim "${common[@]}" --limit 15 --seeds 0,1 --bound
expect_exit 0
expect_out 'bounds of'

# What the seed changes is read again, which a pipe cannot give.
run bash -c '"$1" --policy las --trace - --seeds 0,1 <"$2"' - "$HSIM" "$trace"
expect_exit 2
expect_err 'standard input cannot be'
run bash -c '"$1" --policy las --trace <(cat "$2") --limit 20 --seeds 0,1 --json' - "$HSIM" "$trace"
expect_exit 1

# A policy that fails with one seed is named with it; the others stand.
hsim --policy las --trace "$trace" --seeds 0,0
expect_exit 2
expect_err 'option --seeds: value "0,0"'
hsim --policy las --trace "$trace" --seeds 0 --seed 1
expect_exit 2
expect_err 'exclude each other'
hsim bound --trace "$trace" --seeds 0,1
expect_exit 2
hsim --policy las --trace "$trace" --junit "$work/x.xml"
expect_exit 2
expect_err '--junit goes with --check'
hsim "${common[@]}" --check "$work/1.json" --junit "$work/1.json"
expect_exit 2
expect_err 'an output over an input'
hsim "${common[@]}" --check "$work/1.json" --junit "$work/x.csv" --jobs-out "$work/x.csv"
expect_exit 2
expect_err 'two outputs in one file'
hsim --policy las --trace "$trace" --shake 100%
expect_exit 2
expect_err 'option --shake'
hsim compare
expect_exit 2
sed 's/"makespan_s": [0-9.]*/"makespan_s": "soon"/' "$work/seed0.json" >"$work/damaged.json"
hsim compare "$work/damaged.json"
expect_exit 1
expect_err "damaged.json: key runs[0].makespan_s: \"soon\", expected a number or null"
hsim compare "$work/absent.json"
expect_exit 1
expect_err 'absent.json'
hsim compare "$trace"
expect_exit 1
expect_err 'not valid JSON'
