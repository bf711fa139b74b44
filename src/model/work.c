/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/work.h"

#include <math.h>

double work_seconds(const struct rates *rates, enum missing_size missing_size,
                    const struct hsim_job *job, int type) {
  double seconds = 0, done = 0;
  int model = job->model;
  for (int p = 0; type >= 0; p++) {
    double end = p < job->n_phases ? fmin(job->phases[p].from_step, job->steps) : job->steps;
    double rate = rates_thr(rates, missing_size, model, type, job->workers, NULL);
    if (end > done && !(rate > 0))
      return INFINITY;
    if (end > done)
      seconds += (end - done) / rate;
    done = fmax(done, end);
    if (p == job->n_phases)
      return seconds;
    model = job->phases[p].model;
  }
  return INFINITY;
}
