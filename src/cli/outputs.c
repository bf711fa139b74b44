/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/same_file.h"
#include "output/csv.h"

static const char *path_of(const struct cli_options *options, int output) {
  const char *const paths[N_OUTPUTS] = {options->jobs_out, options->events_out, options->series_out,
                                        options->policy_log};
  return paths[output];
}

static bool is_stdout(const char *path) {
  return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

bool outputs_use_stdout(const struct cli_options *options) {
  for (int i = 0; i < N_OUTPUTS; i++)
    if (path_of(options, i) && is_stdout(path_of(options, i)))
      return true;
  return false;
}

static enum hsim_status check_paths(const struct cli_options *options, struct hsim_error *error) {
  const char *const inputs[] = {options->input.trace, options->input.cluster,
                                options->input.rates, options->input.speedups,
                                options->costs,       options->check};
  int on_stdout = options->json ? 1 : 0;
  for (int i = 0; i < N_OUTPUTS; i++) {
    const char *path = path_of(options, i);
    if (!path)
      continue;
    on_stdout += is_stdout(path);
    for (int k = 0; k < i; k++)
      if (path_of(options, k) && !is_stdout(path) && same_file(path, path_of(options, k)))
        return hsim_fail(error, HSIM_BAD_USAGE, "%s: two outputs in one file", path);
    for (size_t k = 0; k < sizeof inputs / sizeof inputs[0]; k++)
      if (inputs[k] && same_file(path, inputs[k]))
        return hsim_fail(error, HSIM_BAD_USAGE, "%s: an output over an input", path);
  }
  if (on_stdout > 1)
    return hsim_fail(error, HSIM_BAD_USAGE, "more than one output on the standard output");
  return HSIM_OK;
}

/* Each run has files of its own: many runs may have more of them than a process may by default. */
static void allow_many_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static enum hsim_status open_parts(struct outputs *outputs, struct hsim_error *error) {
  allow_many_files();
  outputs->parts = mem_zero(outputs->n_runs * N_OUTPUTS, sizeof(FILE *));
  for (size_t i = 0; i < outputs->n_runs * N_OUTPUTS; i++) {
    if (!outputs->wanted[i % N_OUTPUTS])
      continue;
    outputs->parts[i] = tmpfile();
    if (!outputs->parts[i])
      return hsim_fail(error, HSIM_FAILED, "cannot make a temporary file: %s", strerror(errno));
  }
  return HSIM_OK;
}

enum hsim_status outputs_open(const struct cli_options *options, const struct inputs *inputs,
                              struct outputs *outputs, struct hsim_error *error) {
  static const enum csv_kind kinds[] = {CSV_JOBS, CSV_EVENTS, CSV_SERIES};
  *outputs = (struct outputs){.n_runs = inputs->n_runs * cli_n_seeds(options)};
  enum hsim_status status = check_paths(options, error);
  for (int i = 0; i < N_OUTPUTS && status == HSIM_OK; i++) {
    if (!path_of(options, i))
      continue;
    status = out_open(&outputs->files[i], path_of(options, i), error);
    if (status != HSIM_OK)
      break;
    outputs->wanted[i] = true;
    if (i < 3)
      csv_header(&outputs->files[i], kinds[i], &inputs->cluster.view, options->seeds.n > 0);
  }
  if (status == HSIM_OK)
    status = open_parts(outputs, error);
  if (status != HSIM_OK)
    outputs_free(outputs);
  return status;
}

static int part_fd(const struct outputs *outputs, size_t run, int output) {
  FILE *part = outputs->parts[run * N_OUTPUTS + (size_t)output];
  return part ? fileno(part) : -1;
}

struct run_parts outputs_parts(const struct outputs *outputs, size_t run) {
  return (struct run_parts){.jobs = part_fd(outputs, run, 0),
                            .events = part_fd(outputs, run, 1),
                            .series = part_fd(outputs, run, 2),
                            .log = part_fd(outputs, run, 3)};
}

void outputs_keep(struct outputs *outputs, size_t run) {
  for (int i = 0; i < N_OUTPUTS; i++)
    if (outputs->wanted[i])
      close(outputs->files[i].fd);
  for (size_t i = 0; i < outputs->n_runs * N_OUTPUTS; i++)
    if (outputs->parts[i] && i / N_OUTPUTS != run)
      close(fileno(outputs->parts[i]));
}

void outputs_append(struct outputs *outputs, size_t run) {
  for (int i = 0; i < N_OUTPUTS; i++) {
    int fd = part_fd(outputs, run, i);
    if (fd >= 0)
      out_append_fd(&outputs->files[i], fd);
  }
}

enum hsim_status outputs_commit(struct outputs *outputs, struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  for (int i = 0; i < N_OUTPUTS; i++) {
    if (!outputs->wanted[i])
      continue;
    struct hsim_error this_one = {.status = HSIM_OK};
    enum hsim_status ended = out_commit(&outputs->files[i], &this_one);
    outputs->wanted[i] = false;
    if (ended == HSIM_OK || status != HSIM_OK)
      continue;
    status = ended;
    *error = this_one;
  }
  return status;
}

void outputs_free(struct outputs *outputs) {
  for (int i = 0; i < N_OUTPUTS; i++)
    if (outputs->wanted[i])
      out_discard(&outputs->files[i]);
  for (size_t i = 0; outputs->parts && i < outputs->n_runs * N_OUTPUTS; i++)
    if (outputs->parts[i])
      fclose(outputs->parts[i]);
  free(outputs->parts);
  *outputs = (struct outputs){0};
}
