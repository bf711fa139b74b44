/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the CSV outputs share: their header rows and RFC 4180 quoting.
 */
#ifndef HSIM_OUTPUT_CSV_H
#define HSIM_OUTPUT_CSV_H

#include "model/record.h"
#include "output/atomic_file.h"

enum csv_kind { CSV_JOBS, CSV_EVENTS, CSV_SERIES };

/* The header row. The sinks write rows only, so that the parts of several runs can follow one
 * header. `cluster` names the columns of CSV_SERIES and may be NULL for the others. With `seeded`
 * the last column is the run's seed. */
void csv_header(struct out *out, enum csv_kind kind, const struct hsim_cluster *cluster,
                bool seeded);

/* Ends a row of a run: with its seed, if the run is seeded. */
void csv_end_row(struct out *out, const struct run_info *info);

/* One field, quoted when it holds a comma, a quote, CR or LF, or begins or ends with a blank. */
void csv_field(struct out *out, const char *text);

/* A quoted field piece by piece: out_char('"'), pieces, out_char('"'). */
void csv_escaped(struct out *out, const char *text);
bool csv_needs_quotes(const char *text);

#endif
