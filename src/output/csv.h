/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RFC 4180 quoting, for the CSV outputs. */
#ifndef HSIM_OUTPUT_CSV_H
#define HSIM_OUTPUT_CSV_H

#include "model/record.h"
#include "output/atomic_file.h"

/* Ends the header row of rows that csv_end_row ends. */
void csv_end_header(struct out *out, bool seeded);

/* Ends a row of a run: with its seed, if the run is seeded. */
void csv_end_row(struct out *out, const struct run_info *info);

/* One field, quoted when it holds a comma, a quote, CR or LF, or begins or ends with a blank. */
void csv_field(struct out *out, const char *text);

/* A quoted field piece by piece: out_char('"'), pieces, out_char('"'). */
void csv_escaped(struct out *out, const char *text);
bool csv_needs_quotes(const char *text);

#endif
