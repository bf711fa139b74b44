/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/csv.h"

#include <csv.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/names.h"

/* A row beyond this is a quote that never closes, or no table at all. */
enum { LONGEST_ROW = 1 << 20, MOST_COLUMNS = 1 << 14 };

/* A cell while its row is read: the row's text may still move. */
struct span {
  size_t start, length;
};

struct reader {
  const struct csv_table *table;
  void *state;
  struct hsim_error *error;
  enum hsim_status status; /* once it is not HSIM_OK, all that follows is passed over */

  char *text; /* the cells of the present row, each with a NUL */
  size_t used, text_capacity;
  struct span *spans; /* in the file's order */
  size_t n_spans, spans_capacity;

  int *column_of; /* [n_header] file column -> table column, -1: not wanted */
  size_t n_header;
  struct cell *cells; /* [table columns] */
  struct row row;

  int next_line;   /* line after the present row, as far as it is read */
  int blank_lines; /* just passed; they are bad only if a row follows */
  bool implied;    /* the file has no header */
  bool quotes;     /* some quote was seen: cells may hold line ends */
  bool after_cr;   /* the row ended with CR; LF has to follow */
};

static bool in_header(const struct reader *r) {
  return r->column_of == NULL;
}

static void fail_row(struct reader *r, enum hsim_status status) {
  if (status == HSIM_BAD_INPUT && r->table->skip != NULL && !in_header(r) &&
      r->table->skip(r->state, r->error))
    return;
  r->status = status;
}

/* ---- the header ---- */

/* The names of the header, joined, for messages. */
static const char *header_names(const struct reader *r, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < r->n_spans && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "",
                             r->text + r->spans[i].start);
  return out;
}

static int column_named(const struct csv_table *table, const char *name) {
  for (int c = 0; c < table->n_columns; c++)
    if (strcmp(table->columns[c], name) == 0)
      return c;
  return -1;
}

static enum hsim_status check_required(struct reader *r, uint64_t has) {
  char missing[300] = "", there[400];
  int n = 0;
  size_t used = 0;
  for (int c = 0; c < r->table->n_columns; c++) {
    uint64_t bit = UINT64_C(1) << c;
    if ((r->table->required & bit) == 0 || (has & bit) != 0)
      continue;
    if (used < sizeof missing)
      used += (size_t)snprintf(missing + used, sizeof missing - used, "%s%s", n > 0 ? ", " : "",
                               r->table->columns[c]);
    n++;
  }
  if (n == 0)
    return HSIM_OK;
  return row_fail(&r->row, r->error, "%s needs the column%s %s; the header has %s", r->table->what,
                  n > 1 ? "s" : "", missing, header_names(r, there, sizeof there));
}

static enum hsim_status map_column(struct reader *r, size_t i, uint64_t *has) {
  const char *name = r->text + r->spans[i].start;
  char shown[QUOTE_SIZE], hint[HINT_SIZE];
  int column = column_named(r->table, name);
  r->column_of[i] = column;
  if (column < 0) {
    if (r->table->ignores_x && strncmp(name, "x_", 2) == 0)
      return HSIM_OK;
    return row_fail(&r->row, r->error, "unknown column %s%s%s",
                    quoted(shown, name, r->spans[i].length),
                    hint_near(hint, r->table->columns, (size_t)r->table->n_columns, name),
                    r->table->ignores_x ? " (the names of additional columns start with x_)" : "");
  }
  uint64_t bit = UINT64_C(1) << column;
  if ((*has & bit) != 0)
    return row_fail(&r->row, r->error, "column %s stands there twice", name);
  *has |= bit;
  return HSIM_OK;
}

static bool is_header(const struct reader *r) {
  size_t names = 0;
  for (size_t i = 0; i < r->n_spans; i++)
    names += column_named(r->table, r->text + r->spans[i].start) >= 0;
  return names >= 2 && 2 * names >= r->n_spans;
}

static void imply_header(struct reader *r) {
  r->implied = true;
  r->n_header = (size_t)r->table->n_columns;
  r->column_of = mem_alloc(r->n_header, sizeof *r->column_of);
  for (int c = 0; c < r->table->n_columns; c++)
    r->column_of[c] = c;
}

/* An unknown name is told before a missing one: it is often the missing one, misspelt. */
static enum hsim_status take_header(struct reader *r) {
  uint64_t has = 0;
  r->n_header = r->n_spans;
  r->column_of = mem_alloc(r->n_header, sizeof *r->column_of);
  for (size_t i = 0; i < r->n_header; i++) {
    enum hsim_status status = map_column(r, i, &has);
    if (status != HSIM_OK)
      return status;
  }
  enum hsim_status status = check_required(r, has);
  if (status == HSIM_OK && r->table->header != NULL)
    status = r->table->header(r->state, &r->row, has, r->error);
  return status;
}

/* ---- rows ---- */

static enum hsim_status take_row(struct reader *r) {
  if (r->n_spans != r->n_header)
    return row_fail(&r->row, r->error, "a row of %zu cell%s: expected %zu%s", r->n_spans,
                    r->n_spans == 1 ? "" : "s", r->n_header,
                    r->implied ? "" : ", as in the header");
  for (size_t i = 0; i < r->n_spans; i++)
    if (r->column_of[i] >= 0)
      r->cells[r->column_of[i]] = (struct cell){r->text + r->spans[i].start, r->spans[i].length};
  return r->table->row(r->state, &r->row, r->error);
}

static void count_row(struct reader *r) {
  if (r->row.number == INT_MAX || r->next_line > INT_MAX - LONGEST_ROW)
    r->status = row_fail(&r->row, r->error, "too many rows: expected fewer than %d", INT_MAX);
  else
    r->row.number++;
}

/* Blank lines that turned out to stand between rows. */
static void refuse_blank_lines(struct reader *r) {
  int after = r->row.line;
  for (int line = after - r->blank_lines; line < after && r->status == HSIM_OK; line++) {
    r->row.line = line;
    count_row(r);
    if (r->status == HSIM_OK)
      fail_row(
          r, row_fail(&r->row, r->error, "a blank line: expected a row of %zu cells", r->n_header));
  }
  r->row.line = after;
  r->blank_lines = 0;
}

static void end_row(struct reader *r) {
  bool header = in_header(r);
  if (header)
    r->blank_lines = 0;
  if (header && r->table->headerless && !is_header(r)) {
    imply_header(r);
    header = false;
  }
  if (header) {
    r->status = take_header(r);
  } else {
    refuse_blank_lines(r);
    if (r->status == HSIM_OK)
      count_row(r);
    if (r->status == HSIM_OK)
      fail_row(r, take_row(r));
  }
  r->n_spans = r->used = 0;
  r->next_line++;
  r->row.line = r->next_line;
}

static void refuse_lone_cr(struct reader *r) {
  r->row.line = r->next_line - 1;
  r->status = row_fail(&r->row, r->error,
                       "a carriage return without a line feed: expected LF or CRLF line ends");
}

/* ---- the callbacks of libcsv ---- */

static void on_cell(void *text, size_t length, void *state) {
  struct reader *r = state;
  if (r->status == HSIM_OK && r->after_cr)
    refuse_lone_cr(r);
  if (r->status != HSIM_OK)
    return;
  if (r->used + length + 1 > r->text_capacity)
    r->text = mem_grow(r->text, r->used + length + 1, &r->text_capacity, 1);
  if (r->n_spans == r->spans_capacity)
    r->spans = mem_grow(r->spans, r->n_spans + 1, &r->spans_capacity, sizeof *r->spans);
  char *copy = r->text + r->used;
  memcpy(copy, text, length);
  copy[length] = '\0';
  r->spans[r->n_spans++] = (struct span){r->used, length};
  r->used += length + 1;
  if (r->quotes)
    for (size_t i = 0; i < length; i++)
      r->next_line += copy[i] == '\n';
}

/* `end` is the character that ended the row, -1 at the end of the input. A blank line, and the LF
 * of a CRLF, arrive as rows without a cell. */
static void on_row(int end, void *state) {
  struct reader *r = state;
  bool after_cr = r->after_cr;
  r->after_cr = false;
  if (r->status != HSIM_OK || (after_cr && end == '\n'))
    return;
  if (after_cr && end == '\r') {
    refuse_lone_cr(r);
    return;
  }
  r->after_cr = end == '\r';
  if (r->n_spans > 0) {
    end_row(r);
  } else if (end >= 0) {
    r->blank_lines++;
    r->row.line = ++r->next_line;
  }
}

static int no_space(unsigned char c) {
  (void)c;
  return 0;
}

/* ---- blocks ---- */

static void parse_block(struct reader *r, struct csv_parser *parser, const char *block, size_t n) {
  const char *zero = memchr(block, '\0', n);
  size_t usable = zero == NULL ? n : (size_t)(zero - block);
  r->quotes = r->quotes || memchr(block, '"', usable) != NULL;
  size_t done = csv_parse(parser, block, usable, on_cell, on_row, r);
  if (r->status != HSIM_OK)
    return;
  if (done < usable && csv_error(parser) != CSV_EPARSE)
    r->status =
        hsim_fail(r->error, HSIM_FAILED, "%s: %s", r->row.file, csv_strerror(csv_error(parser)));
  else if (done < usable)
    r->status = row_fail(&r->row, r->error,
                         "broken quoting: expected quotes only around a whole cell, and doubled "
                         "inside one");
  else if (zero != NULL)
    r->status = row_fail(&r->row, r->error, "a zero byte: expected text");
  else if (csv_get_buffer_size(parser) > 2 * LONGEST_ROW || r->used > LONGEST_ROW ||
           r->n_spans > MOST_COLUMNS)
    r->status = row_fail(&r->row, r->error,
                         "a row of more than %d bytes or %d cells (a quote that "
                         "never closes?)",
                         LONGEST_ROW, MOST_COLUMNS);
}

static void finish(struct reader *r, struct csv_parser *parser) {
  bool complete = csv_fini(parser, on_cell, on_row, r) == 0;
  if (r->status == HSIM_OK && !complete)
    r->status = row_fail(&r->row, r->error, "a quote that never closes");
  if (r->status == HSIM_OK && in_header(r))
    r->status = hsim_fail(r->error, HSIM_BAD_INPUT, "%s: is empty: expected %s", r->row.file,
                          r->table->what);
}

static enum hsim_status read_blocks(struct reader *r, struct source *source,
                                    struct csv_parser *parser) {
  bool first = true;
  while (r->status == HSIM_OK) {
    const char *block;
    size_t n;
    enum hsim_status status = source_read(source, &block, &n, r->error);
    if (status != HSIM_OK)
      return status;
    if (n == 0) {
      finish(r, parser);
      break;
    }
    size_t mark = first && n >= 3 && memcmp(block, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    first = false;
    parse_block(r, parser, block + mark, n - mark);
  }
  return r->status;
}

enum hsim_status csv_read(struct source *source, const struct csv_table *table, void *state,
                          int *rows, struct hsim_error *error) {
  struct hsim_error own = {.status = HSIM_OK};
  struct reader r = {.table = table,
                     .state = state,
                     .error = error != NULL ? error : &own,
                     .cells = mem_zero((size_t)table->n_columns, sizeof *r.cells),
                     .next_line = 1};
  for (int c = 0; c < table->n_columns; c++)
    r.cells[c].text = "";
  r.row = (struct row){
      .file = source_name(source), .line = 1, .cells = r.cells, .columns = table->columns};
  struct csv_parser parser;
  csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL);
  csv_set_blk_size(&parser, 8192); /* its 128 make a long cell grow in far too many steps */
  csv_set_space_func(&parser, no_space);
  enum hsim_status status = read_blocks(&r, source, &parser);
  if (rows != NULL)
    *rows = r.row.number;
  csv_free(&parser);
  free(r.text);
  free(r.spans);
  free(r.column_of);
  free(r.cells);
  return status;
}
