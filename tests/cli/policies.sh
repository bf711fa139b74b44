#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Policies from shared objects that go wrong: each is reported by name with exit 4, and the other
# policies of the call still give their results.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

trace=$SOURCE_DIR/traces/gavel/small_test.trace
bad=$POLICIES_DIR/misbehaves.so

go_wrong() { # DEED MESSAGE
  hsim --policy "fifo,$bad:do=$1" --trace "$trace" --cluster v100=4x4
  expect_exit 4
  expect_err "$2"
  expect_err 'misbehaves'
  expect_out '20/20'
  expect_out 'failed'
}
go_wrong crash 'crashed: signal 6'
go_wrong fail 'it will not'
go_wrong break_plan 'GPUs that do not exist'
go_wrong nothing 'idle for ever'

# What a policy prints is no result.
hsim --policy "$bad:do=print" --trace "$trace" --cluster v100=4x4 --json --audit
expect_exit 0
expect_err 'this is no result'
expect 'stdout is one JSON document' test "$(head -c 1 "$out")" = '{'

hsim --policy "$bad:do=nonsense" --trace "$trace"
expect_exit 2
expect_err 'nonsense'
hsim --policy "$POLICIES_DIR/absent.so" --trace "$trace"
expect_exit 2
expect_err 'absent.so'
hsim --list-policies "$bad"
expect_exit 0
expect_out 'nothing|crash|fail|break_plan|print'

# Two outputs in one file, an output over an input, two documents on one stream.
hsim --policy fifo --trace "$trace" --jobs-out "$work/x" --events-out "$work/./x"
expect_exit 2
expect_err 'two outputs in one file'
cp -- "$trace" "$work/t.trace"
ln -s t.trace "$work/link"
hsim --policy fifo --trace "$work/t.trace" --jobs-out "$work/link"
expect_exit 2
expect_err 'an output over an input'
expect_same "$trace" "$work/t.trace"
hsim --policy fifo --trace "$trace" --json --jobs-out -
expect_exit 2
expect_err 'standard output'
hsim --policy fifo --trace "$trace" --jobs-out -
expect_exit 0
expect 'stdout is the CSV alone' test "$(head -n 1 "$out" | cut -c1-13)" = 'policy,job_id'
expect_err '20/20'

# A call that is stopped takes its children and temporary files with it.
printf 'job_id,arrival_s,model,workers,steps\na,0,CycleGAN,1,4e6\nb,0,CycleGAN,1,4e6\n' >"$work/long.csv"
mkdir "$work/stopped"
"$HSIM" --policy las,tiresias --trace "$work/long.csv" --cluster v100=1x1 --round 0.01 \
  --jobs-out "$work/stopped/j.csv" >"$out" 2>"$err" </dev/null &
pid=$!
command_line='a call that is stopped by SIGTERM'
for _ in $(seq 50); do
  [ -n "$(ls -A "$work/stopped")" ] && break
  sleep 0.1
done
sleep 0.3
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
expect_exit 4
expect_err 'stopped by signal 15'
expect 'no file is left' test -z "$(ls -A "$work/stopped")"
