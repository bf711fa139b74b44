#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --timeline: the file keeps the rules of the trace event format and agrees with the summary, for
# gangs that move, share GPUs, fork, lose nodes, and when a policy of the call fails.
# shellcheck source=tests/cli/lib/python.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/python.sh"
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
check=$SOURCE_DIR/tests/cli/lib/check_timeline.py
philly=(--trace "$SOURCE_DIR/traces/philly.csv" --limit 80)
example=(--trace "$SOURCE_DIR/docs/examples/jobs.csv" --cluster "$SOURCE_DIR/docs/examples/lab.json"
  --rates "$SOURCE_DIR/docs/examples/rates.csv" --reference-gpu fast)

timeline() { # EXIT ARGUMENTS...
  local code=$1
  shift
  hsim "$@" --json --timeline "$work/timeline.json"
  expect_exit "$code"
  cp -- "$out" "$work/summary.json"
  run "$python" "$check" "$work/timeline.json" "$work/summary.json"
  expect_exit 0
  expect_no_out
  expect_no_err
}

timeline 0 --policy las "${example[@]}"
cp -- "$work/timeline.json" "$work/one.json"
timeline 0 --policy fifo,las,hadar:beam=1,hadare:beam=1 "${philly[@]}"
expect 'several processes of the policies' grep -qF '"name":"hadare:beam=1: n0"' "$work/timeline.json"
timeline 0 --policy gavel:objective=max_min_fairness_packed \
  --trace "$SOURCE_DIR/traces/gavel/small_test.trace" --cluster v100=2x1,p100=2x1,k80=2x1
expect 'GPUs are shared' grep -qF '(shared)' "$work/timeline.json"
timeline 0 --policy las "${philly[@]}" --mtbf 24 --mttr 4
expect 'nodes go down' grep -qF '"cat":"node","name":"down"' "$work/timeline.json"

# Several seeds stand side by side.
timeline 0 --policy las,fifo --seeds 1,2 "${philly[@]}"
expect 'a process says its seed' grep -qF '"name":"fifo seed 2: n0"' "$work/timeline.json"

# A call that ends before its jobs do.
timeline 0 --policy las "${philly[@]}" --until 200000

# The same bytes with any number of processes.
timeline 0 --policy fifo,las "${philly[@]}" --jobs 1
cp -- "$work/timeline.json" "$work/serial.json"
timeline 0 --policy fifo,las "${philly[@]}" --jobs 4
expect_same "$work/timeline.json" "$work/serial.json"

# A run that fails has no part in it: the first, one in the middle, the last.
bad=$POLICIES_DIR/misbehaves.so:do=crash
for policies in "$bad,las" "las,$bad,fifo" "las,$bad"; do
  timeline 4 --policy "$policies" "${example[@]}"
done
cp -- "$work/timeline.json" "$work/kept.json"
expect_same "$work/kept.json" "$work/one.json"

# The checker sees what is wrong.
broken() { # SED-PROGRAM MESSAGE
  sed "$1" "$work/one.json" >"$work/broken.json"
  run "$python" "$check" "$work/broken.json" "$work/summary.json"
  expect_exit 1
  expect_out "$2"
}
hsim --policy las "${example[@]}" --json
cp -- "$out" "$work/summary.json"
broken '0,/"dur":[0-9]*/s//"dur":99999999999/' 'overlap'
broken '0,/"dur":[0-9]*/s//"dur":1/' 'GPU-seconds'
broken '/"tid":2,"name":"thread_name"/d' 'track 2 has no name'
broken 's/"GPUs":0/"GPUs":"0"/' 'counter'
