#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What scripts/plot refuses: the message says where and what was expected, the exit codes are hsim's,
# and what was there before stays.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"
# shellcheck source=tests/cli/lib/plot.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib/plot.sh"

cd -- "$work"
# refused EXIT MESSAGE ARGUMENTS...: fails with this message on stderr, and writes nothing.
refused() {
  local code=$1 message=$2
  shift 2
  echo before >kept.svg
  plot "$@" -o kept.svg
  expect_exit "$code"
  expect_err "plot: $message"
  expect_no_out
  expect 'what was there stays' test "$(cat kept.svg)" = before
}

printf 'policy,job_id,jct_s\nlas,1,5\nlas,2,6\n' >good.csv

# Files.
: >empty.csv
refused 1 'empty.csv: is empty: expected a jobs CSV (hsim --jobs-out)' jct empty.csv
echo policy,job_id,jct_s >header.csv
refused 1 'header.csv: has no rows: expected a jobs CSV (hsim --jobs-out)' jct header.csv
refused 1 'no.csv: cannot be read: No such file or directory' jct no.csv
refused 1 'good.csv:1: no column "time_s": expected a series CSV (hsim --series-out)' queue good.csv
refused 1 'good.csv:1: no column "slowdown": expected a jobs CSV' slowdown good.csv
refused 1 'good.csv:1: no column "jct"; did you mean "jct_s"?' sweep good.csv --x jct --y jct_s
printf 'policy,job_id,jct_s\nlas,1,5\nlas,2,x1\n' >bad.csv
refused 1 'bad.csv:3: column jct_s: value "x1": expected a number or an empty cell' jct bad.csv
for value in nan 0x10 1_000 ' 1' 1e999; do
  printf 'policy,job_id,jct_s\nlas,1,%s\n' "$value" >bad.csv
  refused 1 "bad.csv:2: column jct_s: value \"$value\": expected" jct bad.csv
done
printf 'policy,job_id,jct_s\nlas,"a\nb",5\nlas,2\n' >bad.csv
refused 1 'bad.csv:4: a row of 2 cells: expected 3, as in the header' jct bad.csv
printf 'policy,job_id,jct_s\nlas,1,"5"x\n' >bad.csv
refused 1 'bad.csv:2: not CSV' jct bad.csv
printf 'policy,policy,jct_s\n' >bad.csv
refused 1 'bad.csv:1: column "policy" twice' jct bad.csv
printf 'policy,job_id,jct_s\nlas,1,5\nlas,1,5\n' >bad.csv
refused 1 'bad.csv:3: column job_id: value "1": expected each job once a policy and seed' jct bad.csv
printf 'policy,job_id,jct_s\nlas,1,\n' >bad.csv
refused 1 'bad.csv: no row has a jct_s: nothing to draw' jct bad.csv
printf 'policy,job_id,jct_s\nlas,1,0\n' >bad.csv
refused 1 'bad.csv:2: column jct_s: value "0": expected a number above 0 on a logarithmic axis' \
  jct bad.csv --log x
printf 'policy,time_s,queued\nlas,5,1\nlas,4,1\n' >bad.csv
refused 1 'bad.csv:3: column time_s: value "4": expected times that ascend' queue bad.csv
refused 1 'bad.csv:1: no column "held_TYPE": expected a series CSV' gpus bad.csv
printf 'policy,time_s,event,job_id,gang,placement\nlas,5,start,a,0,n0\n' >bad.csv
refused 1 'bad.csv:2: column placement: value "n0": expected NODE:TYPE:GPUS joined by ;' occupancy bad.csv
printf 'policy,time_s,event,job_id,gang,placement\nlas,5,go,a,0,\n' >bad.csv
refused 1 'bad.csv:2: column event: value "go": expected one of arrive, start,' occupancy bad.csv
printf 'policy,time_s,event,job_id,gang,placement\nlas,5,arrive,a,0,\n' >bad.csv
refused 1 'bad.csv: no job starts: nothing to draw' occupancy bad.csv
printf 'policy,time_s,queued,held_v,seed\nlas,0,1,1,1\nlas,0,1,1,2\n' >seeds.csv
for kind in queue gpus; do
  refused 2 'seeds.csv: several seeds (1, 2): choose one with --seed' "$kind" seeds.csv
done
printf 'policy,a,b\nlas,,1\n' >bad.csv
refused 1 'bad.csv:2: column a: value "": expected a number' sweep bad.csv --x a --y b
printf 'policy,time_s,held_v\nlas,0,1\n' >series.csv
echo '{"schema": "other"}' >other.json
refused 1 'other.json: schema: expected hsim.summary/1' gpus series.csv --summary other.json
echo '{' >broken.json
refused 1 'broken.json:2: not JSON' gpus series.csv --summary broken.json

# The command line.
refused 2 'no kind "jtc"; did you mean "jct"?' jtc good.csv
refused 2 'no kind "pie": there are jct, slowdown,' pie good.csv
refused 2 'option --policy: no "fifo" in good.csv: there are "las"' jct good.csv --policy fifo
refused 2 'option --seed: no "7" in seeds.csv' queue seeds.csv --seed 7
refused 2 'sweep needs --x COLUMN and --y COLUMN' sweep good.csv --x jct_s
refused 2 'option --format: value "gif": expected svg, png or pdf' jct good.csv --format gif
refused 2 'option --size: value "huge": expected column, page, slide or WIDTHxHEIGHT in inches' \
  jct good.csv --size huge
refused 2 'option --size: too low for the texts of this figure' jct good.csv --size 6x1
refused 2 'option --dpi: value "0": expected a number from 30 to 1200' jct good.csv --dpi 0
refused 2 'option --unit: value "weeks": expected s, min, h, days' jct good.csv --unit weeks
refused 2 'option --log: value "y": expected x for jct' jct good.csv --log y
refused 2 'option --log: value "x": expected nothing: queue has linear axes' queue seeds.csv --log x
refused 2 'unrecognized arguments: --colour' jct good.csv --colour
plot jct good.csv -o figure.gif
expect_exit 2
expect_err 'option --out: value "figure.gif": expected a name that ends in .svg, .png or .pdf, or --format'
expect_err "Try 'scripts/plot --help'."
plot jct
expect_exit 2
plot --help
expect_exit 0
for option in --out --format --size --font --dpi --title --policy --seed --label --log --unit --xlabel \
  --ylabel --summary --x --y --by --keep; do
  expect_out "$option "
  expect "docs/figures.md has $option" grep -qF -- "\`$option" "$SOURCE_DIR/docs/figures.md"
done

# Outputs.
plot jct good.csv -o no/such/folder.svg
expect_exit 4
expect_err 'plot: no/such/folder.svg: cannot write: No such file or directory'
plot jct good.csv -o /dev/full --format svg
expect_exit 4
expect_err 'plot: /dev/full: cannot write: No space left on device'
run bash -c '"$1" jct - --format svg -o - <good.csv' _ "$SOURCE_DIR/scripts/plot"
expect_exit 0
expect_out '<svg'
expect 'no other files are left' test "$(find . -name '.*svg*' | wc -l)" = 0
