# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# For tests whose readers are Python programs in tests/cli/lib; before lib.sh. Sets $python, the
# program itself rather than a wrapper that takes longer to start.
# shellcheck disable=SC2034 # the tests use it
if ! python=$(python3 -c 'import csv, json, sys; print(sys.executable)' 2>/dev/null); then
  echo "skipped: python3 with its standard library is not installed"
  exit 77
fi
