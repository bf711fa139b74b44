#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The shipped data is what traces/SOURCES.md says: its checksums hold, every trace is in the list,
# the Philly cut comes out of the full log again, and the built-in rates out of Gavel's, byte for byte.
set -euo pipefail
cd -- "$SOURCE_DIR"

sums=$(awk '/^```$/ { inside = !inside; next } inside' traces/SOURCES.md)
sha256sum --check --strict --quiet <<<"$sums"
while IFS= read -r -d '' file; do
  if ! grep -qF "  $file" <<<"$sums"; then
    echo "$file: no checksum in traces/SOURCES.md"
    exit 1
  fi
done < <(find traces -type f ! -name SOURCES.md -print0)

if ! command -v python3 >/dev/null; then
  echo "skipped: python3 is not installed"
  exit 77
fi
again=$(mktemp)
trap 'rm -f -- "$again"' EXIT
scripts/make-philly-cut traces/philly-full.csv.gz "$again"
cmp -- "$again" traces/philly.csv
scripts/rates-to-csv configs/rates/gavel_simulation.json >"$again"
cmp -- "$again" configs/rates/gavel_simulation.csv
