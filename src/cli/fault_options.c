/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fault_options.h"

#include <math.h>
#include <string.h>

#include "model/number.h"

enum {
  KEY_EVENTS_IN = 512,
  KEY_MTBF,
  KEY_MTTR,
  KEY_MTBF_SHAPE,
  KEY_STRAGGLERS,
  KEY_CHECKPOINT_INTERVAL,
  KEY_CHECKPOINT_COST
};

const struct option_row fault_rows[] = {
    {KEY_EVENTS_IN, "events-in", "FILE.csv",
     "what happens to the cluster: time_s,event,target[,gpus] with the events\n"
     "node_down, node_up, drain, undrain, add_node, cancel (of a job)"},
    {KEY_MTBF, "mtbf", "HOURS", "each node fails at random: mean time between failures"},
    {KEY_MTTR, "mttr", "HOURS", "mean time until it is repaired (default: 1)"},
    {KEY_MTBF_SHAPE, "mtbf-shape", "K",
     "Weibull shape of the time until a failure (default: 1, exponential)"},
    {KEY_STRAGGLERS, "stragglers", "SHARE:FACTOR",
     "that part of the nodes, drawn by the seed, runs at FACTOR of its speed"},
    {KEY_CHECKPOINT_INTERVAL, "checkpoint-interval", "SECONDS",
     "jobs save their progress so often, and lose what is not saved when\n"
     "a node fails under them (default: nothing is lost)"},
    {KEY_CHECKPOINT_COST, "checkpoint-cost", "SECONDS",
     "seconds without progress for each checkpoint (default: 0)"},
};
const int n_fault_rows = sizeof fault_rows / sizeof fault_rows[0];

void fault_options_init(struct fault_options *options) {
  *options = (struct fault_options){.mtbf_h = NAN,
                                    .mttr_h = NAN,
                                    .mtbf_shape = NAN,
                                    .slow_share = NAN,
                                    .slow_factor = NAN,
                                    .checkpoint_interval = NAN,
                                    .checkpoint_cost = NAN};
}

static enum hsim_status hours(const char *name, const char *text, double *value,
                              struct hsim_error *error) {
  return option_real(name, text, "a number of hours", 1e-3, 1e8, value, error);
}

static bool share(const char *text, size_t length, double *value) {
  return number_parse(text, length, value) == NUMBER_OK && *value > 0 && *value <= 1;
}

static enum hsim_status stragglers(const char *text, struct fault_options *options,
                                   struct hsim_error *error) {
  const char *colon = strchr(text, ':');
  if (!colon || !share(text, (size_t)(colon - text), &options->slow_share) ||
      !share(colon + 1, strlen(colon + 1), &options->slow_factor))
    return option_bad(error, "stragglers", text, "SHARE:FACTOR, both above 0 and at most 1");
  return HSIM_OK;
}

enum hsim_status fault_options_set(void *target, int key, const char *text,
                                   struct hsim_error *error) {
  struct fault_options *options = target;
  switch (key) {
  case KEY_EVENTS_IN:
    options->events_in = text;
    return HSIM_OK;
  case KEY_MTBF:
    return hours("mtbf", text, &options->mtbf_h, error);
  case KEY_MTTR:
    return hours("mttr", text, &options->mttr_h, error);
  case KEY_MTBF_SHAPE:
    return option_real("mtbf-shape", text, "a number", 0.1, 100, &options->mtbf_shape, error);
  case KEY_STRAGGLERS:
    return stragglers(text, options, error);
  case KEY_CHECKPOINT_INTERVAL:
    return option_seconds("checkpoint-interval", text, 1, &options->checkpoint_interval, error);
  default:
    return option_seconds("checkpoint-cost", text, 0, &options->checkpoint_cost, error);
  }
}

enum hsim_status fault_options_check(const struct fault_options *options,
                                     struct hsim_error *error) {
  if (isnan(options->mtbf_h) && !(isnan(options->mttr_h) && isnan(options->mtbf_shape)))
    return hsim_fail(error, HSIM_BAD_USAGE, "--mttr and --mtbf-shape go with --mtbf");
  if (isnan(options->checkpoint_interval) && !isnan(options->checkpoint_cost))
    return hsim_fail(error, HSIM_BAD_USAGE, "--checkpoint-cost goes with --checkpoint-interval");
  return HSIM_OK;
}
