#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What scripts/plot draws is right: the data that it hands to gnuplot against the same figures reached
# in another way.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"
# shellcheck source=tests/cli/lib/plot.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib/plot.sh"

cd -- "$work"
hsim --policy las,hadare,fifo --trace "$SOURCE_DIR/traces/philly.csv" --limit 60 --mtbf 30 --jobs-out jobs.csv \
  --events-out events.csv --series-out series.csv
expect_exit 0

# column FILE POLICY NAME: that column's cells; the files hold no quoted cells before it.
column() {
  awk -F, -v policy="$2" -v name="$3" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
    $1 == policy { print $at }' "$1"
}

# A distribution: each value's fraction of values at or below it, counted anew; the last one is 1.
plot jct jobs.csv --unit s --keep jct
expect_exit 0
for policy in las hadare fifo; do
  column jobs.csv "$policy" jct_s | grep . >values
  data jct "$policy: value, fraction of values at or below it" >curve
  # shellcheck disable=SC2016 # awk's own $
  expect "distribution of $policy" awk '
    NR == FNR { value[++n] = $1; next }
    { above = 0; below = 0
      for (i = 1; i <= n; i++) { below += value[i] < $1 * (1 - 1e-8); above += value[i] <= $1 * (1 + 1e-8) }
      if ($2 < below / n - 1e-8 || $2 > above / n + 1e-8) exit 1
      rows++; last = $2 }
    END { exit !(n >= 58 && rows > n && rows <= 2 * n && last == 1) }' values curve
done
expect 'a curve and its markers for each policy' test "$(grep -c "^ *plot\|^ *'data" jct/plot.gp)" = 6
expect 'kept script draws by itself' bash -c 'cd jct && gnuplot -d plot.gp && test -s figure.svg'

# rho counts apps; jobs without it are left out and counted; seeds are pooled.
cat >apps.csv <<'EOT'
policy,job_id,app,rho,seed
p,1,a,0.5,1
p,2,a,0.5,1
p,3,,2,1
p,4,,,1
p,1,a,0.25,2
p,2,a,0.25,2
p,3,,4,2
p,4,b,1,2
EOT
plot rho apps.csv --keep rho
expect_exit 0
expect_err 'plot: p: left out, since without rho: 1 of 6 apps'
expect 'four apps of five of two seeds and one without' grep -qF "'p (5 of 6 apps, 2 seeds)'" rho/plot.gp
expect 'their distribution' test "$(data rho 'p: value, fraction of values at or below it' | tr '\n' ';')" = \
  '0.25 0;0.25 0.2;0.5 0.2;0.5 0.4;1 0.4;1 0.6;2 0.6;2 0.8;4 0.8;4 1;'
plot rho apps.csv --keep rho --seed 1
expect 'one seed' test "$(data rho 'p: value, fraction of values at or below it' | tail -n 1)" = '2 1'

# Levels: the area under the stack is the area of the columns.
plot gpus series.csv --unit s --keep gpus
expect_exit 0
for policy in las hadare fifo; do
  # shellcheck disable=SC2016 # awk's own $
  area=$(awk -F, -v policy="$policy" '
    $1 == policy { if (n++) sum += held * ($2 - time); time = $2; held = $6 + $7 + $8 }
    END { printf "%.12g", sum }' series.csv)
  # shellcheck disable=SC2016 # awk's own $
  drawn=$(data gpus "$policy: time, GPUs of the first 3 types" |
    awk 'NR > 1 { sum += level * ($1 - time) } { time = $1; level = $2 } END { printf "%.12g", sum }')
  expect "GPU-seconds of $policy: $area, drawn $drawn" near "$area" "$drawn"
done

# A queue with few changes is drawn change by change, one with many as means and ranges.
# shellcheck disable=SC2016 # awk's own $
queue_area='NR > 1 { sum += level * ($1 - time) } { time = $1; level = $2 } END { printf "%.12g", sum }'
plot queue series.csv --unit s --keep queue --policy fifo
column series.csv fifo time_s >time_s.txt
column series.csv fifo 'queued' >queued.txt
expect 'the queue of fifo' near "$(paste -d" " time_s.txt queued.txt | awk "$queue_area")" \
  "$(data queue 'fifo: time, value' | awk "$queue_area")"
awk 'BEGIN { print "policy,time_s,queued"; for (i = 0; i <= 20000; i++) print "p," i "," (i * 7919) % 101 }' >many.csv
plot queue many.csv --unit s --keep many
expect_exit 0
expect 'a band' grep -qF 'bands: lowest to highest in 50 s, the line is the mean' many/plot.gp
data many 'p: time, mean, lowest, highest of the time up to the next row' >bins
# shellcheck disable=SC2016 # awk's own $
expect 'means of 50 s each' awk '
  { sum = 0; low = 101; high = -1
    for (i = (NR - 1) * 50; i < NR * 50; i++) {
      v = (i * 7919) % 101; sum += v; if (v < low) low = v; if (v > high) high = v }
    d = sum / 50 - $2
    if (d > 1e-6 || d < -1e-6 || $3 != low || $4 != high || $1 != NR * 50 - 25) exit 1 }
  END { exit NR != 400 }' bins

# Many steps: fewer points, with the least and the greatest value.
awk 'BEGIN { print "policy,time_s,held_x"; for (i = 0; i <= 100000; i++) print "p," i "," (i == 77777 ? 500 : i == 33333 ? 0 : 100 + i % 3) }' >long.csv
plot gpus long.csv --unit s --keep long
expect_exit 0
# shellcheck disable=SC2016 # awk's own $
expect 'a thinned curve with its extremes' awk '
  { if ($2 == 500) top = 1; if ($2 == 0) bottom = 1; if ($1 < time) exit 1; time = $1 }
  END { exit !(top && bottom && NR < 12500 && $1 == 100000) }' \
  <(data long 'p: time, GPUs of the first 1 types')

# Many values: the distribution is off by less than can be seen.
awk 'BEGIN { print "policy,job_id,slowdown"; for (i = 1; i <= 50000; i++) print "p," i "," 1 + (i * 7919 % 50000) ^ 2 / 50000 }' >values.csv
plot slowdown values.csv --keep many_values
expect_exit 0
# shellcheck disable=SC2016 # awk's own $
expect 'a thinned distribution' awk '
  { exact = sqrt(($1 - 1) * 50000) / 50000; d = exact - $2
    if (NR > 1 && (d > 0.0021 || d < -0.0021)) exit 1; last = $2 }
  END { exit !(NR < 6000 && last == 1) }' \
  <(data many_values 'p: value, fraction of values at or below it')

# Occupancy: the boxes' area is the GPU time that the jobs CSV counts on its own.
hsim --policy las,hadare,fifo --trace "$SOURCE_DIR/traces/philly.csv" --limit 60 --jobs-out jobs.csv \
  --events-out events.csv
for policy in fifo hadare; do
  plot occupancy events.csv --unit s --policy "$policy" --keep occupancy
  expect_exit 0
  # shellcheck disable=SC2016 # awk's own $
  seconds=$(column jobs.csv "$policy" gpu_s | awk '{ sum += $1 } END { printf "%.12g", sum }')
  # shellcheck disable=SC2016 # awk's own $
  drawn=$(data occupancy "$policy: begin, middle row, begin, end, top, bottom, colour" |
    awk '{ sum += ($4 - $3) * ($6 - $5) } END { printf "%.12g", sum }')
  expect "$policy holds $seconds GPU-seconds, drawn $drawn" near "$seconds" "$drawn"
done

# By hand: a gang that moves, two jobs on the same GPU, a copy that ends, a node that is down.
cat >hand.csv <<'EOT'
policy,time_s,round,event,job_id,gang,workers,placement,detail
p,0,0,arrive,a,0,,,
p,0,0,arrive,b,0,,,
p,0,1,start,a,0,2,"n1:x:0-1",
p,10,2,start,b,0,1,n1:x:1,
p,20,3,finish,b,0,,,
p,30,4,migrate,a,0,2,n10:x:0;n2:x:0,moved=2
p,40,5,preempt,a,0,,,
p,40,5,node_down,,,,n2:x:0-1,n2
p,50,6,start,a,1,1,n1:x:0,
p,50,6,start,a,2,1,"n1:x:1,3",
p,60,7,node_up,,,,n2:x:0-1,n2
p,70,8,resize,a,2,,,copy ended
p,90,9,finish,a,0,,,
EOT
plot occupancy hand.csv --unit s --keep hand
expect_exit 0
# Rows: n1 has GPUs 0, 1 and 3 (rows 0 to 2), n2 0 and 1 (rows 3, 4), n10 one (row 5).
data hand 'p: begin, middle row, begin, end, top, bottom, colour' | cut -d' ' -f3-6 | sort >got
sort >want <<'EOT'
0 30 0 1
0 10 1 2
10 20 1 1.5
10 20 1.5 2
20 30 1 2
30 40 3 4
30 40 5 6
40 60 3 5
50 90 0 1
50 70 1 3
EOT
expect_same want got

# As dots: a colour for the job with most of the time of a dot, if jobs have half of it.
expect 'dots' python3 -B -c '
import sys
sys.path.insert(0, sys.argv[1])
from raster import paint_row
pieces = [(0, 25, 1), (25, 28, 2), (41, 44, 3), (55, 60, 4), (60, 61, 5), (61, 64.5, 6), (90, 100, 7)]
assert paint_row(pieces, 0, 10, 10) == [1, 1, 1, None, None, 4, None, None, None, 7], \
    paint_row(pieces, 0, 10, 10)' "$SOURCE_DIR/scripts/figures"

# Means and bands by hand: t(0.975) is 4.30265 for three values, 12.7062 for two, 2.77645 for five.
cat >sweep.csv <<'EOT'
policy,x,y,seed
p,1,1,1
p,1,2,2
p,1,3,3
p,2,1,1
p,2,3,2
p,3,10,1
p,3,12,2
p,3,14,3
p,3,16,4
p,3,18,5
p,4,7,1
q,1,5,1
q,1,,2
EOT
plot sweep sweep.csv --x x --y y --keep sweep
expect_exit 0
expect_err 'plot: q: left out, since without y: 1 of 2 rows'
expect_err 'plot: 2 points are of a single row: they have no confidence band'
data sweep 'p: x, mean, lower and upper end of the band, rows' >got
# shellcheck disable=SC2016 # awk's own $
expect 'means and bands' awk '
  function close_to(a, b) { return a - b < 1e-4 && b - a < 1e-4 }
  NR == 1 { ok += close_to($2, 2) && close_to($4, 2 + 2.48414) && close_to($3, 2 - 2.48414) && $5 == 3 }
  NR == 2 { ok += close_to($2, 2) && close_to($4, 2 + 12.7062) && $5 == 2 }
  NR == 3 { ok += close_to($2, 14) && close_to($4, 14 + 3.92649) && $5 == 5 }
  NR == 4 { ok += $2 == 7 && $3 == 7 && $4 == 7 && $5 == 1 }
  END { exit ok != 4 }' got
