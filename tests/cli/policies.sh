#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Policies from shared objects that go wrong: each is reported by name with exit 4, and the other
# policies of the call still give their results.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

trace=$SOURCE_DIR/traces/gavel/small_test.trace
bad=$POLICIES_DIR/misbehaves.so

# Descriptors that the test itself has inherited are none of the policy's business.
closed_descriptors() {
  run bash -c 'for fd in {3..254}; do eval "exec $fd>&-"; done; exec "$@"' _ "$HSIM" "$@"
}
go_wrong() { # DEED MESSAGE OPTION...
  local deed=$1 message=$2
  shift 2
  echo old >"$work/jobs.csv"
  closed_descriptors --policy "fifo,$bad:do=$deed" --trace "$trace" --cluster v100=4x4 \
    --jobs-out "$work/jobs.csv" "$@"
  expect_exit 4
  expect_err "$message"
  expect_err 'misbehaves'
  expect_out '20/20'
  expect_out 'failed'
  expect 'the other policy has its rows, this one none' \
    test "$(grep -c '^fifo,' "$work/jobs.csv") $(wc -l <"$work/jobs.csv")" = '20 21'
}
go_wrong crash 'crashed: signal 6'
go_wrong fail 'it will not'
go_wrong fail_oddly 'no reason given'
go_wrong break_plan 'GPUs that do not exist'
go_wrong nothing 'idle for ever'
go_wrong exit 'ended without a result (exit status 0)'
go_wrong exit_late 'ended without a result (exit status 0)'
go_wrong close 'ended without a result'
go_wrong scribble "wrote to a descriptor of hsim's own"
if [ -z "${SANITIZE:-}" ]; then # the sanitizer makes an exit of its own of it
  go_wrong segv 'crashed: signal 11'
fi
hsim --policy "fifo,$bad:do=hang,$bad:do=hang_create,$bad:do=hang_destroy,$bad:do=close_hang" \
  --trace "$trace" --cluster v100=4x4 --jobs 5 --policy-timeout 5 --jobs-out "$work/jobs.csv"
expect_exit 4
expect 'each of them is stopped' \
  test "$(grep -c 'misbehaves.so: did not end within 5 s (--policy-timeout)$' "$err")" = 4
expect_out '20/20'
expect 'the other policy has its rows' test "$(wc -l <"$work/jobs.csv")" = 21
go_wrong eat 'needed more than 300 MB (--policy-memory)' --policy-memory 300 --jobs 1

# Limits that are not reached change nothing; a limit for all is no limit for their sum.
for limits in '' '--policy-timeout 1000 --policy-memory 2000'; do
  read -r -a words <<<"$limits"
  hsim --policy fifo,las,srtf --trace "$trace" --cluster v100=4x4 --json "${words[@]}"
  expect_exit 0
  cp -- "$out" "$work/limits.${#words[@]}"
done
expect_same "$work/limits.0" "$work/limits.4"
for wrong in '--policy-timeout 0' '--policy-timeout x' '--policy-memory 0.5' '--policy-memory 1G'; do
  read -r -a words <<<"$wrong"
  hsim --policy fifo --trace "$trace" "${words[@]}"
  expect_exit 2
  expect_err "${words[0]}: value \"${words[1]}\": expected a number of"
done

# A process that a policy leaves behind holds nobody up.
hsim --policy "$bad:do=helper" --trace "$trace" --cluster v100=4x4
expect_exit 0
expect_out '20/20'
expect 'the process is still there' kill "$(sed -n 's/^helper //p' "$err")"

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
expect_out 'nothing crash segv fail'

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
