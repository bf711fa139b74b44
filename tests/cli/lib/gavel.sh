# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of gavel:compat=code against Gavel's own results share; after lib.sh. A case is
# named as in tests/reference/gavel/README.md: TRACE__OBJECTIVE__V100-P100-K80__seedN.

reference=$SOURCE_DIR/tests/reference/gavel

# Equal as doubles, whatever the digits: both columns are read by the same awk.
same_numbers() {
  awk -F, '
    FNR == 1 { for (i = 1; i <= NF; i++) { if ($i == "job_id") id = i; if ($i == "jct_s") jct = i }
               next }
    NR == FNR { wanted[$id] = $jct; n++; next }
    { seen++
      if (!($id in wanted) || wanted[$id] "" == "" ? $jct "" != "" : wanted[$id] + 0 != $jct + 0) {
        print "job " $id ": " $jct " instead of " wanted[$id]; bad = 1 } }
    END { exit bad || n != seen || n == 0 }' "$1" "$2"
}

# The objective of a case.
objective_of() {
  local rest=${1#*__}
  echo "${rest%%__*}"
}

# gavel_case NAME [:OPTIONS]: runs it, its jobs in $work/jobs.csv, its policy log in
# $work/policy.log; sets $makespan and $mean from the summary.
gavel_case() {
  local name=$1 v100 p100 k80 counts=${1%__seed*} flat type cluster=''
  IFS=- read -r v100 p100 k80 <<<"${counts##*__}"
  for type in "v100=$v100" "p100=$p100" "k80=$k80"; do
    [ "${type#*=}" = 0 ] || cluster+=${cluster:+,}${type}x1
  done
  hsim --policy "gavel:objective=$(objective_of "$name"):compat=code${2:-}" \
    --trace "$SOURCE_DIR/traces/gavel/${name%%__*}.trace" --cluster "$cluster" \
    --seed "${name##*__seed}" --audit --json --jobs-out "$work/jobs.csv" \
    --policy-log "$work/policy.log"
  expect_exit 0
  flat=$(tr -d ' \n' <"$out")
  makespan=$(sed -n 's/.*"end_s":\([0-9.e+]*\),.*/\1/p' <<<"$flat")
  # shellcheck disable=SC2034 # for the caller
  mean=$(sed -n 's/.*"jct_s":{"mean":\([0-9.e+]*\),.*/\1/p' <<<"$flat")
}

exact() { # NAME COLUMN of exact.csv
  awk -F, -v name="$1" -v column="$2" '
    { sub(/\r$/, "") }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["name"] == name { print $at[column] }' "$reference/exact.csv"
}

equal() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a + 0 == b + 0) }'; }
within() { awk -v a="$1" -v b="$2" -v r="$3" 'BEGIN { d = a / b - 1; exit !(a != "" && d < r && d > -r) }'; }
