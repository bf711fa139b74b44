#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/report makes a page that holds all that it shows: figures, policies, settings, escaped.
# tests/scripts/report_browser.sh opens one.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"
# shellcheck source=tests/cli/lib/plot.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib/plot.sh"

cd -- "$work"
report() {
  run "$SOURCE_DIR/scripts/report" "$@"
}
lab=(--trace "$SOURCE_DIR/docs/examples/jobs.csv" --cluster "$SOURCE_DIR/docs/examples/lab.json"
  --rates "$SOURCE_DIR/docs/examples/rates.csv" --reference-gpu fast)

# A run, and the page again from what it left.
report --run made -- --policy las,fifo,gavel:compat=fixed "${lab[@]}"
expect_exit 0
expect_no_out
for file in summary.json jobs.csv events.csv series.csv command.txt report.html; do
  expect "made/$file" test -s "made/$file"
done
expect 'the command' grep -q '^hsim --policy las,fifo,gavel:compat=fixed --trace ' made/command.txt
hsim --policy las,fifo,gavel:compat=fixed "${lab[@]}" --json
expect_same "$out" made/summary.json
report made -o again.html
expect_exit 0
expect_same made/report.html again.html
run env TZ=Asia/Tokyo LC_ALL=C "$SOURCE_DIR/scripts/report" made -o -
expect_same "$out" made/report.html
expect 'six figures and one more for each policy but one' test "$(grep -c '<figure id=' again.html)" = 8
expect 'nothing loaded, no script' test "$(grep -cE '<script|src=|href="http|@import' again.html)" = 0
expect 'no job finishes of d: said' grep -q 'left out, since without jct_s: 1 of 4 jobs' again.html

# hsim's own exit codes.
report --run failed -- --policy fifp "${lab[@]}"
expect_exit 2
expect_err 'fifp'
expect 'no page' test ! -e failed/report.html
report --run partial -- --policy "las,$POLICIES_DIR/misbehaves.so:do=fail" "${lab[@]}"
expect_exit 4
expect 'the policy that failed is on the page' grep -q 'class="failed">failed: ' partial/report.html

# Fewer files, a sweep, odd names.
mkdir few
python3 -c '
import json
document = json.load(open("made/summary.json"))
document["trace"]["file"] = "<b>&\"x.csv"
document["runs"][0]["policy"] = "<i>las</i> & co"
json.dump(document, open("few/summary.json", "w"))'
cp -- "$SOURCE_DIR/docs/examples/sweep.csv" few/results.csv
report few --sweep gap:jct_s.mean
expect_exit 0
expect_no_err
expect 'escaped' grep -q '&lt;i&gt;las&lt;/i&gt; &amp; co' few/report.html
expect 'not as markup' test "$(grep -cE '<i>|<b>' few/report.html)" = 0
expect 'what is missing' grep -q 'The folder has no jobs.csv, series.csv, events.csv' few/report.html
expect 'the sweep alone' test "$(grep -c '<figure id=' few/report.html)" = 1
report few
expect_exit 0
expect 'the first column that varies is the x axis' grep -q 'Figure 1: jct_s.mean against gap' few/report.html

# row POLICY: the cells of its row of the first table, as text.
row() {
  python3 -c '
import html, re, sys
table = open("best.html").read().split("<table>")[1]
row = next(r for r in table.split("<tr>") if re.sub("<[^>]*>", "", r.split("</th>")[0]) == sys.argv[1])
print("|".join(html.unescape(re.sub("<[^>]*>", "", cell)).strip() for cell in row.split("<td")[1:]))' "$1"
}

# Several seeds: a row a policy, means with intervals; levels are of the first seed.
report --run seeds -- --policy las,fifo "${lab[@]}" --seeds 1,2 --shake 20%
expect_exit 0
cp -- seeds/report.html best.html
hsim --policy las,fifo "${lab[@]}" --seeds 1,2 --shake 20% --json
mean=$(python3 -c '
import json, sys
jct = [run["jct_s"]["mean"] / 3600 for run in json.load(sys.stdin)["runs"] if run["policy"] == "las"]
print(f"{sum(jct) / 2:.4f}± {abs(jct[0] - jct[1]) / 2 * 12.7062:.4f}")' <"$out")
expect "las has $mean" test "$(row las | cut -d'|' -f3 | sed 's/.*>//; s/ ★//')" = "$mean"
expect 'its first seed' grep -q '<text>fifo (seed 1)</text>' seeds/report.html
expect 'the jobs of both' grep -q '<text>fifo (6 of 8 jobs, 2 seeds)</text>' seeds/report.html
run "$SOURCE_DIR/scripts/plot" queue seeds/series.csv --seed 2 -o queue.svg
expect_exit 0
run "$SOURCE_DIR/scripts/plot" queue seeds/series.csv -o queue.svg
expect_exit 2
expect_err 'several seeds (1, 2): choose one with --seed'

# The best of a column: the least mean JCT of those that finished the most jobs.
python3 -c '
import json
document = json.load(open("made/summary.json"))
runs = document["runs"]
for run, mean, finished in zip(runs, (7200, 3600, 1800), (3, 3, 2)):
    run["jct_s"]["mean"] = mean
    run["jobs"]["finished"] = finished
json.dump(document, open("few/summary.json", "w"))'
report few -o - --title best
expect_exit 0
cp -- "$out" best.html
# JCT mean is the third cell; what is left of the tag of a cell stands before a >.
for check in 'las=2.000' 'fifo=1.000 ★' 'gavel=0.5000*'; do
  expect "JCT mean $check" test "$(row "${check%%=*}" | cut -d'|' -f3 | sed 's/.*>//')" = "${check#*=}"
done

# Refused.
refused() {
  report "${@:3}"
  expect_exit "$1"
  expect_err "report: $2"
}
refused 1 'none/summary.json: cannot be read: No such file or directory' none
refused 2 'needs a folder: DIR or --run DIR'
refused 2 '--run DIR and -- HSIM-OPTIONS... go together' --run x
refused 2 '--jobs-out is set by --run' --run x -- --policy las --jobs-out y
refused 2 'option --sweep: value "gap": expected X:Y or X:Y:BY,...' few --sweep gap
refused 1 'few/results.csv:1: no column "gab"; did you mean "gap"?' few --sweep gab:jct_s.mean
echo '{"schema": "hsim.summary/1"}' >few/summary.json
refused 1 'few/summary.json: runs: expected an array' few
report --help
expect_exit 0
for option in --run --out --title --sweep; do
  expect_out "$option "
  expect "docs/figures.md has $option" grep -qF -- "\`$option" "$SOURCE_DIR/docs/figures.md"
done
