#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Nth allocation, write, rename... fails, for each N: the program ends by itself with a message
# and a documented code, 0 only with its whole output, and each file is the old or the new one.
# HSIM_SWEEP=full tries each N where a test run skips some.
[ -w /dev/shm ] && export TMPDIR=/dev/shm # each run syncs its files, which is slow on a disk
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

if [ -n "${SANITIZE:-}" ]; then
  echo 'skipped: a sanitizer has its own malloc and has to be loaded before all others'
  exit 77
fi

trace=$SOURCE_DIR/traces/gavel/small_test.trace
tried=0
reference='' # what a whole output is

# with_failure ORDER PROGRAM...: see tests/faults/fail_nth.c
with_failure() {
  local order=$1
  shift
  tried=$((tried + 1))
  run env LD_PRELOAD="$FAIL_NTH" HSIM_FAIL="$order" "$@"
  command_line="HSIM_FAIL=$order $command_line"
}

# most KIND PROGRAM...: calls of that kind in the process that makes most
most() {
  local kind=$1
  shift
  rm -f -- "$work/counts"
  env LD_PRELOAD="$FAIL_NTH" HSIM_FAIL_COUNTS="$work/counts" "$@" >"$work/counted" 2>&1 </dev/null
  awk -v kind="$kind" '$1 == kind && $2 > most { most = $2 } END { print most + 0 }' "$work/counts"
}

# From n to the next number to try: each of the first ones, then ever fewer.
advance() {
  if [ "${HSIM_SWEEP:-}" = full ] || [ "$n" -lt 6 ]; then
    n=$((n + 1))
  else
    n=$((n + n / 2))
  fi
}

# There are hundreds of these: bash reads the files itself, without a process.
read_file() { # VARIABLE FILE
  IFS= read -r -d '' "$1" <"$2" || true
}

is_one_of() { # TEXT TEXT...
  local text=$1 other
  shift
  for other in "$@"; do
    [ "$text" != "$other" ] || return 0
  done
  return 1
}
says_why() {
  local text
  read_file text "$err"
  [[ $'\n'$text == *$'\nhsim: '?* ]]
}
prints_all() {
  local text
  read_file text "$out"
  [ "$text" = "$reference" ]
}

expect_clean_end() {
  expect 'a documented exit code' is_one_of "$status" 0 1 2 4
  if [ "$status" -ne 0 ]; then
    expect 'a message' says_why
  fi
}

# ---- a run with files ----

declare -A whole # contents by file and policies
files=(jobs events)
run_words=("$HSIM" --policy 'fifo,gavel' --trace "$trace" --limit 8 --cluster v100=2x2 --json
  --jobs-out "$work/jobs.csv" --events-out "$work/events.csv" --jobs 2)
for policies in fifo gavel fifo,gavel; do
  run_words[2]=$policies
  run "${run_words[@]}"
  expect_exit 0
  for file in "${files[@]}"; do
    read_file content "$work/$file.csv"
    whole[$file $policies]=$content
  done
done
read_file reference "$out"

expect_whole_files() {
  local file content
  for file in "${files[@]}"; do
    read_file content "$work/$file.csv"
    if [ "$status" -eq 0 ]; then
      expect "$file.csv is whole" test "$content" = "${whole[$file fifo,gavel]}"
    else
      expect "$file.csv is the old or the new file" is_one_of "$content" $'old\n' \
        "${whole[$file fifo]}" "${whole[$file gavel]}" "${whole[$file fifo,gavel]}"
    fi
  done
  if [ "$status" -eq 0 ]; then
    expect 'the summary is whole' prints_all
  fi
  expect 'nothing else is left' no_other_files
}
no_other_files() {
  ! compgen -G "$work/.*.csv.*" >/dev/null
}

put_old() {
  local file
  for file in "${files[@]}"; do
    echo old >"$work/$file.csv"
  done
}

for order in memory open read write write+ write::5 fsync close rename seek temp \
  status process pipe map signals poll; do
  IFS=: read -r kind more number <<<"${order/+/:+:}"
  limit=$(most "$kind" "${run_words[@]}")
  expect "there are calls of the kind $kind" test "$limit" -gt 0
  for ((n = 1; n <= limit;)); do
    put_old
    with_failure "$kind:$n$more${number:+:$number}" "${run_words[@]}"
    expect_clean_end
    expect_whole_files
    advance
  done
done

# What is only slow or interrupted (EINTR, 4) is no failure.
for order in short:0 read:1:4 read:5:4 write:1:4 write:2:4 write:3:4 poll:1:4 poll:2:4; do
  put_old
  with_failure "$order" "${run_words[@]}"
  expect_exit 0
  expect_whole_files
done

# ---- other commands: allocations of the libraries, too ----

sweep_memory() { # PROGRAM...: what it prints is whole, or it fails
  local limit n
  run "$@"
  expect_exit 0
  read_file reference "$out"
  limit=$(most memory "$@")
  for ((n = 1; n <= limit;)); do
    with_failure "memory:$n" "$@"
    expect_clean_end
    if [ "$status" -eq 0 ]; then
      expect 'the output is whole' prints_all
    fi
    advance
  done
}
sweep_memory "$HSIM" bound --trace "$trace" --limit 6 --cluster v100=2x2
sweep_memory "$HSIM" generate --preset voda --jobs 12
sweep_memory "$HSIM" generate --preset themis --jobs 12
sweep_memory "$HSIM" inspect "$trace" --json
sweep_memory "$HSIM" convert "$SOURCE_DIR/traces/philly.csv" --to gavel --limit 8
gzip -c "$SOURCE_DIR/traces/philly.csv" >"$work/philly.csv.gz"
sweep_memory "$HSIM" --list-policies
"$HSIM" --policy fifo --trace "$trace" --limit 4 --json >"$work/stored.json"
sweep_memory "$HSIM" --policy fifo --trace "$trace" --limit 4 --check "$work/stored.json"
sweep_memory "$HSIM" --policy las --trace "$work/philly.csv.gz" --limit 4 \
  --cluster "$SOURCE_DIR/configs/clusters/hadar.json"
sweep_memory "$HSIM" --policy themis --trace "$trace" --limit 6 --cluster v100=2x2 --json
sweep_memory "$HSIM" --policy hadar:dual=exact --trace "$trace" --limit 6 \
  --cluster v100=2x2 --json
echo "$tried runs with a failure"
