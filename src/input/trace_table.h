/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Logs that are CSV with a job a row: a description of their columns, and one reader for all. The
 * jobs have durations and no models.
 */
#ifndef HSIM_INPUT_TRACE_TABLE_H
#define HSIM_INPUT_TRACE_TABLE_H

#include "input/trace_reader.h"

/* What a column means. A role stands at one column, ROLE_NONE and ROLE_GPUS at several. The run
 * time is ROLE_DURATION, else ROLE_END - ROLE_START. GPUs of the gang = the product of the
 * ROLE_GPUS, each divided by its `per` and rounded up by itself (--fractional), * instances. */
enum column_role {
  ROLE_NONE, /* known and not read */
  ROLE_ID,   /* without it, the number of the data row */
  ROLE_PART, /* of a job: id = "ID/PART", and the id becomes the app */
  ROLE_SUBMIT,
  ROLE_START,
  ROLE_END,
  ROLE_DURATION,
  ROLE_GPUS,
  ROLE_INSTANCES,
  ROLE_TENANT,
  ROLE_GPU_TYPE, /* names joined by | */
  N_ROLES
};

struct table_column {
  const char *name;
  enum column_role role;
  bool required;    /* the file must have it */
  const char *none; /* cells that stand for nothing, joined by |, an empty cell too if it is "" or
                       begins with |; NULL: every cell is a value */
  const char *none_what; /* counts the rows left out for such a cell */
  const char *zero_what; /* counts the rows left out for a 0; NULL: 0 is a value or wrong */
  double per;            /* ROLE_GPUS: this much is one GPU; 0: 1, and whole numbers only */
};

enum { TABLE_MOST_COLUMNS = 32 };

struct trace_table {
  const char *name; /* of the format */
  const char *what; /* for messages: "a Helios trace" */
  const struct table_column *columns;
  int n_columns;
  bool dates;          /* submission, start and end are dates and times, else numbers */
  enum time_unit unit; /* of numbers, which the file does not state */
  bool headerless;     /* published without a header, the columns in this order; one is fine, too */
};

extern const struct trace_table trace_tables[];
extern const int n_trace_tables;

#endif
