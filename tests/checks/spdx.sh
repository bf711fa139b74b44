#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Source files name their licence in the first line (scripts in the second).
set -euo pipefail
cd -- "$SOURCE_DIR"

bad=0
checked=0
while IFS= read -r -d '' file; do
  checked=$((checked + 1))
  first=''
  second=''
  { IFS= read -r first && IFS= read -r second; } <"$file" || true
  case $file in
    *.[ch]) [ "$first" = '/* SPDX-License-Identifier: GPL-3.0-or-later */' ] ;;
    *) [[ $first$second == *'SPDX-License-Identifier: GPL-3.0-or-later'* ]] ;;
  esac || {
    echo "$file: no SPDX-License-Identifier line at its start"
    bad=$((bad + 1))
  }
done < <(find include src tests examples scripts cmake packaging .ci .github CMakeLists.txt \
  CITATION.cff .clang-format .clang-tidy \
  -path tests/reference -prune -o -path tests/data -prune -o \
  -type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.cmake' -o -name '.clang*' \
  -o -name CMakeLists.txt -o -path 'scripts/*' -o -path '.ci/*' \
  -o -name '*.bash' -o -name '*.in' -o -name '*.yml' -o -name '*.cff' \) -print0)

echo "$checked files, $bad without a licence line"
[ "$checked" -gt 0 ] && [ "$bad" -eq 0 ]
