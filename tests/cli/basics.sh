#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --help, --version, and what a wrong command line is answered with.
# shellcheck source=tests/cli/lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

version=$(sed -n 's/^project(hsim VERSION \([0-9.]*\).*/\1/p' "$SOURCE_DIR/CMakeLists.txt")

hsim --version
expect_exit 0
expect_out "hsim $version"
expect_no_err

hsim --help
expect_exit 0
expect_out '--policy'
expect_out '--trace'
expect_out '--cluster'
expect_no_err

hsim --list-policies
expect_exit 0
expect_out 'fifo'
expect_no_err
expect 'no line is wider than 120' test -z "$(awk 'length > 120' "$out")"

hsim
expect_exit 2
expect_no_out
expect_err '--policy'

hsim --polcy fifo
expect_exit 2
expect_no_out
expect_err '--polcy'

hsim --policy no_such_policy --trace "$SOURCE_DIR/traces/gavel/debug.trace"
expect_exit 2
expect_no_out
expect_err 'no_such_policy'

hsim --policy fifo --trace "$work/absent.csv"
expect_exit 1
expect_no_out
expect_err 'absent.csv'
