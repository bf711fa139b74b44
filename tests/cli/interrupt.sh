#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Ctrl-C: the first one ends each run after its round, with all that is known until then; the second
# ends at once and leaves the files as they were.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Two jobs that take turns in hundreds of millions of rounds.
printf 'job_id,arrival_s,model,workers,steps\na,0,CycleGAN,1,4e6\nb,0,CycleGAN,1,4e6\nc,1e9,CycleGAN,1,1\n' \
  >"$work/long.csv"
long=(--trace "$work/long.csv" --cluster v100=1x1 --round 0.01 --restart-cost 0 --progress)

# begin COMMAND...: in the background; on return its runs are under way.
begin() {
  echo old >"$work/jobs.csv"
  echo old >"$work/events.csv"
  command_line=$(printf '%q ' "$@")
  : >"$err"
  "$@" >"$out" 2>"$err" </dev/null &
  pid=$!
  until grep -q ' jobs, day' "$err"; do
    kill -0 "$pid" || break
    sleep 0.02
  done
}
await() {
  status=0
  wait "$pid" || status=$?
  expect 'no other file is left' test "$(find "$work" -name '.*s.csv*' | wc -l)" = 0
}
files=(--jobs-out "$work/jobs.csv" --events-out "$work/events.csv" --audit)

expect_partial() { # NUMBER of runs
  expect_exit 130
  expect_err 'hsim: interrupted: each run ends after its present round'
  expect 'every run says so' test "$(grep -c '"interrupted": true' "$out")" = "$1"
  expect 'all jobs are unfinished' test "$(grep -c '"unfinished": 3' "$out")" = "$1"
  expect 'a row a job' test "$(grep -c ',unfinished,' "$work/jobs.csv")" = $((3 * $1))
  expect 'no other rows' test "$(wc -l <"$work/jobs.csv")" = $((3 * $1 + 1))
  expect 'whole events' test "$(awk -F, 'NF != 9' "$work/events.csv" | wc -l)" = 0
}

# Only the program itself is told, as by kill.
begin "$HSIM" --policy las,tiresias "${long[@]}" "${files[@]}" --json --jobs 2
kill -INT "$pid"
await
expect_partial 2

# The whole group is told, as by a terminal.
begin setsid "$HSIM" --policy las,tiresias "${long[@]}" "${files[@]}" --json --jobs 2
kill -INT -- "-$pid"
await
expect_partial 2

# Runs that have not begun come out empty.
begin "$HSIM" --policy las,tiresias,fifo "${long[@]}" "${files[@]}" --json --jobs 1
kill -INT "$pid"
await
expect_partial 3

# The table says so, and the code is this one even when another run has failed.
begin "$HSIM" --policy "las,$POLICIES_DIR/misbehaves.so:do=fail" "${long[@]}" "${files[@]}" --jobs 2
until grep -q ' 1 done' "$err"; do
  sleep 0.02
done
kill -INT "$pid"
await
expect_exit 130
expect_out 'las: interrupted at '
expect_out 'las: 3 jobs unfinished'
expect_out 'misbehaves.so failed: '

# Once more: nothing has happened to the files. The policy is one that does not hear the first.
begin "$HSIM" --policy "las,$POLICIES_DIR/misbehaves.so:do=hang" "${long[@]}" "${files[@]}" --jobs 2
until grep -q 'misbehaves: hangs' "$err"; do
  sleep 0.02
done
kill -INT "$pid"
until grep -q 'once more ends at once' "$err"; do
  sleep 0.02
done
sleep 0.2 # sooner it would be taken for the same one
kill -INT "$pid"
await
expect_exit 130
expect_err 'hsim: stopped by signal 2'
expect_no_out
expect 'the files are as they were' test "$(cat "$work/jobs.csv" "$work/events.csv")" = $'old\nold'

# Other signals end at once.
for name in TERM HUP; do
  begin "$HSIM" --policy las,tiresias "${long[@]}" "${files[@]}" --jobs 2
  kill -"$name" "$pid"
  await
  expect_exit 4
  expect_err 'stopped by signal'
  expect_no_out
  expect 'the file is as it was' test "$(cat "$work/jobs.csv")" = old
done

# nohup is heard.
begin nohup "$HSIM" --policy las "${long[@]}" "${files[@]}" --jobs 2
kill -HUP "$pid"
kill -INT "$pid"
await
expect_exit 130
expect_out 'las: interrupted at '

# No child is left of a program that is killed outright.
begin "$HSIM" --policy las,tiresias "${long[@]}" "${files[@]}" --jobs 2
children=$(cat "/proc/$pid/task/$pid/children")
expect 'there are two' test "$(wc -w <<<"$children")" = 2
kill -KILL "$pid"
status=0
wait "$pid" || status=$?
expect_exit 137
for child in $children; do
  until [ ! -e "/proc/$child" ] || grep -q '^State:.[ZX]' "/proc/$child/status"; do
    sleep 0.02
  done
done
expect 'the file is as it was' test "$(cat "$work/jobs.csv")" = old
