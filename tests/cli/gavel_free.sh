#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# gavel:compat=code with shares of its own, against Gavel's simulator with its solvers: makespan and
# mean completion time lie where those of ECOS, CVXOPT, GLPK and HiGHS lie under Gavel's own code, or
# near ECOS' where only that is known. docs/gavel.md tells of the others.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=tests/cli/lib/gavel.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/gavel.sh"

# between VALUE LOW HIGH: with half a per cent of room, by which two of the rows lie outside.
between() { awk -v a="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(0.995 * low <= a && a <= 1.005 * high) }'; }

# spread NAME MAKESPAN_LOW MAKESPAN_HIGH MEAN_LOW MEAN_HIGH
spread() {
  gavel_case "$1__seed0"
  expect "$1: makespan $makespan in $2 to $3" between "$makespan" "$2" "$3"
  expect "$1: mean completion time $mean in $4 to $5" between "$mean" "$4" "$5"
}
spread artifact_evaluation__max_min_fairness__2-2-2 5592 7005 3944 4327
spread artifact_evaluation__max_min_fairness_perf__2-2-2 5891 5891 3429 3429
spread artifact_evaluation__min_total_duration_perf__2-2-2 4284 4414 3790 3911
spread max_min_fairness__max_min_fairness__8-16-24 76143 78723 19265 24531
spread max_min_fairness__max_min_fairness_perf__8-16-24 63247 64395 14623 15026
spread max_min_fairness__max_sum_throughput_perf__8-16-24 63675 64280 17072 17916
spread max_min_fairness__min_total_duration_perf__8-16-24 61512 62160 22973 26041
spread minimize_makespan__max_min_fairness__8-16-24 82769 87217 37768 49770
spread minimize_makespan__min_total_duration_perf__8-16-24 64721 65154 63775 64496

# near NAME MAKESPAN MEAN: within 1 % of ECOS.
near() {
  gavel_case "$1__seed0"
  expect "$1: makespan $makespan near $2" within "$makespan" "$2" 0.01
  expect "$1: mean completion time $mean near $3" within "$mean" "$3" 0.01
}
near artifact_evaluation__finish_time_fairness_perf__2-2-2 5929.694667 3610.793220
near minimize_makespan__max_min_fairness_perf__8-16-24 68521.822793 35658.966
near minimize_makespan__finish_time_fairness_perf__8-16-24 70400.457 36333.209
near max_min_fairness__max_min_fairness_perf__8-16-24 63944.528819 14622.820
near max_min_fairness__finish_time_fairness_perf__8-16-24 64971.494 15009.706
near debug_sf1__max_min_fairness_packed__2-2-2 27543.463296 15312.853722
near debug_sf1__finish_time_fairness_packed__2-2-2 27438.104521 15402.131570
near minimize_makespan__min_total_duration__8-16-24 76634.707 71950.287
