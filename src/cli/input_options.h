/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that say what is read, the same for every command that reads a trace. */
#ifndef HSIM_CLI_INPUT_OPTIONS_H
#define HSIM_CLI_INPUT_OPTIONS_H

#include <cjson/cJSON.h>

#include "cli/option_table.h"
#include "input/trace.h"
#include "model/cluster.h"
#include "model/rates.h"
#include "model/semantics.h"

/* An option of the input as it was typed. */
struct typed_option {
  const char *name, *text; /* text NULL: it takes none */
};

struct input_options {
  const char *trace, *trace_format;
  struct trace_reading reading;
  const char *cluster, *rates;
  const char *cluster_gpu; /* type of machines in a list that names none */
  const char *speedups;    /* CSV of speedup tables, or NULL */
  const char *semantics;   /* NULL: the default */
  const char *elastic;
  enum assign_rule assign;
  const char *reference_gpu;
  struct trace_selection selection; /* its tenants are `tenants` */
  const char **tenants;             /* owned; the texts are argv's */
  size_t tenants_capacity;
  int limit; /* 0: all */
  bool rebase;
  bool skip_bad_rows;
  uint64_t seed;
  bool quiet;
  struct typed_option *typed; /* owned: what input_options_item tells */
  size_t n_typed, typed_capacity;
};

enum input_key {
  INPUT_TRACE = 256,
  INPUT_TRACE_FORMAT,
  INPUT_TIME_UNIT,
  INPUT_TIME_ZONE,
  INPUT_REPEATED_HOUR,
  INPUT_FRACTIONAL,
  INPUT_ATTEMPTS,
  INPUT_CLUSTER,
  INPUT_CLUSTER_GPU,
  INPUT_RATES,
  INPUT_SPEEDUPS,
  INPUT_ASSIGN,
  INPUT_REFERENCE_GPU,
  INPUT_ELASTIC,
  INPUT_FROM,
  INPUT_TO,
  INPUT_TENANT,
  INPUT_SAMPLE,
  INPUT_LIMIT,
  INPUT_SCALE_ARRIVALS,
  INPUT_SHAKE,
  INPUT_REBASE,
  INPUT_ON_BAD_ROW,
  INPUT_SEMANTICS,
  INPUT_SEED,
  INPUT_QUIET,
  INPUT_KEYS_END
};

/* Rows of the options up to INPUT_ON_BAD_ROW; a command has the others among its own. */
extern const struct option_row input_rows[];
extern const int n_input_rows;

void input_options_init(struct input_options *options);
void input_options_free(struct input_options *options);

/* The set function of a group; `target` is the struct input_options. */
enum hsim_status input_options_set(void *target, int key, const char *text,
                                   struct hsim_error *error);

/* What was typed beyond what the rest of a summary tells (trace, cluster, rates, seed, noise): an
 * object OPTION: value, numbers as such, several tenants as an array; NULL when there is nothing.
 */
cJSON *input_options_item(const struct input_options *options);

/* Rates with their speedups. */
enum hsim_status input_load_rates(const struct input_options *options, struct rates *rates,
                                  struct hsim_error *error);
enum hsim_status input_load_semantics(const struct input_options *options,
                                      struct semantics *semantics, struct hsim_error *error);
/* The options of the reader. */
enum hsim_status input_trace_options(const struct input_options *options,
                                     struct trace_options *trace, struct hsim_error *error);

#endif
