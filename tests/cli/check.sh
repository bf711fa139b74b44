#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --check against an earlier document, as a CI job uses it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

trace=$SOURCE_DIR/traces/philly.csv
hsim --policy fifo,hadar:beam=1 --trace "$trace" --limit 60 --json
expect_exit 0
cp -- "$out" "$work/base.json"

hsim --policy fifo,hadar:beam=1 --trace "$trace" --limit 60 --check "$work/base.json"
expect_exit 0
hsim --policy fifo,hadar:beam=1 --trace "$trace" --limit 60 --json --check "$work/base.json"
expect_exit 0
expect_same "$out" "$work/base.json"

# Another cost moves the figures of both runs.
hsim --policy fifo,hadar:beam=1 --trace "$trace" --limit 60 --restart-cost 60 \
  --check "$work/base.json"
expect_exit 3
expect_out 'makespan_s'
expect_out 'fifo'

# A figure that was edited by 0.1 % passes at 0.5 %, not at 0.
old=$(tr -d ' \n' <"$work/base.json" | sed -n 's/.*"makespan_s":\([0-9.]*\).*/\1/p' | head -n 1)
new=$(awk -v x="$old" 'BEGIN { printf "%.6f", x * 1.001 }')
sed "s/$old/$new/g" "$work/base.json" >"$work/edited.json"
expect 'the edit took' test "$(cmp -s "$work/base.json" "$work/edited.json" || echo differs)" = differs
hsim --policy fifo,hadar:beam=1 --trace "$trace" --limit 60 --check "$work/edited.json" \
  --tolerance 0.5%
expect_exit 0
hsim --policy fifo,hadar:beam=1 --trace "$trace" --limit 60 --check "$work/edited.json"
expect_exit 3
expect_out 'makespan_s'

# A run that the baseline has and the call has not, and the other way round.
hsim --policy fifo --trace "$trace" --limit 60 --check "$work/base.json"
expect_exit 3
hsim --policy fifo,hadar:beam=1,las --trace "$trace" --limit 60 --check "$work/base.json"
expect_exit 3

hsim --policy fifo --trace "$trace" --limit 60 --check "$work/absent.json"
expect_exit 1
expect_err 'absent.json'
printf '{"schema": "hsim.summary/1",\n "runs": [' >"$work/cut.json"
hsim --policy fifo --trace "$trace" --limit 60 --check "$work/cut.json"
expect_exit 1
expect_err 'cut.json:2'
hsim --policy fifo --trace "$trace" --limit 60 --check "$work/base.json" --tolerance much
expect_exit 2
expect_err '--tolerance'
