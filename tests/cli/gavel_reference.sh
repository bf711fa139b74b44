#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Gavel's own simulator against gavel:compat=code: the objectives without a linear program exactly,
# max_min_fairness_perf on the trace whose optima are nearly unique.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=tests/cli/lib/gavel.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/gavel.sh"

# Traces made of those that are shipped: all gangs of one GPU, and the first thirty jobs of one.
sf1() {
  awk -F'\t' -v OFS='\t' '{ $7 = 1 } 1' "$SOURCE_DIR/traces/gavel/$1.trace" >"$work/$1_sf1.trace"
}
sf1 debug
sf1 artifact_evaluation
sf1 minimize_makespan
sf1 max_min_fairness
head -n 30 "$work/minimize_makespan_sf1.trace" >"$work/mm30.trace"

# run_case TRACE CLUSTER OBJECTIVE SEED: a cluster is v100:p100:k80. Sets $makespan, $mean, $util
# and $lease.
run_case() {
  local trace=$SOURCE_DIR/traces/gavel/$1.trace v100 p100 k80 cluster
  [ -e "$trace" ] || trace=$work/$1.trace
  IFS=: read -r v100 p100 k80 <<<"$2"
  cluster=v100=${v100}x1,p100=${p100}x1
  [ "$k80" = 0 ] || cluster=$cluster,k80=${k80}x1
  hsim --policy "gavel:objective=$3:compat=code" --trace "$trace" --cluster "$cluster" \
    --seed "$4" --audit --json --jobs-out "$work/jobs.csv"
  expect_exit 0
  read -r makespan mean util lease < <(tr -d ' \n' <"$out" | awk '
    function number(after) {
      return match($0, after "[0-9.e+-]+") ? substr($0, RSTART + length(after)) + 0 : "none"
    }
    { printf "%.6f %.6f %.6f %.3f\n", number("\"end_s\":"), number("\"jct_s\":{\"mean\":"),
        number("\"gavel_utilisation\":"), number("\"lease_extension_percent\":") }')
}

# TRACE CLUSTER OBJECTIVE SEED MAKESPAN MEAN_JCT UTILISATION LEASE_PERCENT; a dash: not recorded.
# Equal to the digits that Gavel prints; where jobs/ has the run, every completion time to the last
# bit.
rows=0
per_job=0
while read -r trace cluster objective seed want_makespan want_mean want_util want_lease; do
  run_case "$trace" "$cluster" "$objective" "$seed"
  name=${trace}__${objective}__${cluster//:/-}__seed$seed
  expect "$name: makespan $want_makespan" test "$makespan" = "$want_makespan"
  [ "$want_mean" = - ] || expect "$name: mean $want_mean" test "$mean" = "$want_mean"
  [ "$want_util" = - ] || expect "$name: utilisation $want_util" test "$util" = "$want_util"
  [ "$want_lease" = - ] || expect "$name: leases $want_lease" test "$lease" = "$want_lease"
  rows=$((rows + 1))
  if [ -e "$reference/jobs/$name.csv" ]; then
    expect "$name: every completion time" same_numbers "$reference/jobs/$name.csv" "$work/jobs.csv"
    per_job=$((per_job + 1))
  fi
done <<'EOF'
artifact_evaluation 2:2:2 fifo 0 11803.001755 7581.698921 0.302487 14.583
artifact_evaluation 2:2:2 fifo 1 11803.001755 7581.698921 0.302487 14.583
artifact_evaluation 2:2:2 fifo_perf 0 10835.059780 5350.663391 0.513104 88.889
artifact_evaluation 2:2:2 isolated 0 6433.090442 4286.650983 0.785717 5.556
artifact_evaluation 2:2:2 isolated 1 6238.148725 4319.710890 0.820670 4.110
artifact_evaluation 2:2:2 gandiva 0 5984.437812 3545.552493 0.718439 20.635
artifact_evaluation 2:2:2 gandiva 1 5747.012957 3265.623963 0.731279 26.667
artifact_evaluation 4:2:0 fifo 0 8184.674762 - - -
artifact_evaluation 4:2:0 fifo_perf 0 7778.074603 - - -
artifact_evaluation 4:2:0 isolated 0 4922.909237 - - -
artifact_evaluation 4:2:0 gandiva 0 4858.021685 - - -
debug 2:2:2 fifo 0 74521.970581 50349.675140 0.325989 3.846
debug 2:2:2 fifo 1 102628.662650 53661.462383 0.342036 18.471
debug 2:2:2 fifo_perf 0 40899.686057 20144.854058 0.800038 96.163
debug 2:2:2 isolated 0 39712.295337 22696.357370 0.855391 5.263
debug 2:2:2 gandiva 0 34023.433502 19808.869955 0.907896 19.250
medium_test 4:4:4 fifo 0 44720.818308 30751.382623 0.324993 17.017
medium_test 4:4:4 fifo_perf 0 32326.797223 14213.500986 0.583217 96.446
medium_test 4:4:4 isolated 0 29303.197617 16552.999755 0.740483 13.007
medium_test 4:4:4 allox 0 25551.902817 12677.574398 0.701154 94.397
medium_test 4:4:4 gandiva 0 24318.546235 15349.873227 0.655820 28.137
minimize_makespan 8:16:24 fifo 0 274227.734014 211550.983707 0.164431 1.737
minimize_makespan 8:16:24 fifo 1 274227.734014 211550.983707 0.164431 1.737
minimize_makespan 8:16:24 fifo_perf 0 90701.291766 40257.934551 0.769847 96.269
minimize_makespan 8:16:24 isolated 0 82944.778271 37581.229034 0.904611 7.167
minimize_makespan 8:16:24 gandiva 0 75994.462152 35074.731031 0.909906 37.698
max_min_fairness 8:16:24 fifo 0 196524.281239 35904.573743 0.349435 85.250
max_min_fairness 8:16:24 fifo 1 199847.533754 38083.400710 0.342036 86.410
max_min_fairness 8:16:24 fifo_perf 0 72319.858188 19526.853568 0.722495 95.053
max_min_fairness 8:16:24 isolated 0 78163.362632 19865.034863 0.727070 21.777
max_min_fairness 8:16:24 gandiva 0 67404.912627 17379.358052 0.768210 34.662
max_min_fairness 4:4:4 fifo_perf 0 205141.364005 84234.348468 0.850014 95.764
max_min_fairness 4:4:4 isolated 0 184964.856583 66524.849024 0.972728 0.949
max_min_fairness 4:4:4 gandiva 0 177188.564744 63617.344798 0.975976 22.628
debug_sf1 2:2:2 allox 0 32902.145897 15282.186086 - -
debug_sf1 2:2:2 fifo_packed 0 37336.653779 18264.753982 - -
debug_sf1 2:2:2 gandiva 0 32045.223164 18429.081734 - -
artifact_evaluation_sf1 2:1:2 allox 0 6582.076163 3280.084229 - -
artifact_evaluation_sf1 2:1:2 fifo_packed 0 8922.055374 4503.840517 - -
artifact_evaluation_sf1 2:1:2 gandiva 0 6557.763372 3672.476856 - -
mm30 4:4:4 allox 0 53977.475588 22278.564634 - -
mm30 4:4:4 fifo_packed 0 54412.730767 27188.783534 - -
mm30 4:4:4 gandiva 0 56365.744198 29705.626689 - -
max_min_fairness_sf1 6:8:8 allox 0 108211.448228 25370.576846 - -
max_min_fairness_sf1 6:8:8 fifo_packed 0 122259.864476 33516.838830 - -
max_min_fairness_sf1 6:8:8 gandiva 0 104320.003118 32614.907404 - -
EOF
expect 'all rows ran' test "$rows" = 46
expect 'ten runs were compared job by job' test "$per_job" = 10

run_case artifact_evaluation 2:2:2 max_min_fairness_perf 0
expect 'makespan within 0.1 %' within "$makespan" 5890.740613 0.001
expect 'mean completion time within 0.1 %' within "$mean" 3429.279381 0.001

# `fifo` with eight equal jobs on six GPUs: whether all are booked on v100 is up to the seed.
for _ in 0 1 2 3 4 5 6 7; do
  printf 'ResNet-18 (batch size 32)\tc\td\t-n\t0\t500000\t1\t1\t-1\t0\n'
done >"$work/eight.trace"
for seed in 0 1 2 3; do
  run_case eight 2:2:2 fifo "$seed"
  want=66784.301988
  [ $((seed % 2)) = 0 ] || want=69681.309801
  expect "eight jobs, seed $seed: makespan $want" test "$makespan" = "$want"
done

# Small traces, worked out with the original: rows are steps, gang size, arrival.
micro() { # CLUSTER EXPECTED... ROW... with -- between
  local cluster=$1 expected=() i=0
  shift
  while [ "$1" != -- ]; do expected+=("$1"); shift; done
  shift
  : >"$work/micro.trace"
  for row in "$@"; do
    IFS=, read -r steps workers arrival <<<"$row"
    printf 'ResNet-18 (batch size 32)\tc\td\t-n\t0\t%s\t%s\t1\t-1\t%s\n' "$steps" "$workers" \
      "$arrival" >>"$work/micro.trace"
  done
  hsim --policy gavel:objective=fifo_perf:compat=code --trace "$work/micro.trace" \
    --cluster "$cluster" --audit --json --jobs-out "$work/jobs.csv"
  expect_exit 0
  {
    echo job_id,jct_s
    for value in "${expected[@]}"; do
      echo "$i,${value#none}"
      i=$((i + 1))
    done
  } >"$work/expected.csv"
  expect "completion times ${expected[*]}" same_numbers "$work/expected.csv" "$work/jobs.csv"
}
micro v100=4x1 33.3921509941149 19523.392150994114 33.39215099411376 -- 1000,1,500 1000,1,510 1000,1,20000
micro v100=4x1 33.3921509941149 56.7843019882298 -- 1000,1,500 1000,1,510
micro v100=4x1 2003.5290596468944 383.3595387106736 33.39215099411376 -- 60000,1,0 1000,1,10 1000,1,20000
micro v100=1x1,p100=1x1 27.913192777317136 27.913192777319637 45.32638555463927 -- 1000,1,500 1000,1,50000 1000,1,50010.5
micro v100=4x1,p100=4x1 none 2791.3192777317186 -- 3,4,0 100000,1,0
expect 'the job with fewer steps than workers is dropped' grep -q ',dropped,' "$work/jobs.csv"
