/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/text_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

static bool begins_character(char c) {
  return ((unsigned char)c & 0xc0) != 0x80;
}

size_t text_width(const char *text) {
  size_t width = 0;
  for (; *text != '\0'; text++)
    width += begins_character(*text);
  return width;
}

void text_table_init(struct text_table *table, int n_columns) {
  *table = (struct text_table){.n_columns = n_columns};
}

void text_table_free(struct text_table *table) {
  for (int i = 0; i < table->n_rows * table->n_columns; i++)
    free(table->cells[i]);
  free(table->cells);
  *table = (struct text_table){0};
}

int text_table_row(struct text_table *table) {
  size_t columns = (size_t)table->n_columns, used = (size_t)table->n_rows * columns;
  table->cells = mem_grow(table->cells, used + columns, &table->capacity, sizeof *table->cells);
  for (size_t i = used; i < used + columns; i++)
    table->cells[i] = mem_text("");
  return table->n_rows++;
}

static char *format_text(const char *format, va_list arguments)
    __attribute__((format(printf, 1, 0)));
static char *format_text(const char *format, va_list arguments) {
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0)
    mem_fail();
  for (char *c = text; *c != '\0'; c++) {
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      *c = ' ';
  }
  return text;
}

void text_table_set(struct text_table *table, int column, const char *format, ...) {
  char **cell = &table->cells[(table->n_rows - 1) * table->n_columns + column];
  va_list arguments;
  va_start(arguments, format);
  free(*cell);
  *cell = format_text(format, arguments);
  va_end(arguments);
}

const char *text_table_cell(const struct text_table *table, int row, int column) {
  return table->cells[row * table->n_columns + column];
}

static size_t column_width(const struct text_table *table, int column) {
  size_t width = 0;
  for (int row = 0; row < table->n_rows; row++) {
    size_t w = text_width(text_table_cell(table, row, column));
    if (w > width)
      width = w;
  }
  return width;
}

static void pad(FILE *out, size_t n) {
  for (size_t i = 0; i < n; i++)
    fputc(' ', out);
}

/* Bytes of the first `width` characters. */
static int cut_bytes(const char *text, size_t width) {
  int i = 0;
  for (; text[i] != '\0'; i++) {
    if (begins_character(text[i]) && width-- == 0)
      break;
  }
  return i;
}

static void print_first(const char *text, size_t width, FILE *out) {
  size_t w = text_width(text);
  if (w <= width) {
    fputs(text, out);
    pad(out, width - w);
  } else {
    fprintf(out, "%.*s\u2026", cut_bytes(text, width - 1), text);
  }
}

static void print_row(const struct text_table *table, int row, const size_t *widths, size_t gap,
                      unsigned left, FILE *out) {
  int last = table->n_columns - 1;
  while (last > 0 && text_table_cell(table, row, last)[0] == '\0')
    last--;
  print_first(text_table_cell(table, row, 0), widths[0], out);
  for (int c = 1; c <= last; c++) {
    const char *cell = text_table_cell(table, row, c);
    size_t space = widths[c] - text_width(cell);
    bool to_left = (left >> c & 1) != 0;
    size_t length = strlen(cell);
    while (c == last && length > 0 && cell[length - 1] == ' ')
      length--; /* no blanks at the end of a line */
    pad(out, to_left ? gap : gap + space);
    fwrite(cell, 1, length, out);
    if (to_left && c < last)
      pad(out, space);
  }
  fputc('\n', out);
}

bool text_table_print(const struct text_table *table, unsigned left, FILE *out) {
  size_t columns = (size_t)table->n_columns, rest = 0;
  size_t *widths = mem_alloc(columns, sizeof *widths);
  for (size_t c = 0; c < columns; c++) {
    widths[c] = column_width(table, (int)c);
    if (c > 0)
      rest += widths[c];
  }
  size_t gap = widths[0] + rest + 2 * (columns - 1) <= TEXT_WIDTH ? 2 : 1;
  size_t others = rest + gap * (columns - 1);
  size_t room = others + 8 <= TEXT_WIDTH ? TEXT_WIDTH - others : 8;
  bool cut = widths[0] > room;
  if (cut)
    widths[0] = room;
  for (int row = 0; row < table->n_rows; row++)
    print_row(table, row, widths, gap, left, out);
  free(widths);
  return cut;
}

void text_paragraph(FILE *out, int indent, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = format_text(format, arguments);
  va_end(arguments);
  size_t column = 0;
  for (const char *word = text; *word != '\0';) {
    size_t blanks = strspn(word, " "), bytes = strcspn(word + blanks, " ");
    size_t width = 0;
    for (size_t i = 0; i < bytes; i++)
      width += begins_character(word[blanks + i]);
    if (column > 0 && column + blanks + width > TEXT_WIDTH) {
      fputc('\n', out);
      pad(out, (size_t)indent);
      column = (size_t)indent;
      blanks = 0;
      word += strspn(word, " ");
    }
    fwrite(word, 1, blanks + bytes, out);
    column += blanks + width;
    word += blanks + bytes;
  }
  fputc('\n', out);
  free(text);
}

void text_number(double value, char out[16]) {
  static const char *const units[] = {"", "k", "M", "G", "T"};
  if (isnan(value)) {
    snprintf(out, 16, "-");
    return;
  }
  size_t unit = 0;
  double size = fabs(value);
  if (size >= 99999.5) {
    while (size >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
      size /= 1000.0;
      value /= 1000.0;
      unit++;
    }
  }
  int digits = size < 9.995 ? 2 : size < (unit == 0 ? 999.95 : 99.95) ? 1 : 0;
  if (size >= 1e6) {
    snprintf(out, 16, "%.2e", value);
  } else {
    snprintf(out, 16, "%.*f%s", digits, value, units[unit]);
  }
}
