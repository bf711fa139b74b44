/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of files that a run writes: one row each says all that differs between them. */
#ifndef HSIM_CLI_OUTPUT_FILES_H
#define HSIM_CLI_OUTPUT_FILES_H

#include "cli/options.h"
#include "model/record.h"
#include "output/atomic_file.h"

struct output_file {
  const char *name; /* of the option */
  enum output_option option;
  bool one_run;       /* holds one run only: a call with several is refused */
  const char *suffix; /* of its value, which is a prefix then; else NULL: the value is the file */
  /* May be NULL: once in front of all runs; its text depends on nothing but the cluster, and on
   * whether rows say the seed of their run. */
  void (*header)(struct out *out, const struct hsim_cluster *cluster, bool seeded);
  const char *between; /* two runs */
  const char *footer;
  struct sink (*sink)(const struct run_info *info, struct out *out); /* NULL: no run adds to it */
};

enum { N_OUTPUT_FILES = 10 };
extern const struct output_file output_files[N_OUTPUT_FILES];

#endif
