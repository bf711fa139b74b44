/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/swf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 18 }; /* fit in 64 bits */

/* The format counts jobs from 1, so that 0 is no number of a job there. */
static bool ids_are_numbers(const struct trace *trace) {
  for (int i = 0; i < trace->n_jobs; i++) {
    const char *id = trace->jobs[i].id;
    size_t n = strlen(id);
    if (n == 0 || n > MOST_DIGITS || id[0] == '0' || strspn(id, "0123456789") != n)
      return false;
  }
  return true;
}

struct swf swf_begin(const struct trace *trace, const struct names *models, struct out *out) {
  return (struct swf){
      .trace = trace, .models = models, .out = out, .ids_are_numbers = ids_are_numbers(trace)};
}

void swf_comment(const struct swf *swf, const char *label, const char *text) {
  out_text(swf->out, "; ");
  out_text(swf->out, label);
  out_text(swf->out, ": ");
  for (; *text != '\0'; text++) /* a name must not begin a line of its own */
    out_char(swf->out, (unsigned char)*text < 0x20 ? ' ' : *text);
  out_char(swf->out, '\n');
}

static void put_name(const struct swf *swf, const char *what, int number, const char *name) {
  char label[64];
  snprintf(label, sizeof label, "%s %d", what, number);
  swf_comment(swf, label, name);
}

void swf_head(const struct swf *swf) {
  char number[16];
  snprintf(number, sizeof number, "%d", swf->trace->n_jobs);
  swf_comment(swf, "Version", "2.2");
  swf_comment(swf, "MaxJobs", number);
  swf_comment(swf, "MaxRecords", number);
}

void swf_names(const struct swf *swf) {
  const struct trace *trace = swf->trace;
  bool *used = mem_zero((size_t)swf->models->n, sizeof *used);
  for (int i = 0; i < trace->n_jobs; i++)
    if (trace->jobs[i].model >= 0)
      used[trace->jobs[i].model] = true;
  for (int m = 0; m < swf->models->n; m++)
    if (used[m])
      put_name(swf, "Executable", m + 1, swf->models->at[m]);
  for (int t = 0; t < trace->tenants.n; t++)
    put_name(swf, "User", t + 1, trace->tenants.at[t]);
  for (int a = 0; a < trace->apps.n; a++)
    put_name(swf, "Group", a + 1, trace->apps.at[a]);
  free(used);
}

static void put(struct out *out, double value) {
  out_char(out, ' ');
  out_number(out, value);
}

void swf_job(const struct swf *swf, int index, const struct swf_times *times) {
  const struct hsim_job *job = &swf->trace->jobs[index];
  struct out *out = swf->out;
  if (swf->ids_are_numbers)
    out_text(out, job->id); /* 1 job */
  else
    out_int(out, index + 1);
  put(out, times->submit);                                                 /* 2 */
  put(out, times->wait);                                                   /* 3 */
  put(out, times->run);                                                    /* 4 */
  put(out, times->processors);                                             /* 5 */
  put(out, times->cpu);                                                    /* 6 */
  put(out, -1);                                                            /* 7 memory */
  put(out, job->workers);                                                  /* 8 requested */
  put(out, isnan(job->estimate_s) ? -1 : fmax(round(job->estimate_s), 1)); /* 9 time requested */
  put(out, -1);                                                            /* 10 memory requested */
  put(out, times->status);                                                 /* 11 */
  put(out, job->tenant >= 0 ? job->tenant + 1 : -1);                       /* 12 user */
  put(out, job->app >= 0 ? job->app + 1 : -1);                             /* 13 group */
  put(out, job->model >= 0 ? job->model + 1 : -1);                         /* 14 executable */
  out_text(out, " -1 -1 -1 -1\n"); /* 15 queue, 16 partition, 17 preceding job, 18 think time */
}
