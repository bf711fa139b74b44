#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# All C files are as clang-format leaves them.
set -euo pipefail
cd -- "$SOURCE_DIR"

if ! command -v clang-format >/dev/null; then
  echo "skipped: clang-format is not installed"
  exit 77
fi
find include src tests examples -name '*.[ch]' -print0 | LC_ALL=C sort -z |
  xargs -0 clang-format --style=file --dry-run -Werror
