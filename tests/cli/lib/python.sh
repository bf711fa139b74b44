# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# For tests whose readers are Python programs in tests/cli/lib; before lib.sh.
if ! python3 -c 'import csv, json' 2>/dev/null; then
  echo "skipped: python3 with its standard library is not installed"
  exit 77
fi
