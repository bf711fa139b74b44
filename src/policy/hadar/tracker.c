/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/tracker.h"

#include <math.h>
#include <stdlib.h>

#include "model/memory.h"

int64_t tracker_copy_id(int64_t max_job_count, int copy, int64_t job) {
  return max_job_count * copy + job;
}

int64_t tracker_parent(int64_t max_job_count, int64_t id) {
  return id % max_job_count;
}

/* The copy with the largest remainder that can do one more whole step, -1 when none can. */
static int next_copy(const struct tracker *tracker, const double *rates, int n, double seconds,
                     const double *steps) {
  int best = -1;
  for (int h = 0; h < n; h++)
    if (steps[h] + 1 <= floor(rates[h] * seconds) &&
        (best < 0 || tracker->remainders[h] > tracker->remainders[best]))
      best = h;
  return best;
}

static int copy_for_rest(const double *rates, int n, double seconds, const double *steps,
                         double rest) {
  int best = -1;
  for (int h = 0; h < n; h++)
    if (steps[h] + rest <= rates[h] * seconds && (best < 0 || rates[h] > rates[best]))
      best = h;
  return best;
}

/* Beyond 2^53 there are no single steps in a double. */
#define MOST_WHOLE 9007199254740992.0

static void split_last(struct tracker *tracker, const double *rates, int n, double seconds,
                       double left, double *steps) {
  tracker->remainders =
      mem_grow(tracker->remainders, (size_t)n, &tracker->capacity, sizeof *tracker->remainders);
  double sum = 0, whole = floor(left), given = 0;
  for (int h = 0; h < n; h++)
    sum += rates[h];
  if (whole >= MOST_WHOLE) {
    for (int h = 0; h < n; h++)
      steps[h] = left * (rates[h] / sum);
    return;
  }
  for (int h = 0; h < n; h++) {
    double share = whole * (rates[h] / sum);
    steps[h] = fmin(floor(share), floor(rates[h] * seconds));
    tracker->remainders[h] = share - steps[h];
    given += steps[h];
  }
  while (given < whole) {
    given++;
    int h = next_copy(tracker, rates, n, seconds, steps);
    steps[h]++;
    tracker->remainders[h]--;
  }
  /* Rounding of the shares may have given away a step too many. */
  for (int h = 0; given > whole; h = (h + 1) % n)
    if (steps[h] > 0) {
      steps[h]--;
      given--;
    }
  double rest = left - whole;
  if (rest > 0)
    steps[copy_for_rest(rates, n, seconds, steps, rest)] += rest;
}

bool tracker_split(struct tracker *tracker, const double *rates, int n, double seconds, double left,
                   double *steps) {
  double sum = 0;
  for (int h = 0; h < n; h++) {
    steps[h] = fmax(0, floor(rates[h] * seconds));
    sum += steps[h];
  }
  if (sum < left)
    return false;
  split_last(tracker, rates, n, seconds, left, steps);
  return true;
}

void tracker_free(struct tracker *tracker) {
  free(tracker->remainders);
  *tracker = (struct tracker){0};
}
