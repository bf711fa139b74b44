/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gangs that hold GPUs at the moment, in the order in which they began. */
#ifndef HSIM_OUTPUT_OPEN_GANGS_H
#define HSIM_OUTPUT_OPEN_GANGS_H

#include "model/record.h"

struct open_gang {
  struct open_gang *previous, *next;
  int job, copy;
  double since; /* its begin; the owner of the list may move it on */
  bool told;    /* the owner's */
  int size;
  int gpus[]; /* [size] ascending */
};

struct open_gangs {
  struct open_gang *first, *last;
  struct open_gang **at; /* [n_gpus][2] those whose first GPU it is; two jobs may share GPUs */
};

void open_gangs_init(struct open_gangs *gangs, const struct hsim_cluster *cluster);
void open_gangs_free(struct open_gangs *gangs);

/* Of a RECORD_GANG_BEGIN. */
void open_gangs_add(struct open_gangs *gangs, const struct record *record);
/* Of a RECORD_GANG_END: the gang, which is out of the list and the caller's to free. NULL when none
 * has begun. */
struct open_gang *open_gangs_take(struct open_gangs *gangs, const struct record *record);

#endif
