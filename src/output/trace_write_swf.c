/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Standard Workload Format: comments that begin with a semicolon, then 18 numbers a job, -1
 * where something is not known. A processor is a GPU, the run time that of the gang on the
 * reference type; users are tenants, groups apps, and executables models, whose names the comments
 * give.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/number.h"
#include "output/trace_write.h"

/* Whether each id is a number that comes back the same from every reader of SWF. */
static bool ids_are_numbers(const struct trace *trace) {
  for (int i = 0; i < trace->n_jobs; i++) {
    const char *id = trace->jobs[i].id;
    size_t n = strlen(id);
    if (n == 0 || n > 9 || id[0] == '0' || strspn(id, "0123456789") != n)
      return false;
  }
  return true;
}

static void put_comment(struct out *out, const char *what, int number, const char *text) {
  char start[64];
  snprintf(start, sizeof start, "; %s %d: ", what, number);
  out_text(out, start);
  for (; *text != '\0'; text++) /* a name must not begin a line of its own */
    out_char(out, (unsigned char)*text < 0x20 ? ' ' : *text);
  out_char(out, '\n');
}

static int most_workers(const struct trace *trace) {
  int most = 0;
  for (int i = 0; i < trace->n_jobs; i++)
    most = trace->jobs[i].workers > most ? trace->jobs[i].workers : most;
  return most;
}

static void put_head(const struct trace_to_write *from, struct out *out) {
  const struct trace *trace = from->trace;
  bool *used = mem_zero((size_t)from->models->n, sizeof *used);
  out_text(out, "; Version: 2.2\n; MaxJobs: ");
  out_int(out, trace->n_jobs);
  out_text(out, "\n; MaxRecords: ");
  out_int(out, trace->n_jobs);
  out_text(out, "\n; Note: processors are GPUs, run times those of the whole gang on the "
                "reference GPU type; the largest gang has ");
  out_int(out, most_workers(trace));
  out_char(out, '\n');
  for (int i = 0; i < trace->n_jobs; i++)
    if (trace->jobs[i].model >= 0)
      used[trace->jobs[i].model] = true;
  for (int m = 0; m < from->models->n; m++)
    if (used[m])
      put_comment(out, "Executable", m + 1, from->models->at[m]);
  for (int t = 0; t < trace->tenants.n; t++)
    put_comment(out, "User", t + 1, trace->tenants.at[t]);
  for (int a = 0; a < trace->apps.n; a++)
    put_comment(out, "Group", a + 1, trace->apps.at[a]);
  free(used);
}

static void put(struct out *out, double value) {
  out_char(out, ' ');
  out_number(out, value);
}

static void put_job(const struct hsim_job *job, double duration_s, struct out *out) {
  double estimate = isnan(job->estimate_s) ? -1 : fmax(round(job->estimate_s), 1);
  put(out, round(job->arrival_s));                   /* 2 submit */
  put(out, -1);                                      /* 3 wait */
  put(out, fmax(round(duration_s), 1));              /* 4 run */
  put(out, job->workers);                            /* 5 processors allocated */
  out_text(out, " -1 -1");                           /* 6 CPU time, 7 memory */
  put(out, job->workers);                            /* 8 processors requested */
  put(out, estimate);                                /* 9 time requested */
  out_text(out, " -1 1");                            /* 10 memory requested, 11 status: completed */
  put(out, job->tenant >= 0 ? job->tenant + 1 : -1); /* 12 user */
  put(out, job->app >= 0 ? job->app + 1 : -1);       /* 13 group */
  put(out, job->model >= 0 ? job->model + 1 : -1);   /* 14 executable */
  out_text(out, " -1 -1 -1 -1\n"); /* 15 queue, 16 partition, 17 preceding job, 18 think time */
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
  bool numbers = ids_are_numbers(trace);
  put_head(from, out);
  for (int i = 0; i < trace->n_jobs; i++) {
    const struct hsim_job *job = &trace->jobs[i];
    if (numbers)
      out_text(out, job->id);
    else
      out_int(out, i + 1);
    put_job(job, from->durations_s[i], out);
    trace_write_count(from, job, losses);
    losses[LOSS_ID] += !numbers;
    losses[LOSS_SECONDS] += has_fractions(job, from->durations_s[i]);
    losses[LOSS_MODEL] += job->model >= 0;
    losses[LOSS_WEIGHT] += job->weight != 1;
  }
}
