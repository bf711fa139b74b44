/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/same_file.h"

/* The file of a row, to be freed; NULL when it is not wanted. */
static char *path_of(const struct cli_options *options, int output) {
  const char *value = options->out[output_files[output].option];
  const char *suffix = output_files[output].suffix;
  if (!value || !suffix)
    return value ? mem_text(value) : NULL;
  size_t n = strlen(value) + strlen(suffix) + 1;
  char *path = mem_alloc(n, 1);
  snprintf(path, n, "%s%s", value, suffix);
  return path;
}

static bool is_stdout(const char *path) {
  return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

bool outputs_use_stdout(const struct cli_options *options) {
  for (int i = 0; i < N_OUTPUT_FILES; i++) {
    const char *value = options->out[output_files[i].option];
    if (value && !output_files[i].suffix && is_stdout(value))
      return true;
  }
  return options->junit && is_stdout(options->junit);
}

static enum hsim_status check_runs(const struct cli_options *options, size_t n_runs,
                                   struct hsim_error *error) {
  for (int i = 0; i < N_OUTPUT_FILES && n_runs > 1; i++)
    if (options->out[output_files[i].option] && output_files[i].one_run)
      return hsim_fail(
          error, HSIM_BAD_USAGE,
          "option --%s: its files hold one run, and this call has %zu: write them in a "
          "call for each",
          output_files[i].name, n_runs);
  return HSIM_OK;
}

/* `paths` are those of the files and, last, that of --junit. */
static enum hsim_status check_paths(const struct cli_options *options, const char *const *paths,
                                    struct hsim_error *error) {
  const char *const inputs[] = {options->input.trace, options->input.cluster,
                                options->input.rates, options->input.speedups,
                                options->costs,       options->faults.events_in,
                                options->check};
  int on_stdout = options->json ? 1 : 0;
  for (int i = 0; i <= N_OUTPUT_FILES; i++) {
    const char *path = paths[i];
    if (!path)
      continue;
    on_stdout += is_stdout(path);
    for (int k = 0; k < i; k++)
      if (paths[k] && !is_stdout(path) && same_file(path, paths[k]))
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
  outputs->parts = mem_zero(outputs->n_runs * N_OUTPUT_FILES, sizeof(FILE *));
  for (size_t i = 0; i < outputs->n_runs * N_OUTPUT_FILES; i++) {
    if (!outputs->wanted[i % N_OUTPUT_FILES] || !output_files[i % N_OUTPUT_FILES].sink)
      continue;
    outputs->parts[i] = tmpfile();
    if (!outputs->parts[i])
      return hsim_fail(error, HSIM_FAILED, "cannot make a temporary file: %s", strerror(errno));
  }
  return HSIM_OK;
}

static enum hsim_status open_files(const char *const *paths, const struct cli_options *options,
                                   const struct hsim_cluster *cluster, struct outputs *outputs,
                                   struct hsim_error *error) {
  for (int i = 0; i < N_OUTPUT_FILES; i++) {
    if (!paths[i])
      continue;
    enum hsim_status status = out_open(&outputs->files[i], paths[i], error);
    if (status != HSIM_OK)
      return status;
    outputs->wanted[i] = true;
    if (output_files[i].header)
      output_files[i].header(&outputs->files[i], cluster, options->seeds.n > 0);
  }
  return open_parts(outputs, error);
}

/* It is written last of all: better to know now that it cannot be. A pipe's reader would take the
 * trial for the end. */
static enum hsim_status try_junit(const char *path, struct hsim_error *error) {
  struct stat about;
  if (!path || (stat(path, &about) == 0 && !S_ISREG(about.st_mode)))
    return HSIM_OK;
  struct out out;
  enum hsim_status status = out_open(&out, path, error);
  if (status == HSIM_OK)
    out_discard(&out);
  return status;
}

enum hsim_status outputs_open(const struct cli_options *options, const struct inputs *inputs,
                              struct outputs *outputs, struct hsim_error *error) {
  *outputs = (struct outputs){.n_runs = inputs->n_runs * cli_n_seeds(options)};
  char *paths[N_OUTPUT_FILES + 1];
  paths[N_OUTPUT_FILES] = options->junit ? mem_text(options->junit) : NULL;
  for (int i = 0; i < N_OUTPUT_FILES; i++)
    paths[i] = path_of(options, i);
  enum hsim_status status = check_runs(options, outputs->n_runs, error);
  if (status == HSIM_OK)
    status = check_paths(options, (const char *const *)paths, error);
  if (status == HSIM_OK)
    status = try_junit(options->junit, error);
  if (status == HSIM_OK)
    status = open_files((const char *const *)paths, options, &inputs->cluster.view, outputs, error);
  for (int i = 0; i <= N_OUTPUT_FILES; i++)
    free(paths[i]);
  if (status != HSIM_OK)
    outputs_free(outputs);
  return status;
}

static int part_fd(const struct outputs *outputs, size_t run, int output) {
  FILE *part = outputs->parts[run * N_OUTPUT_FILES + (size_t)output];
  return part ? fileno(part) : -1;
}

struct run_parts outputs_parts(const struct outputs *outputs, size_t run) {
  struct run_parts parts = {.run = (int)run};
  for (int i = 0; i < N_OUTPUT_FILES; i++) {
    parts.fds[i] = part_fd(outputs, run, i);
    parts.paths[i] = outputs->files[i].path;
  }
  return parts;
}

void outputs_keep(struct outputs *outputs, size_t run) {
  for (int i = 0; i < N_OUTPUT_FILES; i++)
    if (outputs->wanted[i])
      close(outputs->files[i].fd);
  for (size_t i = 0; i < outputs->n_runs * N_OUTPUT_FILES; i++)
    if (outputs->parts[i] && i / N_OUTPUT_FILES != run)
      close(fileno(outputs->parts[i]));
}

void outputs_append(struct outputs *outputs, size_t run) {
  for (int i = 0; i < N_OUTPUT_FILES; i++) {
    int fd = part_fd(outputs, run, i);
    if (fd < 0)
      continue;
    if (outputs->begun[i])
      out_text(&outputs->files[i], output_files[i].between);
    outputs->begun[i] = true;
    out_append_fd(&outputs->files[i], fd);
  }
}

enum hsim_status outputs_commit(struct outputs *outputs, struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  for (int i = 0; i < N_OUTPUT_FILES; i++) {
    if (!outputs->wanted[i])
      continue;
    struct hsim_error this_one = {.status = HSIM_OK};
    out_text(&outputs->files[i], output_files[i].footer);
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
  for (int i = 0; i < N_OUTPUT_FILES; i++)
    if (outputs->wanted[i])
      out_discard(&outputs->files[i]);
  for (size_t i = 0; outputs->parts && i < outputs->n_runs * N_OUTPUT_FILES; i++)
    if (outputs->parts[i])
      fclose(outputs->parts[i]);
  free(outputs->parts);
  *outputs = (struct outputs){0};
}
