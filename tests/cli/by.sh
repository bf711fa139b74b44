#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --by: the groups of a summary are the jobs of the jobs CSV, in the JSON and in the table, and
# --check compares them where both documents have them.
# shellcheck source=tests/cli/lib/python.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib/python.sh"
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
philly=(--trace "$SOURCE_DIR/traces/philly.csv" --limit 80)
example=(--trace "$SOURCE_DIR/docs/examples/jobs.csv" --cluster "$SOURCE_DIR/docs/examples/lab.json"
  --rates "$SOURCE_DIR/docs/examples/rates.csv" --reference-gpu fast)

for key in tenant model workers; do
  hsim --policy las,fifo "${philly[@]}" --by "$key" --json --jobs-out "$work/jobs.csv"
  expect_exit 0
  cp -- "$out" "$work/$key.json"
  run "$python" "$SOURCE_DIR/tests/cli/lib/check_by.py" "$work/$key.json" "$work/jobs.csv" "$key"
  expect_exit 0
  expect_no_out
  expect_no_err
done
# Jobs that do not finish, and a window of jobs.
hsim --policy las "${example[@]}" --by tenant --json --jobs-out "$work/jobs.csv"
expect_exit 0
cp -- "$out" "$work/example.json"
run "$python" "$SOURCE_DIR/tests/cli/lib/check_by.py" "$work/example.json" "$work/jobs.csv" tenant
expect_exit 0
hsim --policy las "${philly[@]}" --measure 20:50 --by model --json --jobs-out "$work/all.csv"
expect_exit 0
cp -- "$out" "$work/window.json"
awk 'NR == 1 || (NR > 21 && NR <= 51)' "$work/all.csv" >"$work/jobs.csv"
run "$python" "$SOURCE_DIR/tests/cli/lib/check_by.py" "$work/window.json" "$work/jobs.csv" model
expect_exit 0
# The reader sees what is wrong.
sed -i '0,/"finished": 30/s//"finished": 29/' "$work/tenant.json"
hsim --policy las,fifo "${philly[@]}" --quiet --jobs-out "$work/jobs.csv"
run "$python" "$SOURCE_DIR/tests/cli/lib/check_by.py" "$work/tenant.json" "$work/jobs.csv" tenant
expect_exit 1

# The table, also over seeds.
hsim --policy las "${example[@]}" --by tenant
expect_exit 0
expect_out 'policy  tenant   of jobs'
expect_out_line 'las     alice        2/2   1.41   0.46   0.35   0.57     0.04      2.61      3.17   1.82   2.22'
hsim --policy las,fifo "${philly[@]}" --seeds 1,2 --by workers
expect_exit 0
expect 'a row for each size and policy' test "$(grep -cE '^(las|fifo) +1 +[0-9.]+/' "$out")" = 2

# Comparing with and without groups.
hsim --policy las "${philly[@]}" --json
cp -- "$out" "$work/plain.json"
hsim --policy las "${philly[@]}" --by model --check "$work/plain.json"
expect_exit 0
hsim --policy las "${philly[@]}" --by workers --json
cp -- "$out" "$work/groups.json"
hsim --policy las "${philly[@]}" --check "$work/groups.json"
expect_exit 0
hsim --policy las "${philly[@]}" --by workers --check "$work/groups.json"
expect_exit 0
hsim --policy las "${philly[@]}" --by model --check "$work/groups.json"
expect_exit 3
expect_out 'by.key'
hsim --policy las "${philly[@]}" --by workers --restart-cost 30 --check "$work/groups.json"
expect_exit 3
expect_out 'by[2].jct_s.mean'

hsim --policy las "${philly[@]}" --by user
expect_exit 2
expect_err 'option --by: value "user": expected'
