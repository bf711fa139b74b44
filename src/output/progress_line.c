/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/progress_line.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

enum { BAR_WIDTH = 24, LINE_SIZE = 256 };
static const double redraw_s = 0.1;

struct progress_line {
  struct progress_line_options options;
  struct run {
    struct progress_state state;
    bool told, ended;
  } * runs;
  double began, drawn_at; /* NaN: not drawn yet */
  bool on_screen;
};

/* Text that grows, cut at the end of its room. */
struct text {
  char at[LINE_SIZE];
  size_t n;
};

HSIM_PRINTF(2, 3)
static void add(struct text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text->at + text->n, sizeof text->at - text->n, format, args);
  va_end(args);
  size_t room = sizeof text->at - 1 - text->n;
  text->n += n > 0 && (size_t)n < room ? (size_t)n : room;
}

struct progress_line *progress_line_create(const struct progress_line_options *options) {
  struct progress_line *line = mem_zero(1, sizeof *line);
  line->options = *options;
  line->runs = mem_zero(options->n_runs, sizeof *line->runs);
  line->began = options->clock();
  line->drawn_at = NAN;
  return line;
}

void progress_line_wipe(struct progress_line *line) {
  if (!line->on_screen)
    return;
  fputs("\r\033[K", line->options.stream);
  fflush(line->options.stream);
  line->on_screen = false;
}

void progress_line_free(struct progress_line *line) {
  if (!line)
    return;
  progress_line_wipe(line);
  free(line->runs);
  free(line);
}

struct sums {
  double jobs, rounds, simulated_s; /* simulated_s: NaN while no run is under way */
  int runs;                         /* that have ended */
};

static struct sums add_up(const struct progress_line *line) {
  struct sums sums = {.simulated_s = NAN};
  for (size_t i = 0; i < line->options.n_runs; i++) {
    const struct run *run = &line->runs[i];
    sums.rounds += (double)run->state.rounds;
    sums.runs += run->ended;
    sums.jobs += run->ended ? line->options.jobs : run->state.ended;
    if (run->told && !run->ended)
      sums.simulated_s = fmin(sums.simulated_s, run->state.simulated_s); /* not the NaN */
  }
  return sums;
}

static void add_bar(struct text *text, double done, double all) {
  int filled = all > 0 ? (int)(done * BAR_WIDTH / all) : 0;
  char bar[BAR_WIDTH + 1] = "";
  memset(bar, '#', (size_t)filled);
  memset(bar + filled, '.', (size_t)(BAR_WIDTH - filled));
  add(text, " [%s] ", bar);
}

/* "0:45", "1:02:03" */
static void add_duration(struct text *text, double seconds) {
  double minutes = floor(seconds / 60), hours = floor(minutes / 60);
  if (hours > 0)
    add(text, "%.0f:%02.0f", hours, minutes - hours * 60);
  else
    add(text, "%.0f", minutes);
  add(text, ":%02.0f", floor(seconds - minutes * 60));
}

static void describe(const struct progress_line *line, double now, struct text *text) {
  const struct progress_line_options *options = &line->options;
  struct sums sums = add_up(line);
  double all = (double)options->jobs * (double)options->n_runs;
  if (options->n_runs == 1)
    add(text, "%.24s", options->title);
  else
    add(text, "%zu runs", options->n_runs);
  add_bar(text, sums.jobs, all);
  if (options->n_runs > 1)
    add(text, "%d done, ", sums.runs);
  add(text, "%.0f of %.0f jobs", sums.jobs, all);
  if (!isnan(sums.simulated_s)) {
    double days = floor(sums.simulated_s / 86400), rest = sums.simulated_s - days * 86400;
    add(text, ", day %.0f %02d:%02d", days, (int)(rest / 3600), (int)(rest / 60) % 60);
  }
  double spent = now - line->began;
  if (!(spent > 0))
    return;
  if (sums.rounds > 0)
    add(text, ", %.0f rounds/s", sums.rounds / spent);
  if (sums.jobs <= 0)
    return;
  add(text, ", ");
  add_duration(text, fmin(spent * (all - sums.jobs) / sums.jobs, 1e9));
  add(text, " left");
}

static void draw(struct progress_line *line) {
  double now = line->options.clock();
  if (now - line->drawn_at < redraw_s)
    return;
  struct text text = {.n = 0};
  describe(line, now, &text);
  int columns = line->options.columns;
  if (columns > 0 && text.n >= (size_t)columns) /* the last column would begin another line */
    text.at[columns - 1] = '\0';
  fprintf(line->options.stream, "\r%s\033[K", text.at);
  fflush(line->options.stream);
  line->drawn_at = now;
  line->on_screen = true;
}

void progress_line_take(struct progress_line *line, size_t run,
                        const struct progress_state *state) {
  line->runs[run].state = *state;
  line->runs[run].told = true;
  draw(line);
}

void progress_line_end(struct progress_line *line, size_t run) {
  line->runs[run].ended = true;
  draw(line);
}
