# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of installations and packages share, on top of the tests of the program. Also from
# the environment: BUILD_DIR (the build tree, in which all is built).
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"

: "${BUILD_DIR:?the build tree}"

# needs COMMAND...: skips the test where one is missing.
needs() {
  local command
  for command in "$@"; do
    if ! command -v -- "$command" >/dev/null; then
      echo "skipped: $command is not installed"
      trap - EXIT
      rm -rf -- "$work"
      exit 77
    fi
  done
}

# An entry of the build's cache.
cached() {
  sed -n "s/^$1:[^=]*=//p" -- "$BUILD_DIR/CMakeCache.txt"
}

# simulate PROGRAM FOLDER OUT [ARGUMENT...]: all outputs of a small run in FOLDER, which has traces/,
# written to OUT.summary and so on.
simulate() {
  local program=$1 folder=$2 to=$3
  shift 3
  [ $# -gt 0 ] || set -- --policy las,hadar:beam=1
  (
    cd -- "$folder"
    "$program" "$@" --trace traces/philly.csv --limit 40 --json --jobs-out "$to.jobs" \
      --events-out "$to.events" --policy-log "$to.log" >"$to.summary"
  )
}

expect_same_results() {
  local kind
  for kind in summary jobs events log; do
    expect "$kind of $2 is not empty" test -e "$2.$kind"
    expect_same "$1.$kind" "$2.$kind"
  done
  expect 'jobs in the results' test "$(wc -l <"$2.jobs")" -gt 40
}
