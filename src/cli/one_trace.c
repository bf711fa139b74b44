/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/one_trace.h"

#include <string.h>

#include "input/cluster.h"

static enum hsim_status all_types(const struct rates *rates, struct cluster *cluster,
                                  struct hsim_error *error) {
  *cluster = (struct cluster){.file = mem_text("all types of the rates table")};
  enum hsim_status status = cluster_add_node(cluster, NULL, NULL, 0, error);
  for (int t = 0; t < rates->types.n && status == HSIM_OK; t++)
    status = cluster_add_bay(cluster, rates->types.at[t], 1, error);
  return status == HSIM_OK ? cluster_finish(cluster, cluster->file, error) : status;
}

/* Nothing runs on the added types: models are given as on the cluster without them. */
static enum hsim_status name_all_types(struct one_trace *all, struct hsim_error *error) {
  struct names *types = &all->cluster.types;
  struct hsim_cluster *view = &all->cluster.view;
  int own = types->n;
  for (int r = 0; r < all->rates.types.n; r++) {
    const char *name = all->rates.types.at[r];
    if (names_find(types, name, strlen(name)) >= 0)
      continue;
    if (types->n == HSIM_MAX_TYPES)
      return hsim_fail(error, HSIM_BAD_INPUT,
                       "cluster and rates table have more than %d GPU types together",
                       HSIM_MAX_TYPES);
    names_add(types, name, strlen(name));
  }
  view->n_types = types->n;
  view->type_names = (const char *const *)types->at;
  oracle_init(&all->oracle, &all->rates, view, &all->semantics);
  for (int t = own; t < types->n; t++)
    all->oracle.type_of[t] = -1;
  return HSIM_OK;
}

static enum hsim_status load(const struct input_options *options, bad_row_function *bad_row,
                             void *state, bool all_names, struct one_trace *all,
                             struct hsim_error *error) {
  struct trace_options trace;
  enum hsim_status status = input_trace_options(options, &trace, error);
  trace.bad_row = bad_row;
  trace.bad_row_state = state;
  if (bad_row != NULL)
    trace.warn = NULL;
  if (status == HSIM_OK)
    status = input_load_semantics(options, &all->semantics, error);
  if (status == HSIM_OK)
    status = input_load_rates(options, &all->rates, error);
  if (status == HSIM_OK)
    status = options->cluster
                 ? cluster_read_as(options->cluster, options->cluster_gpu, &all->cluster, error)
                 : all_types(&all->rates, &all->cluster, error);
  if (status != HSIM_OK)
    return status;
  oracle_init(&all->oracle, &all->rates, &all->cluster.view, &all->semantics);
  if (all_names)
    status = name_all_types(all, error);
  if (status != HSIM_OK)
    return status;
  return trace_read(&trace, &all->oracle, &all->trace, error);
}

enum hsim_status one_trace_load(const struct input_options *options, bad_row_function *bad_row,
                                void *state, bool all_names, struct one_trace *all,
                                struct hsim_error *error) {
  *all = (struct one_trace){0};
  enum hsim_status status = load(options, bad_row, state, all_names, all, error);
  if (status != HSIM_OK)
    one_trace_free(all);
  return status;
}

void one_trace_free(struct one_trace *all) {
  trace_free(&all->trace);
  cluster_free(&all->cluster);
  rates_free(&all->rates);
  semantics_free(&all->semantics);
  *all = (struct one_trace){0};
}

enum hsim_status one_trace_word(int argc, char **argv, int first_word,
                                struct input_options *options, struct hsim_error *error) {
  for (int i = first_word; i < argc; i++) {
    if (options->trace)
      return hsim_fail(error, HSIM_BAD_USAGE, "\"%s\": there is a trace already, %s", argv[i],
                       options->trace);
    options->trace = argv[i];
  }
  if (!options->trace)
    return hsim_fail(error, HSIM_BAD_USAGE, "the trace is missing");
  return HSIM_OK;
}
