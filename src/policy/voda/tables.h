/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Voda knows of a job's speed: speedup[k] of k workers over one, and the time that the rest of
 * its work would take on one GPU. Three ways to know (section 2 of the thesis' program, and ours):
 *
 *   profile       the engine's own rates (voda_tables)
 *   learn         linear speedup at first; then what finished epochs showed (voda_record)
 *   voda-literal  as the published collector computes it, mixing seconds with the prior 1
 */
#ifndef HSIM_POLICY_VODA_TABLES_H
#define HSIM_POLICY_VODA_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "hsim/view.h"

/* ---- From the rates ---- */

/* On one GPU type. Sizes min..max have a rate, also spread over nodes where no node is as large. */
struct voda_table {
  int model, type, asked_min, asked_max;
  int job;         /* -1, or the only job that it is for (one with phases) */
  int min, max;    /* the first unbroken range of sizes inside what was asked; max 0: none */
  double one_rate; /* steps per second on one GPU; where there is none, of the smallest size / it */
  double *speedup; /* [max + 2] */
};

struct voda_tables {
  struct voda_table **at;
  size_t n, capacity;
};

/* The job's table on a type: found or made; it stays until voda_tables_free. */
const struct voda_table *voda_tables_get(struct voda_tables *tables, const struct hsim_view *view,
                                         const struct hsim_active *active, int type);
void voda_tables_free(struct voda_tables *tables);

/* Seconds that the rest of the job would take on one GPU. */
double voda_left_s(const struct hsim_view *view, const struct hsim_active *active,
                   const struct voda_table *table);

/* ---- From finished epochs ---- */

struct voda_seen {
  double seconds; /* sum over the epochs */
  double epochs;
};

/* Epochs that finished with `workers`, evenly spaced, not yet collected. */
struct voda_rows {
  int workers;
  double n, first_s, epoch_s;
};

struct voda_record {
  bool literal;
  int max;
  double epochs, done; /* of the job, finished ones that were collected */
  double one_s;        /* an epoch on one GPU, seconds */
  double left_s;
  double *speedup;        /* [max + 2] */
  struct voda_seen *seen; /* [max + 1] by workers */
  struct voda_rows *rows;
  size_t n_rows, rows_capacity;
};

/* `one_s`: the prior of an epoch on one GPU; voda-literal has 1. */
void voda_record_init(struct voda_record *record, bool literal, int max, double epochs,
                      double one_s);
void voda_record_free(struct voda_record *record);
/* `n` epochs finished: the first at first_s, the others epoch_s apart. */
void voda_record_add(struct voda_record *record, int workers, double n, double first_s,
                     double epoch_s);
/* Takes in what finished up to time t, and computes speedups and left_s anew from it. */
void voda_record_collect(struct voda_record *record, double t);

#endif
