/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/intervals.h"

void put_intervals(struct out *out, const int *numbers, int n, int first, char separator) {
  for (int i = 0; i < n;) {
    int last = i;
    while (last + 1 < n && numbers[last + 1] == numbers[last] + 1)
      last++;
    if (i > 0)
      out_char(out, separator);
    out_int(out, numbers[i] - first);
    if (last > i) {
      out_char(out, '-');
      out_int(out, numbers[last] - first);
    }
    i = last + 1;
  }
}
