#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs of Gavel's simulator with the shares that it computed itself: makespan and every job's
# completion time to the last bit. Where the objective is a linear program, the shares computed here
# at each of these moments are worth the same.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=tests/cli/lib/gavel.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/gavel.sh"

# same_worth LOW HIGH: every reallocation's "replayed", as a part of its "optimum", is in between.
# Prints the extremes; fails when there is no reallocation.
same_worth() {
  awk -v low="$1" -v high="$2" '
    function number(key) {
      return match($0, "\"" key "\":[-0-9.e+]+") ? substr($0, RSTART + length(key) + 3, RLENGTH) + 0 : 0
    }
    /"event":"reallocation"/ {
      part = number("replayed") / number("optimum")
      if (n++ == 0 || part < least) least = part
      if (n == 1 || part > most) most = part
    }
    END {
      printf "%d reallocations, worth %.9g to %.9g of the optimum\n", n, least, most
      exit n == 0 || least < low || most > high
    }' "$work/policy.log"
}

compared=0
replayed=0
for file in "$reference"/replay/*.alloc.csv.gz; do
  name=$(basename -- "$file" .alloc.csv.gz)
  objective=$(objective_of "$name")
  low='' high=''
  case $objective in
  # Single precision in its input, then ECOS' 1e-8.
  max_min_fairness* | max_sum_throughput_perf)
    low=0.999999 high=1.000001 ;;
  # A cone program there; the largest difference measured is 1.4e-6, always to Gavel's disadvantage.
  finish_time_fairness_perf) low=0.999999 high=1.000003 ;;
  # "optimum" is the duration that the search by bisection accepts: the shares keep to it, and the
  # search stops when 5 % less cannot be kept to.
  min_total_duration_perf) low=0.952 high=1.000001 ;;
  esac
  gavel_case "$name" ":replay=$file${low:+:replay_compare=1}"
  expect "$name: makespan" equal "$makespan" "$(exact "$name" makespan_s)"
  expect "$name: every completion time" same_numbers "$reference/jobs/$name.csv" "$work/jobs.csv"
  replayed=$((replayed + 1))
  [ -n "$low" ] || continue
  expect "$name: as good as the optimum" same_worth "$low" "$high"
  compared=$((compared + 1))
done
expect 'the linear programs were compared' test "$compared" = 12
expect 'every recorded run was replayed' test "$replayed" = 22
