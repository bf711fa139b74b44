#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Published logs from the command line: the options that settle what they leave open, and how the
# counts of what was left out come back.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

data=$SOURCE_DIR/tests/data/input

hsim --policy fifo --trace "$data/openb_pods.csv"
expect_exit 1
expect_no_out
expect_err 'openb_pods.csv:3: column gpu_milli: value "460": expected whole GPUs'

hsim --policy fifo --trace "$data/openb_pods.csv" --fractional up --json
expect_exit 0
expect_out '"format": "openb"'
expect_out '"rows": 7'
expect_out '"skipped_rows": 3'
expect_out '"skipped_by_reason": { "never started": 2, "no GPUs": 1 }'
expect_out '"time_unit": "seconds"'
expect_out '"remarks": { "jobs with a part of a GPU, rounded up": 1 }'

hsim --policy fifo --trace "$data/openb_pods.csv" --fractional skip
expect_exit 0
expect_out_line 'times of the trace are read as seconds (--time-unit)'
expect_out_line 'rows of the trace that were skipped, a part of a GPU: 1'
expect_out_line 'rows of the trace that were skipped, never started: 2'

hsim --policy fifo --trace "$data/tiresias.csv" --time-unit minutes --json
expect_exit 0
expect_out '"time_unit": "minutes"'
expect_out '"last_arrival_s": 7920'

hsim --policy fifo --trace "$data/philly.csv" --time-unit minutes
expect_exit 2
expect_err 'the format philly fixes its unit'

hsim --policy fifo --trace "$data/philly_log.json" --attempts each --jobs-out - --quiet
expect_exit 0
expect_out ',application_1506638472019_14199/2,application_1506638472019_14199,ee9e8c,'

hsim --policy fifo --trace "$data/helios.csv" --time-zone Asia/Shanghai
expect_exit 2
expect_err 'option --time-zone: value "Asia/Shanghai": expected UTC, +HH:MM, -HH:MM, or a POSIX rule'

hsim --policy fifo --trace "$data/helios.csv" --repeated-hour third
expect_exit 2
expect_err 'option --repeated-hour: value "third": expected first or second'

# By name.
hsim --policy fifo --trace "$data/tiresias.csv" --trace-format muri --json
expect_exit 0
expect_out '"format": "muri"'
expect_out '"time_unit": "milliseconds"'

hsim --policy fifo --trace "$data/tiresias.csv" --cluster "$data/philly_machines.csv" --cluster-gpu p100
expect_exit 0
expect_out '5 nodes, 30 GPUs (30 p100)'

hsim --policy fifo --trace "$data/tiresias.csv" --cluster 8:0:0
expect_exit 0
expect_out '8 nodes, 8 GPUs (8 v100)'
