/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace in the Standard Workload Format: the run time is that of the gang on the reference type.
 */
#include <math.h>
#include <stdio.h>

#include "output/swf.h"
#include "output/trace_write.h"

static int most_workers(const struct trace *trace) {
  int most = 0;
  for (int i = 0; i < trace->n_jobs; i++)
    most = trace->jobs[i].workers > most ? trace->jobs[i].workers : most;
  return most;
}

/* A duration that went through steps and back may be off by its last bits. */
static bool is_fraction(double seconds) {
  return fabs(seconds - round(seconds)) > 1e-9 * seconds;
}

static bool has_fractions(const struct hsim_job *job, double duration_s) {
  return is_fraction(job->arrival_s) || is_fraction(duration_s) || is_fraction(job->estimate_s);
}

void trace_write_swf(const struct trace_to_write *from, struct out *out, int losses[N_LOSSES]) {
  const struct trace *trace = from->trace;
  struct swf swf = swf_begin(trace, from->models, out);
  char note[160];
  snprintf(note, sizeof note,
           "processors are GPUs, run times those of the whole gang on the reference GPU type; the "
           "largest gang has %d",
           most_workers(trace));
  swf_head(&swf);
  swf_comment(&swf, "Note", note);
  swf_names(&swf);
  for (int i = 0; i < trace->n_jobs; i++) {
    const struct hsim_job *job = &trace->jobs[i];
    struct swf_times times = {.submit = round(job->arrival_s),
                              .wait = -1,
                              .run = fmax(round(from->durations_s[i]), 1),
                              .processors = job->workers,
                              .cpu = -1,
                              .status = 1};
    swf_job(&swf, i, &times);
    trace_write_count(from, job, losses);
    losses[LOSS_ID] += !swf.ids_are_numbers;
    losses[LOSS_SECONDS] += has_fractions(job, from->durations_s[i]);
    losses[LOSS_MODEL] += job->model >= 0;
    losses[LOSS_WEIGHT] += job->weight != 1;
  }
}
