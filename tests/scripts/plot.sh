#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/plot draws each kind from real outputs as SVG, PNG and PDF: whole files, the same bytes each
# time, every policy's name as it stands in the file, whatever characters it has.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"
# shellcheck source=tests/cli/lib/plot.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib/plot.sh"

cd -- "$work"
hsim --policy las,fifo,gavel:objective=max_min_fairness_perf --trace "$SOURCE_DIR/traces/philly.csv" \
  --limit 40 --json --jobs-out jobs.csv --events-out events.csv --series-out series.csv
expect_exit 0
cp -- "$out" summary.json
hsim --policy las,srtf --trace "$SOURCE_DIR/traces/philly.csv" --limit 20 --jobs-out more.csv
expect_exit 0
cat >results.csv <<'EOT'
policy,beam,gap,seed,jct_s.mean
las,,60,1,5000
las,,60,2,5200
las,,120,1,4000
las,,120,2,4100
hadar,16,60,1,3000
hadar,16,60,2,3100
hadar,16,120,1,2500
hadar,16,120,2,2600
EOT

is_png() {
  [ "$(head -c 8 -- "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] &&
    [ "$(tail -c 8 -- "$1" | od -An -tx1 | tr -d ' \n')" = 49454e44ae426082 ]
}
is_pdf() {
  [ "$(head -c 5 -- "$1")" = %PDF- ] && tail -c 8 -- "$1" | grep -q '%%EOF' &&
    ! grep -qa CreationDate "$1"
}

# draw KIND ARGUMENTS...: in all formats; the texts of the SVG are in KIND.txt.
draw() {
  local kind=$1 format
  shift
  for format in svg png pdf; do
    plot "$kind" "$@" -o "$kind.$format"
    expect_exit 0
    expect_no_out
    expect_no_err
  done
  expect "$kind.svg is XML" svg_text "$kind.svg" >"$kind.txt"
  expect "$kind.png is a whole PNG" is_png "$kind.png"
  expect "$kind.pdf is a whole PDF without a date" is_pdf "$kind.pdf"
}

# again KIND ARGUMENTS...: the same bytes in another zone and locale.
again() {
  run env TZ=Asia/Tokyo LC_ALL=C "$SOURCE_DIR/scripts/plot" "$@" -o - --format svg
  expect_exit 0
  expect_same "$1.svg" "$out"
}

draw jct jobs.csv --log x
again jct jobs.csv --log x
for text in las fifo gavel:objective=max_min_fairness_perf 'job completion time (h)' \
  'fraction of jobs' 0.2 1; do
  expect "jct.svg says $text" grep -qxF -- "$text" jct.txt
done
draw slowdown jobs.csv --size column --title 'Slow & <down>'
draw rho jobs.csv --log x --size slide
draw gpus series.csv --summary summary.json
again gpus series.csv --summary summary.json
for text in v100 p100 k80 'all GPUs of the cluster' 'time (h)' las fifo; do
  expect "gpus.svg says $text" grep -qxF -- "$text" gpus.txt
done
draw queue series.csv
again queue series.csv
draw occupancy events.csv
again occupancy events.csv
for text in 'n0 v100' 'n14 k80' 'GPUs'; do
  expect "occupancy.svg says $text" grep -qxF -- "$text" occupancy.txt
done
draw sweep results.csv --x gap --y jct_s.mean --by policy,beam
again sweep results.csv --x gap --y jct_s.mean --by policy,beam
for text in 'las, beam=' 'hadar, beam=16' gap 'jct.mean (min)' 'mean, with 95 % confidence bands'; do
  expect "sweep.svg says $text" grep -qxF -- "$text" sweep.txt
done

# Bytes of PNG and PDF, too, are those of the first time; the default name; a label.
for format in png pdf; do
  plot jct jobs.csv --log x -o "again.$format"
  expect_same "again.$format" "jct.$format"
done
plot queue series.csv --label las 'Least attained service' --policy fifo --policy las
expect_exit 0
svg_text queue.svg >queue.txt
expect 'a name of its own, in the order asked for' \
  test "$(grep -nxE 'fifo|Least attained service' queue.txt | cut -d: -f2 | tr '\n' ,)" = \
  'fifo,Least attained service,'
expect 'no other policy' test "$(grep -c gavel queue.txt)" = 0

# The same policy in two files.
plot jct jobs.csv more.csv -o two.svg
expect_exit 0
svg_text two.svg >two.txt
for text in 'las (jobs.csv)' 'las (more.csv)' fifo srtf; do
  expect "two.svg says $text" grep -qxF -- "$text" two.txt
done

# Odd characters stand as they are.
# shellcheck disable=SC2016 # that is the point
odd='gavel:o=a_b^{c}:"d" $HOME @x `date` \n %s it'\''s <&amp;> été'
python3 -c '
import csv, sys
rows = list(csv.reader(open("jobs.csv")))
for row in rows[1:]:
    row[0] = {"las": sys.argv[1]}.get(row[0], row[0])
csv.writer(open("odd.csv", "w")).writerows(rows)' "$odd"
for format in svg pdf; do
  plot jct odd.csv --size slide --title "$odd" -o "odd.$format"
  expect_exit 0
  expect_no_err
done
svg_text odd.svg >odd.txt
expect 'the odd name in title and legend' test "$(grep -cxF -- "$odd" odd.txt)" = 2

# A name that is too long for a line goes on in the next one, whole.
plot jct odd.csv --size column --label fifo "$(printf 'x%.0s' {1..150})" -o long.svg
expect_exit 0
expect 'all 150 letters' test "$(svg_text long.svg | grep -xE 'x+' | tr -d '\n' | wc -c)" = 150
