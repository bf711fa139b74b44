#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/sweep: the points of a grid, the commands, the table, failures, what changed.
# shellcheck disable=SC2016 # names of files with a $ that must stay one
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"
# shellcheck source=tests/cli/lib/sweep.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib/sweep.sh"

cd -- "$work"
odd='a b;$(touch oops)'\''{}.csv'
head -n 21 -- "$SOURCE_DIR/traces/philly.csv" >"$odd"
cat >grid.json <<'JSON'
{ "description": "every kind of value",
  "fixed": { "quiet": true, "restart-cost": 0.50 },
  "vary": {
    "policy": [ "fifo", { "name": "hadar", "options": { "beam": { "from": 1, "to": 2, "factor": 2 },
                                                        "order": "dens" } } ],
    "trace": [ { "value": "a b;$(touch oops)'{}.csv", "label": "odd, \"quoted\"" } ],
    "seed": { "from": 0, "to": 1 } },
  "zip": [ { "round": [ 60, 360 ], "mtbf": [ null, 24.50 ],
             "cluster": [ "v100=4x4", { "value": "v100=2x8,k80=1x4", "label": "big" } ] } ],
  "only": [ { "seed": 0 }, { "policy": "hadar", "policy.beam": [ 2, 1 ], "round": 60 } ],
  "exclude": [ { "policy": "fifo", "round": 60 }, { "policy.beam": 1, "seed": 1 } ],
  "label": "{policy}{policy.beam}/{cluster}" }
JSON

# Expansion: what only and exclude leave, in the order of the grid, ready for a shell.
sweep grid.json --dry-run
expect_exit 0
expect_no_err
quoted="'a b;\$(touch oops)'\"'\"'{}.csv'"
{
  common="$HSIM --policy hadar:beam=1:order=dens --trace $quoted"
  large='--cluster v100=2x8,k80=1x4 --mtbf 24.50 --quiet --restart-cost 0.50 --round 360 --seed 0 --jobs 1 --json'
  small='--cluster v100=4x4 --quiet --restart-cost 0.50 --round 60'
  echo "$HSIM --policy fifo --trace $quoted $large"
  echo "$common $small --seed 0 --jobs 1 --json"
  echo "$common $large"
  echo "${common/beam=1/beam=2} $small --seed 0 --jobs 1 --json"
  echo "${common/beam=1/beam=2} $large"
  echo "${common/beam=1/beam=2} $small --seed 1 --jobs 1 --json"
} >wanted
expect_same "$out" wanted
expect 'nothing was made' test ! -e grid.sweep

# A run for real: in a folder with such a name with one job, with two, and in two steps. A larger grid
# runs what is new; another order of options is no other point.
sed 's/"to": 1 }/"to": 2 }/; s/"fixed": { "quiet": true, "restart-cost": 0.50 }/"fixed": { "restart-cost": 0.50, "quiet": true }/' \
  grid.json >larger.json
folder='r $(touch oops);{}'
sweep larger.json --out "$folder" --jobs 1 --outputs series,jobs --quiet
expect_exit 0
expect_no_err
sweep grid.json --out two --jobs 2 --outputs jobs,series
expect_exit 0
expect_err 'sweep: 6 points, 6 to run'
sweep larger.json --out two --jobs 2 --outputs jobs,series
expect_exit 0
expect_err '8 points, 2 to run'
expect_same "$folder/results.csv" two/results.csv
expect 'nothing in a name was run' test ! -e oops -a ! -e "$HOME/oops"
expect 'a row a run' test "$(wc -l <two/results.csv)" = 9
expect 'parameters, then figures' grep -q \
  '^point,label,policy,policy.beam,policy.order,trace,seed,round,mtbf,cluster,schema,' two/results.csv
expect 'labels' grep -q ',hadar2/big,hadar,2,dens,"odd, ""quoted""",0,360,24.50,big,hsim.summary/1,' \
  two/results.csv

# Each point's folder repeats and holds the run; numbers are as hsim printed them.
for point in two/points/*; do
  name=$(basename -- "$point")
  expect "status of $name" test "$(cat "$point/status")" = 0
  expect "jobs of $name" test "$(wc -l <"$point/jobs.csv")" = 21
  expect "series of $name" test -s "$point/series.csv"
  mean=$(tr -d ' \n' <"$point/summary.json" | sed -n 's/.*"jct_s":{"mean":\([0-9.e+]*\),.*/\1/p')
  expect "mean JCT of $name" grep -q "^$name,.*,$mean," two/results.csv
done
first=$(find two/points -name 'fifo*' | LC_ALL=C sort | head -n 1)
run sh "$first/command"
expect_exit 0
expect_same "$out" "$first/summary.json"

# Failures: the others stand, each is listed with its command and message, and runs again next time.
cat >failing.json <<'JSON'
{ "fixed": { "limit": 10 },
  "vary": { "policy": [ "fifo", "las", "hadar:bean=1" ], "trace": [ "later.csv", "here.csv" ] } }
JSON
cp -- "$SOURCE_DIR/traces/philly.csv" here.csv
sweep failing.json
expect_exit 4
expect_err '4 of 6 points failed; results.csv has the others'
expect_err "  $HSIM --policy las --trace later.csv --limit 10 --jobs 1 --json"
expect_err '  hsim: later.csv: '
expect_err '_here.csv_limit=10-'
expect_err 'bean'
expect 'two rows' test "$(cells failing.sweep/results.csv policy trace | tr '\n' ';')" = 'fifo here.csv;las here.csv;'
cp -- here.csv later.csv
sweep failing.json
expect_exit 4
expect_err '6 points, 4 to run'
expect_err '2 of 6 points failed'
expect 'four rows' test "$(cells failing.sweep/results.csv policy trace | tr '\n' ';')" = \
  'fifo later.csv;fifo here.csv;las later.csv;las here.csv;'

# Several runs in a point: of policies and of seeds.
cat >several.json <<'JSON'
{ "fixed": { "policy": "fifo,las", "trace": "here.csv", "seeds": "3,7" }, "vary": { "limit": [ 5, 6 ] } }
JSON
sweep several.json
expect_exit 0
expect 'a row a run' test "$(cells several.sweep/results.csv limit policy seed jobs.finished | tr '\n' ';')" = \
  '5 fifo 3 5;5 fifo 7 5;5 las 3 5;5 las 7 5;6 fifo 3 6;6 fifo 7 6;6 las 3 6;6 las 7 6;'

# A changed trace and a changed program are noticed.
cp -- several.sweep/results.csv before.csv
printf '2017-10-27 00:00:00,100.0,1,100.0,ee9e8c\n' >>here.csv
sweep several.json
expect_exit 3
expect_err 'changed since 2 of the results: here.csv: was'
expect_err '--rerun'
sweep several.json --force
expect_exit 0
expect_err '2 points, 0 to run'
expect_same several.sweep/results.csv before.csv
sweep several.json --rerun
expect_exit 0
expect_err '2 points, 2 to run'
expect 'other results' test "$(cmp -s several.sweep/results.csv before.csv || echo differ)" = differ
printf '#!/bin/sh\nexec "%s" "$@"\n' "$HSIM" >other
chmod +x other
sweep several.json --hsim ./other
expect_exit 3
expect_err 'changed since 2 of the results: hsim: was'

# Numbers are not touched; what only some runs have is empty for the others.
cat >seeds <<'SH'
#!/bin/sh
case " $* " in
  *" --json "*) printf '%s' '{"seed": "0-1", "runs": [{"seed": 0, "jct_s": {"mean": 1.50}, "gone": null},
    {"seed": 1, "jct_s": {"mean": 1e300, "p99": 18446744073709551617}, "yes": true, "list": [1]}]}' ;;
  *) exec "$HSIM" "$@" ;;
esac
SH
chmod +x seeds
sweep several.json --out seeds.sweep --hsim ./seeds
expect_exit 0
cat >wanted.csv <<'CSV'
limit,seed,jct_s.mean,jct_s.p99,yes,gone
5,0,1.50,,,
5,1,1e300,18446744073709551617,true,
6,0,1.50,,,
6,1,1e300,18446744073709551617,true,
CSV
cut -d , -f 2- seeds.sweep/results.csv >shown.csv
expect_same shown.csv wanted.csv

# Traces made for a sweep, by the seed of each point.
cat >made.json <<'JSON'
{ "fixed": { "policy": "fifo", "cluster": "v100=8x1" },
  "vary": { "trace": [ { "generate": { "preset": { "name": "gavel_continuous", "options": { "lam": [ 900, 1800 ] } },
                                       "jobs": 20 } } ],
            "seed": [ 1 ] } }
JSON
sweep made.json --jobs 1
expect_exit 0
sweep made.json --out again --quiet
expect_exit 0
expect_same made.sweep/results.csv again/results.csv
expect 'two traces' test "$(find again/traces -name '*.csv' | wc -l)" = 2
hsim generate --preset gavel_continuous:lam=1800 --jobs 20 --seed 1 --out wanted.trace
expect_exit 0
expect_same wanted.trace "$(find again/traces -name '*lam=1800*seed_1-*')"
expect 'parameters of the trace' grep -q '^point,trace,generate.preset,generate.preset.lam,generate.jobs,seed,' \
  again/results.csv

# Logs under Gavel's names. An hsim without --gavel-log gets one for this test.
with_log=$HSIM
if ! "$HSIM" --help | grep -q -e ' --gavel-log '; then
  with_log=./with_log
  cat >with_log <<'SH'
#!/bin/sh
case " $* " in
  *" --gavel-log "*) # the last option: the words before it once around, then off with it
    n=$#
    while [ "$n" -gt 2 ]; do
      set -- "$@" "$1"
      shift
      n=$((n - 1))
    done
    echo 'Total duration' >"$2"
    shift 2
    ;;
  " --help ") echo '  --gavel-log FILE            for the test' ;;
esac
exec "$HSIM" "$@"
SH
  chmod +x with_log
fi
cat >gavel.json <<'JSON'
{ "fixed": { "trace": { "generate": { "preset": "gavel_continuous:lam=900", "jobs": 20 } } },
  "zip": [ { "cluster": [ "v100=4x1,p100=3x1", "k80=9x1" ], "seed": [ 0, 3 ] } ],
  "vary": { "policy": [ { "name": "gavel", "options": { "objective": "max_min_fairness_perf",
                                                      "compat": [ "code", "fixed" ] } } ] } }
JSON
sweep gavel.json --hsim "$with_log" --layout gavel
expect_exit 0
cat >wanted <<'LIST'
raw_logs/v100=0.p100=0.k80=9/max_min_fairness_perf/compat=code/seed=3/lambda=900.000000.log
raw_logs/v100=0.p100=0.k80=9/max_min_fairness_perf/compat=fixed/seed=3/lambda=900.000000.log
raw_logs/v100=4.p100=3.k80=0/max_min_fairness_perf/compat=code/seed=0/lambda=900.000000.log
raw_logs/v100=4.p100=3.k80=0/max_min_fairness_perf/compat=fixed/seed=0/lambda=900.000000.log
LIST
(cd gavel.sweep && find raw_logs -type f | LC_ALL=C sort) >shown
expect_same shown wanted
expect 'logs with something in them' test -z "$(find gavel.sweep/raw_logs -type f -size 0)"
echo '{ "fixed": { "policy": "fifo", "trace": "here.csv" }, "vary": { "limit": [ 5, 6 ] } }' >static.json
sweep static.json --hsim "$with_log" --layout gavel --quiet
expect_exit 0
expect 'static ones by the number of jobs' test "$(cd static.sweep && find raw_logs -type f | LC_ALL=C sort | tr '\n' ' ')" = \
  'raw_logs/v100=20.p100=20.k80=20/fifo/seed=0/num_total_jobs=5.log raw_logs/v100=20.p100=20.k80=20/fifo/seed=0/num_total_jobs=6.log '
