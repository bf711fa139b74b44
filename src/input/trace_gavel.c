/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gavel's .trace lines and Shockwave's wider ones: tab-separated, no header, no quoting. The
 * command, the working directory, the name of the steps argument and the data flag say how to
 * start the job on a real cluster and are not read. Ids are line numbers from 0.
 */
#include <string.h>

#include "input/lines.h"
#include "input/trace_reader.h"
#include "model/memory.h"
#include "model/number.h"

enum { TYPE, STEPS, SCALE, ARRIVAL, WEIGHT, SLO, MODE, DURATION, N_COLUMNS };
enum { MOST_CELLS = 12 };

static const char *const columns[N_COLUMNS] = {"job type", "total steps", "scale factor",
                                               "arrival",  "weight",      "SLO multiplier",
                                               "mode",     "duration"};

/* Where each column stands in a line, -1: nowhere. */
struct layout {
  int n_cells;
  int place[N_COLUMNS];
};
static const struct layout layouts[] = {
    {7, {0, 4, 6, 5, -1, -1, -1, -1}},
    {10, {0, 5, 6, 9, 7, 8, -1, -1}},
    {12, {0, 5, 6, 11, 8, 9, 7, 10}},
};
enum { N_LAYOUTS = sizeof layouts / sizeof layouts[0] };

struct gavel_file {
  struct trace_reader *reader;
  struct lines lines;
  const struct layout *layout; /* the first line's; all have the same */
  struct cell cells[N_COLUMNS];
  struct row row;
  int blank_lines; /* just passed; bad only if a job follows */
};

static int cells_in(const char *line) {
  int n = 1;
  for (; *line != '\0'; line++)
    n += *line == '\t';
  return n;
}

static enum hsim_status choose_layout(struct gavel_file *g, int n, struct hsim_error *error) {
  for (size_t i = 0; i < N_LAYOUTS; i++)
    if (layouts[i].n_cells == n) {
      g->layout = &layouts[i];
      return HSIM_OK;
    }
  hsim_fail(error, HSIM_BAD_INPUT,
            "%s:%d: a line of %d tab-separated columns: expected 7, 10 or 12 (a Gavel trace)",
            g->row.file, g->row.line, n);
  return HSIM_BAD_INPUT;
}

/* Cuts the line at its tabs. */
static void split(struct gavel_file *g) {
  struct cell all[MOST_CELLS] = {0};
  char *at = g->lines.text;
  for (int i = 0; i < g->layout->n_cells; i++) {
    size_t length = strcspn(at, "\t");
    all[i] = (struct cell){at, length};
    at[length] = '\0';
    at += length + 1;
  }
  for (int c = 0; c < N_COLUMNS; c++) {
    int place = g->layout->place[c];
    g->cells[c] = place < 0 ? (struct cell){"", 0} : all[place];
  }
}

static enum hsim_status take_scale(struct gavel_file *g, struct hsim_job *job,
                                   struct hsim_error *error) {
  const struct cell *cell = &g->cells[SCALE];
  int64_t scale;
  if (number_parse_int(cell->text, cell->length, &scale) == NUMBER_OK && scale == 0)
    return row_bad(
        &g->row, SCALE, error,
        "a whole number from 1 to %d (0 marks a line that Gavel's first reader left out; "
        "skipping bad rows does the same)",
        INT32_MAX);
  return row_int(&g->row, SCALE, 1, INT32_MAX, &job->workers, error);
}

/* Weight and SLO multiplier. A deadline needs a duration, which only the widest layout has. */
static enum hsim_status take_wishes(struct gavel_file *g, struct hsim_job *job,
                                    struct hsim_error *error) {
  if (g->layout->place[WEIGHT] < 0)
    return HSIM_OK;
  double slo = -1, duration = 0;
  enum hsim_status status = row_real(&g->row, WEIGHT, ROW_POSITIVE, &job->weight, error);
  if (status == HSIM_OK)
    status = row_real(&g->row, SLO, ROW_ANY, &slo, error);
  if (status != HSIM_OK || g->layout->place[DURATION] < 0)
    return status;
  status = row_real(&g->row, DURATION, ROW_POSITIVE, &duration, error);
  if (status == HSIM_OK && slo >= 0)
    job->deadline_s = job->arrival_s + slo * duration;
  return status;
}

/* Batch size modes change a job's rates while it runs. */
static enum hsim_status take_mode(struct gavel_file *g, bool *modelled, struct hsim_error *error) {
  static const char *const modes[] = {"static", "accordion", "gns"};
  const char *mode = g->cells[MODE].text;
  *modelled = g->layout->place[MODE] < 0 || strcmp(mode, "static") == 0;
  if (*modelled || strcmp(mode, "accordion") == 0 || strcmp(mode, "gns") == 0)
    return HSIM_OK;
  char hint[HINT_SIZE];
  return row_bad(&g->row, MODE, error, "static, accordion or gns%s",
                 hint_near(hint, modes, sizeof modes / sizeof modes[0], mode));
}

static enum hsim_status take_job(struct gavel_file *g, struct hsim_error *error) {
  struct trace_reader *reader = g->reader;
  struct hsim_job job = reader_job(&g->row);
  int64_t steps = 0;
  bool modelled = true;
  const struct cell *type = &g->cells[TYPE];
  enum hsim_status status =
      reader_model(reader, &g->row, TYPE, type->text, type->length, &job.model, error);
  if (status == HSIM_OK)
    status = row_whole(&g->row, STEPS, 1, INT64_MAX, &steps, error);
  if (status == HSIM_OK)
    status = take_scale(g, &job, error);
  if (status == HSIM_OK)
    status = row_time(&g->row, ARRIVAL, &job.arrival_s, error);
  if (status == HSIM_OK)
    status = take_wishes(g, &job, error);
  if (status == HSIM_OK)
    status = take_mode(g, &modelled, error);
  if (status != HSIM_OK)
    return status;
  job.steps = (double)steps;
  reader->trace->not_modelled += !modelled;
  char id[NUMBER_SIZE];
  size_t length = number_print(g->row.line - 1, id);
  reader_add(reader, &job, id, length);
  return HSIM_OK;
}

static enum hsim_status judge(struct gavel_file *g, enum hsim_status status,
                              const struct hsim_error *error) {
  return status == HSIM_BAD_INPUT && reader_skip(g->reader, error) ? HSIM_OK : status;
}

static enum hsim_status refuse_blank_lines(struct gavel_file *g, struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  int after = g->row.line;
  for (; g->blank_lines > 0 && status == HSIM_OK; g->blank_lines--) {
    g->row.line = after - g->blank_lines;
    g->row.number++;
    status = judge(g,
                   row_fail(&g->row, error, "a blank line: expected %d tab-separated columns",
                            g->layout->n_cells),
                   error);
  }
  g->row.line = after;
  return status;
}

static enum hsim_status take_line(struct gavel_file *g, struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  g->row.line = g->lines.number;
  if (g->lines.length == 0) {
    g->blank_lines++;
    return HSIM_OK;
  }
  int n = cells_in(g->lines.text);
  if (g->layout == NULL) {
    g->blank_lines = 0;
    status = choose_layout(g, n, error);
  } else {
    status = refuse_blank_lines(g, error);
  }
  if (status != HSIM_OK)
    return status;
  g->row.number++;
  if (n != g->layout->n_cells)
    return judge(g,
                 row_fail(&g->row, error,
                          "a line of %d tab-separated column%s: expected %d, as in "
                          "the first one",
                          n, n == 1 ? "" : "s", g->layout->n_cells),
                 error);
  split(g);
  return judge(g, take_job(g, error), error);
}

enum hsim_status trace_gavel(struct trace_reader *reader, const struct trace_table *none,
                             struct source *source, struct hsim_error *error) {
  (void)none;
  struct gavel_file g = {.reader = reader, .lines = {.source = source}};
  g.row = (struct row){.file = source_name(source), .cells = g.cells, .columns = columns};
  bool more = true;
  enum hsim_status status = HSIM_OK;
  while (status == HSIM_OK && more) {
    status = lines_next(&g.lines, &more, error);
    if (status == HSIM_OK && more)
      status = take_line(&g, error);
  }
  reader->trace->rows = g.row.number;
  lines_free(&g.lines);
  if (status == HSIM_OK && g.layout == NULL)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: is empty: expected a Gavel trace",
                     source_name(source));
  return status;
}
