/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/run_progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "model/clock.h"

static bool wanted(const struct cli_options *options) {
  if (options->input.quiet || options->progress == PROGRESS_NEVER)
    return false;
  if (options->progress == PROGRESS_ALWAYS)
    return true;
  const char *terminal = getenv("TERM");
  return isatty(STDERR_FILENO) && !(terminal && strcmp(terminal, "dumb") == 0);
}

struct progress_line *run_progress_open(const struct cli_options *options,
                                        const struct inputs *inputs, size_t n_runs) {
  if (!wanted(options) || n_runs == 0)
    return NULL;
  int n_jobs = inputs->trace.n_jobs;
  int to = options->measure_to < n_jobs ? options->measure_to : n_jobs;
  struct winsize size = {0};
  int known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
  return progress_line_create(
      &(struct progress_line_options){.title = options->policies.at[0].name,
                                      .n_runs = n_runs,
                                      .jobs = to - options->measure_from,
                                      .stream = stderr,
                                      .columns = known == 0 ? size.ws_col : 0,
                                      .clock = clock_seconds});
}

void run_progress_tell(void *self, const struct progress_state *state) {
  process_tell(self, state, sizeof *state);
}

void run_progress_news(void *line, size_t run, const void *bytes, size_t n) {
  struct progress_state state;
  if (n == 0) {
    progress_line_end(line, run);
  } else if (n == sizeof state) {
    memcpy(&state, bytes, sizeof state);
    progress_line_take(line, run, &state);
  }
}

void run_progress_interrupted(void *line) {
  if (line)
    progress_line_wipe(line);
  fputs("hsim: interrupted: each run ends after its present round; once more ends at once\n",
        stderr);
}
