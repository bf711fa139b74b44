#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of scripts/report in a browser: no error on the console, nothing asked of the network, every
# figure drawn, every policy in the table. Leaves report.png beside the built tests.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib.sh"
# shellcheck source=tests/cli/lib/plot.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/../cli/lib/plot.sh"
command -v chromium >/dev/null || skip 'chromium is not installed'
command -v chromedriver >/dev/null || skip 'chromedriver is not installed (chromium-driver)'

cd -- "$work"
long=gavel:objective=max_min_fairness_perf
run "$SOURCE_DIR/scripts/report" --run made -- --policy "las,fifo,$long,hadar:beam=1" \
  --trace "$SOURCE_DIR/traces/philly.csv" --limit 60
expect_exit 0
cp -- "$SOURCE_DIR/docs/examples/sweep.csv" made/results.csv
run "$SOURCE_DIR/scripts/report" made
expect_exit 0

screenshot=${POLICIES_DIR:?}/../report.png
run python3 "$SOURCE_DIR/tests/cli/lib/browse.py" "$PWD/made/report.html" "$screenshot"
expect_exit 0
cp -- "$out" seen.json

# seen EXPRESSION: holds for what the browser saw.
seen() {
  expect "$1" python3 -c "
import json
page = json.load(open('seen.json'))
assert $1, page" "$1"
}
seen "page['console'] == []"
seen "all(url.startswith(('file:///', 'data:')) for url in page['requests']) and page['requests']"
seen "sum(url.startswith('file:') for url in page['requests']) == 1"
seen "len(page['figures']) == 5 + 4 + 1"
seen "all(f['width'] > 300 and f['height'] > 150 and f['shapes'] > 10 for f in page['figures'])"
seen "all(f['role'] == 'img' and len(f['label']) > 20 and f['caption'].startswith('Figure ') for f in page['figures'])"
seen "page['policies'] == ['las', 'fifo', '$long', 'hadar:beam=1']"
seen "len(page['columns']) == 10 and page['best'] >= 10"
seen "'hsim --policy las,fifo,$long,hadar:beam=1 --trace ' in page['text']"
seen "page['scripts'] == 0 and page['twice'] == [] and page['broken'] == 0"
seen "page['width'] <= 1100"
expect 'a screenshot' test -s "$screenshot"
