#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The files that a run writes: the same bytes each time and whatever --jobs is, one header over all
# policies, rows that agree with the summary, nothing left behind when something fails.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

trace=$SOURCE_DIR/traces/philly.csv
policies=fifo,las,srtf,hadar:beam=1,gavel

outputs() {
  hsim --policy "$policies" --trace "$trace" --limit 80 --audit --json --jobs "$1" \
    --jobs-out "$work/$2.jobs.csv" --events-out "$work/$2.events.csv" \
    --series-out "$work/$2.series.csv" --policy-log "$work/$2.log"
  expect_exit 0
  expect_no_err
  cp -- "$out" "$work/$2.json"
}
outputs 1 a
outputs 4 b
for kind in jobs.csv events.csv series.csv log json; do
  expect_same "$work/a.$kind" "$work/b.$kind"
done

expect 'one header over all policies' \
  test "$(grep -c '^policy,job_id,app,tenant,model,workers,arrival_s,' "$work/a.jobs.csv")" = 1
expect 'a row for each job and policy' test "$(wc -l <"$work/a.jobs.csv")" = $((5 * 80 + 1))
expect 'policies in the order given' \
  test "$(awk -F, 'NR > 1 && $1 != last { printf "%s ", $1; last = $1 }' "$work/a.jobs.csv")" = \
  'fifo las srtf hadar:beam=1 gavel '

# The mean JCT and the mean rho of the summary are those of the rows; the Philly log has no apps.
hsim --policy fifo --trace "$trace" --limit 80 --json --jobs-out "$work/jobs.csv"
expect_exit 0
cp -- "$out" "$work/fifo.json"
for column in jct_s rho; do
  mean=$(tr -d ' \n' <"$work/fifo.json" | sed -n "s/.*\"$column\":{\"mean\":\([0-9.e+]*\).*/\1/p")
  # shellcheck disable=SC2016 # awk's own $
  expect "the mean of the column $column is $mean" awk -F, -v mean="$mean" -v name="$column" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
    { sum += $column; n++ }
    END { d = sum / n - mean; exit !(n == 80 && d < 1e-6 && d > -1e-6) }' "$work/jobs.csv"
done

# A file that cannot be made: nothing runs, nothing is left.
hsim --policy fifo --trace "$trace" --jobs-out "$work/no/such/folder.csv"
expect_exit 4
expect_err 'no/such/folder.csv'

# A full disk and a closed stdout.
hsim --policy fifo --trace "$trace" --limit 20 --jobs-out /dev/full
expect_exit 4
expect_err '/dev/full: cannot write: No space left on device'
run bash -c '"$1" --policy fifo --trace "$2" --limit 20 >/dev/full' _ "$HSIM" "$trace"
expect_exit 4
expect_err 'standard output'
run bash -c '"$1" --policy fifo --trace "$2" --limit 20 --json >&-' _ "$HSIM" "$trace"
expect_exit 4
expect_err 'standard output'

# What was there stays when the run fails.
echo precious >"$work/kept.csv"
hsim --policy fifo --trace "$work/absent.csv" --jobs-out "$work/kept.csv"
expect_exit 1
expect 'the old file is untouched' test "$(cat "$work/kept.csv")" = precious
expect 'no temporary file is left' test "$(find "$work" -name '*kept.csv*' | wc -l)" = 1

# Any name works, and nothing in it is run.
odd="$work/a b;\$(touch oops).csv"
cp -- "$trace" "$odd"
hsim --policy fifo --trace "$odd" --limit 20 --jobs-out "$odd.out"
expect_exit 0
expect 'the output has the odd name' test -s "$odd.out"
expect 'nothing was run' test ! -e oops -a ! -e "$work/oops"

# From stdin, plain and compressed.
run bash -c '"$1" --policy fifo --trace - --limit 80 --json <"$2"' _ "$HSIM" "$trace"
expect_exit 0
run bash -c 'gzip -c "$2" | "$1" --policy fifo --trace - --limit 80' _ "$HSIM" "$trace"
expect_exit 0
expect_out '80/80'

# An empty name is refused before anything runs, whatever the option; so is a report that cannot be
# written.
for option in trace cluster rates speedups costs check events-in jobs-out swf-out batsim-out; do
  hsim --policy fifo --trace "$trace" "--$option" ''
  expect_exit 2
  expect_err "option --$option: value \"\": expected "
done
hsim --policy fifo --trace "$trace" --limit 2 --json
expect_exit 0
cp -- "$out" "$work/base.json"
hsim --policy fifo --trace "$trace" --limit 2 --check "$work/base.json" --junit "$work/absent/x.xml"
expect_exit 4
expect_err 'absent/x.xml: cannot open for writing'
expect 'nothing ran' test ! -s "$out"
