#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# hsim generate: the presets that equal other programs, distributions, targets, wrong calls.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
cd -- "$SOURCE_DIR"

# Gavel's simulator without a trace: first jobs of seed 0 and their gaps.
hsim generate --preset gavel_continuous:lam=3600 --jobs 4
expect_exit 0
expect_no_err
expect_out_line '0,0,1,1646636.2758419,ResNet-18 (batch size 64)'
expect_out_line '1,978.344291641206,1,343170.46864225325,Transformer (batch size 16)'
expect_out_line '2,3807.099310116383,1,16034.37819420177,Recommendation (batch size 2048)'
hsim generate --preset gavel_continuous:multi_gpu=1 --jobs 1
expect_out_line '0,0,8,17484476.26110642,ResNet-18 (batch size 64)'

# Gavel's script: published traces were made with it. Seed 4 gives the models of one of them.
hsim generate --preset gavel --seed 4 --jobs 15 --to gavel
expect_exit 0
expect 'the models of artifact_evaluation.trace' \
  cmp -s <(cut -f1 "$out") <(cut -f1 traces/gavel/artifact_evaluation.trace)
hsim generate --preset gavel:lam=120.5:multi_gpu=1 --seed 3 --jobs 1000 --to gavel
expect_same "$out" tests/data/workload/gavel_seed3.trace

# Voda's 24 jobs.
hsim generate --preset voda
expect_out_line '0,0,2,3500,InceptionV3,1,4,50'
expect_out_line '23,635,2,2320,Transformer,1,4,40'
for model in VGG16 ResNet50 InceptionV3 Transformer; do
  expect "6 jobs of $model" test "$(grep -c ",$model," "$out")" = 6
done
hsim generate --preset voda:hard=1
expect_out_line '23,3216,2,2320,Transformer,1,4,40'

# Hadar's classes: each model within its class's GPU-hours.
hsim generate --preset hadar --jobs 2000
expect '2000 jobs' test "$(wc -l <"$out")" = 2001
# shellcheck disable=SC2016 # awk's own variables
expect 'the classes hold' awk -F, 'NR > 1 {
    h = $3 * $4 / 3600
    if ($5 ~ /^CycleGAN/ && (h < 1 || h > 10 || $3 > 1)) bad = 1
    if ($5 ~ /^(LM|Transformer)/ && (h < 9.99 || h > 50.01)) bad = 1
    if ($5 ~ /^ResNet-50/ && (h < 59.99 || h > 100.01)) bad = 1
    if ($5 ~ /^ResNet-18/ && h > 10.01) bad = 1
  } END { exit bad }' "$out"
cp -- "$out" "$work/hadar.csv"
hsim --policy fifo --trace "$work/hadar.csv" --limit 100
expect_exit 0

# Themis' apps: all jobs of an app arrive together.
hsim generate --preset themis --out "$work/themis.csv"
expect '84 apps' test "$(tail -n +2 "$work/themis.csv" | awk -F, '{ print $NF }' | sort -u | wc -l)" = 84
expect 'one arrival an app' \
  test "$(tail -n +2 "$work/themis.csv" | awk -F, '{ print $NF, $2 }' | sort -u | wc -l)" = 84
hsim --policy fifo --trace "$work/themis.csv" --limit 300 --audit
expect_exit 0
hsim generate --preset themis:families=1:apps=3
expect_out ',ResNet-152,'

# Every target and every distribution is read back, and the same options give the same bytes.
for arrivals in static poisson:gap=30 diurnal:gap=30:swing=1 bursty:gap=30:burst=5:within=2; do
  for durations in fixed:seconds=10 exponential uniform:min=5:max=9 loguniform:min=1:max=1e4 \
    lognormal:sigma=2 weibull:shape=0.5 gavel; do
    hsim generate --jobs 50 --arrivals "$arrivals" --durations "$durations" --models all --seed 9
    expect_exit 0
    cp -- "$out" "$work/made.csv"
    hsim generate --jobs 50 --arrivals "$arrivals" --durations "$durations" --models all --seed 9
    expect_same "$out" "$work/made.csv"
    hsim inspect "$work/made.csv" --on-bad-row error --json
    expect_exit 0
    expect_out '"loaded_rows": 50'
  done
done
hsim generate --jobs 50 --to gavel --models 'A3C=1,LM (batch size 5)=3' --gangs 1 --out "$work/made.trace"
expect_exit 0
expect_err 'gavel cannot hold, of '
hsim --policy fifo --trace "$work/made.trace"
expect_exit 0
hsim generate --jobs 50 --to swf
expect '50 lines of 18 numbers' \
  test "$(grep -v '^;' "$out" | awk 'NF == 18 && !/[^-0-9 ]/' | wc -l)" = 50
hsim generate --jobs 3 --preset gavel --to swf --quiet
expect_exit 0
expect_no_err

# One stream a purpose: other durations leave the arrivals as they were.
hsim generate --jobs 40
cut -d, -f2,3 -- "$out" >"$work/before"
hsim generate --jobs 40 --durations fixed
expect 'arrivals and gangs as before' cmp -s <(cut -d, -f2,3 "$out") "$work/before"

wrong() {
  local message=$1
  shift
  hsim generate "$@"
  expect_exit 2
  expect_no_out
  expect_err "$message"
}
wrong 'did you mean gavel?' --preset gavle
wrong 'option --preset: key "lamb": expected lam, multi_gpu' --preset gavel:lamb=3
wrong 'expected a number from 0 to 1e+09' --preset gavel:lam=-3
wrong 'expected a whole number from 0 to 1' --preset gavel:multi_gpu=yes
wrong 'min_h is above max_h' --preset gavel:min_h=5
wrong '--durations does not go with --preset gavel' --preset gavel --durations fixed
wrong 'option --jobs: value "many"' --jobs many
wrong 'did you mean poisson?' --arrivals poison
wrong 'no pause is left' --arrivals bursty:gap=1:within=10
wrong 'uniform needs min' --durations uniform
wrong 'uniform: min 9 is above max 5' --durations uniform:min=9:max=5
wrong 'a thousand draws' --durations exponential:mean=1:min=1e6
wrong 'expected fewer jobs or smaller gaps' --arrivals poisson:gap=1e9 --jobs 3000
wrong 'SIZE=WEIGHT joined by commas' --gangs 1=0.5,two=0.5
wrong 'weights above 0' --gangs 1=0
wrong 'each value once' --gangs 1=1,1=2
wrong 'did you mean A3C?' --models A3=1
wrong 'none of the models can run with 2 workers' --models A3C=1 --gangs 2=1
wrong "Gavel's format needs models" --to gavel
wrong 'SWF needs durations' --preset voda --to swf
wrong 'expected native, gavel or swf' --to csv
wrong 'generate takes options only' traces/philly.csv
wrong 'did you mean --preset?' --presets gavel
wrong '"h100": expected a type of the rates table' --models all --reference-gpu h100
hsim generate --help
expect_exit 0
expect_out 'gavel_continuous'
expect_out ':swing=0.8'
expect 'no line is wider than 100' test -z "$(awk 'length > 100' "$out")"
