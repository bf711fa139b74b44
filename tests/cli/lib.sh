# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of the program share. A test sources this, runs hsim with `hsim ARGUMENTS...`, and
# says what it expects; every unmet expectation is reported with the command and what it printed,
# and the test goes on to its end. Environment: HSIM (the program), SOURCE_DIR (the source tree),
# POLICIES_DIR (the shared objects built from tests/policies), SANITIZE (the
# sanitizers in the build, empty: none).
#
#   hsim --version                 run; the next lines are about this run
#   expect_exit 0
#   expect_out 'fixed text'        somewhere on stdout
#   expect_err 'fixed text'        somewhere on stderr
#   expect_out_line 'whole line'   a line of stdout
#   expect_no_out, expect_no_err   nothing printed there
#   expect_same FILE FILE          the same bytes
#   expect 'what it means' COMMAND...
#
# $out and $err are the files with the last run's output, $work is an empty folder for the test.
set -euo pipefail

: "${HSIM:?the program to test}" "${SOURCE_DIR:?the source tree}"
work=$(mktemp -d)
out=$work/.out
err=$work/.err
failures=0
expectations=0
status=0
command_line='(nothing ran yet)'

run() {
  printf -v command_line '%q ' "$@"
  status=0
  "$@" >"$out" 2>"$err" </dev/null || status=$?
}

hsim() {
  run "$HSIM" "$@"
}

report() {
  failures=$((failures + 1))
  {
    printf 'FAILED %s:%s: %s\n' "$(basename -- "${BASH_SOURCE[2]}")" "${BASH_LINENO[1]}" "$1"
    printf '  command: %s\n  exit: %s\n' "$command_line" "$status"
    [ ! -s "$out" ] || head -n 20 -- "$out" | sed 's/^/  stdout: /'
    [ ! -s "$err" ] || head -n 20 -- "$err" | sed 's/^/  stderr: /'
  } >&2
}

expect_exit() {
  expectations=$((expectations + 1))
  [ "$status" -eq "$1" ] || report "expected exit $1"
}

expect_out() {
  expectations=$((expectations + 1))
  grep -qF -- "$1" "$out" || report "expected on stdout: $1"
}

expect_err() {
  expectations=$((expectations + 1))
  grep -qF -- "$1" "$err" || report "expected on stderr: $1"
}

expect_out_line() {
  expectations=$((expectations + 1))
  grep -qxF -- "$1" "$out" || report "expected a line on stdout: $1"
}

expect_no_out() {
  expectations=$((expectations + 1))
  [ ! -s "$out" ] || report "expected nothing on stdout"
}

expect_no_err() {
  expectations=$((expectations + 1))
  [ ! -s "$err" ] || report "expected nothing on stderr"
}

expect_same() {
  expectations=$((expectations + 1))
  cmp -s -- "$1" "$2" || report "expected the same bytes: $(diff -- "$1" "$2" 2>&1 | head -n 5)"
}

expect() {
  local what=$1
  shift
  expectations=$((expectations + 1))
  "$@" || report "expected: $what"
}

finish() {
  local ended=$?
  rm -rf -- "$work"
  if [ "$ended" -ne 0 ]; then
    echo "the test itself stopped with exit $ended, after: $command_line" >&2
    exit "$ended"
  fi
  echo "$expectations expectations, $failures failed"
  [ "$expectations" -gt 0 ] && [ "$failures" -eq 0 ]
}
trap finish EXIT
