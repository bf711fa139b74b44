/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Aligned text for people: tables whose columns are as wide as their cells, wrapped paragraphs.
 * Widths count UTF-8 code points.
 */
#ifndef HSIM_OUTPUT_TEXT_TABLE_H
#define HSIM_OUTPUT_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TEXT_WIDTH = 110 };

struct text_table {
  int n_columns;
  int n_rows;
  char **cells; /* [n_rows][n_columns], owned */
  size_t capacity;
};

void text_table_init(struct text_table *table, int n_columns);
/* Adds a row of empty cells; returns its number. */
int text_table_row(struct text_table *table);
/* Sets a cell of the last row. */
void text_table_set(struct text_table *table, int column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *text_table_cell(const struct text_table *table, int row, int column);
/* Prints all rows: the first column to the left, the others to the right unless their bit in
 * `left` is set. The gap between columns is 2, or 1 where 2 is too wide; then the first column is
 * cut, with an ellipsis, to what is left of TEXT_WIDTH. Returns whether it was cut. */
bool text_table_print(const struct text_table *table, unsigned left, FILE *out);
void text_table_free(struct text_table *table);

/* Code points of a text. */
size_t text_width(const char *text);

/* One paragraph, broken at blanks to TEXT_WIDTH, its later lines indented. Control characters
 * print as blanks. */
void text_paragraph(FILE *out, int indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A number with about three significant digits, and k, M, G from 100,000 on; "-" for NaN. */
void text_number(double value, char out[16]);

#endif
