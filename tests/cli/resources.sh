#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the program gets from the system runs out: disk, file size, standard streams, readers,
# memory, or its own life. It ends with a message, and files are the old or the new ones.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

trace=$SOURCE_DIR/traces/philly.csv
words=(--policy 'las,fifo' --trace "$trace" --limit 200)
hsim "${words[@]}" --events-out "$work/new.csv" --json
expect_exit 0
cp -- "$out" "$work/new.json"
old=$'old\n'

expect_old_file() {
  expect 'the file is as it was' test "$(cat -- "$work/e.csv"; echo .)" = "$old."
  expect 'nothing else is left' test "$(find "$work" -name '.*.csv*' | wc -l)" = 0
}

# ---- disk ----

# Files may not grow beyond 8 KiB, which is a signal by default.
printf %s "$old" >"$work/e.csv"
run bash -c 'ulimit -f 8 && "$@"' _ "$HSIM" "${words[@]}" --events-out "$work/e.csv"
expect_exit 4
expect_err 'cannot write: File too large'
expect_old_file

# A file system of 64 KiB of its own, where that is allowed.
if unshare -rm true 2>/dev/null && unshare -rm mount -t tmpfs none "$work" 2>/dev/null; then
  # shellcheck disable=SC2016 # for the inner bash
  run unshare -rm bash -c '
    mkdir "$1/small" && mount -t tmpfs -o size=64k none "$1/small" && cd "$1/small" && shift || exit 99
    printf "old\n" >e.csv
    "$@" --events-out e.csv
    code=$?
    [ "$(cat e.csv)" = old ] || exit 98
    [ "$(ls -A)" = e.csv ] || exit 97
    exit "$code"' _ "$work" "$HSIM" "${words[@]}"
  expect_exit 4
  expect_err 'e.csv: cannot write: No space left on device'
else
  echo 'not tested: a full file system (no right to mount one)'
fi

# ---- standard streams ----

for streams in '>&-' '2>&-' '<&-' '>&- 2>&-' '>&- 2>&- <&-'; do
  printf %s "$old" >"$work/e.csv"
  run bash -c "\"\$@\" $streams" _ "$HSIM" "${words[@]}" --events-out "$work/e.csv" --json
  case $streams in
    *'>&-'*)
      if [[ $streams == '2>&-' ]]; then
        expect_exit 0
        expect_same "$work/new.json" "$out"
      else
        expect_exit 4
      fi
      ;;
    *) expect_exit 0 ;;
  esac
  expect_same "$work/new.csv" "$work/e.csv" # it was whole before the summary was due
done

# A reader that goes: at once, and after some of it.
for reader in true 'head -c 1000 >/dev/null'; do
  printf %s "$old" >"$work/e.csv"
  run bash -c 'reader=$1; shift; set -o pipefail; "$@" --events-out - | eval "$reader"' _ "$reader" \
    "$HSIM" "${words[@]}" --jobs-out "$work/e.csv"
  expect_exit 4
  expect_err 'cannot write: Broken pipe'
done
run bash -c 'set -o pipefail; "$@" | (exec <&-; sleep 0.5)' _ "$HSIM" "${words[@]}" --json
expect_exit 4
expect_err 'standard output: Broken pipe'

# ---- memory ----

if [ -z "${SANITIZE:-}" ]; then
  ends_well() { # exit 0, or a message
    [ "$status" -eq 0 ] || { [ "$status" -eq 4 ] && grep -q '^hsim: ' "$err"; }
  }
  worked=0
  for ((kib = 12000; kib < 400000; kib += kib / 6)); do
    bash -c 'ulimit -v "$1" && "$2" --version' _ "$kib" "$HSIM" >/dev/null 2>&1 || continue
    printf %s "$old" >"$work/e.csv"
    run bash -c 'ulimit -v "$1" && shift && "$@"' _ "$kib" "$HSIM" --policy las,gavel \
      --trace "$trace" --limit 20 --jobs-out "$work/e.csv"
    expect "with $kib KiB it works or says why not" ends_well
    if [ "$status" -eq 0 ]; then
      worked=$((worked + 1))
      expect 'the file is whole' test "$(wc -l <"$work/e.csv")" = 41
    fi
  done
  expect 'it works with enough' test "$worked" -gt 0
fi

# ---- kill -9 ----

is_old_or_new() {
  cmp -s -- "$work/e.csv" "$work/new.csv" || [ "$(cat -- "$work/e.csv")" = old ]
}
for ((ms = 0; ms < 300; ms += 20)); do
  printf %s "$old" >"$work/e.csv"
  command_line="kill -9 after $ms ms"
  "$HSIM" "${words[@]}" --events-out "$work/e.csv" --json >"$out" 2>"$err" </dev/null &
  pid=$!
  sleep "0.$(printf %03d "$ms")"
  kill -KILL "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  expect 'the file is the old or the new one' is_old_or_new
done
no_child_lives() {
  local file arguments
  for file in /proc/[0-9]*/cmdline; do
    { mapfile -d '' arguments <"$file"; } 2>/dev/null || continue
    [[ ${arguments[0]:-} != "$HSIM" || " ${arguments[*]} " != *" $work/e.csv "* ]] || return 1
  done
}
for _ in $(seq 200); do # the system ends them, but not in the same moment
  no_child_lives && break
  sleep 0.05
done
command_line='after kill -9'
expect 'no child survives' no_child_lives
