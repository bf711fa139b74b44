/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/hadar/settings.h"

/* The order of hadar_options. */
enum {
  OPT_GOAL,
  OPT_PROFILE,
  OPT_ORDER,
  OPT_UTILITY,
  OPT_HORIZON,
  OPT_CAP,
  OPT_ETA,
  OPT_BEAM,
  OPT_BRANCH,
  OPT_BACKFILL,
  OPT_UPGRADE,
  OPT_AGE_ROUNDS,
  OPT_ESTIMATE,
  OPT_NOISE
};

enum { GOAL_JCT, GOAL_MAKESPAN, GOAL_FTF };
enum { AUTO_BEAM = 16 };

const struct hsim_option hadar_options[] = {
    [OPT_GOAL] = {.name = "goal",
                  .kind = HSIM_OPTION_CHOICE,
                  .fallback = "jct",
                  .choices = "jct|makespan|ftf",
                  .help = "what to favour; sets order and utility: jct = area and norm, "
                          "makespan = pay and norm, ftf = area and ftf"},
    [OPT_PROFILE] = {.name = "profile",
                     .kind = HSIM_OPTION_CHOICE,
                     .fallback = "default",
                     .choices = "default|paper",
                     .help = "paper: utility raw, order arrival, branch 1, no backfill, no "
                             "upgrade, wherever an option does not say otherwise"},
    [OPT_ORDER] = {.name = "order",
                   .kind = HSIM_OPTION_CHOICE,
                   .fallback = "auto",
                   .choices = "auto|area|pay|densr|dens|payr|srpt|lpt|arrival",
                   .help = "order in which jobs enter the dual subroutine; auto: by the goal"},
    [OPT_UTILITY] = {.name = "utility",
                     .kind = HSIM_OPTION_CHOICE,
                     .fallback = "auto",
                     .choices = "auto|raw|norm|ftf",
                     .help = "value of a finish time: steps, shortest duration or fair-share "
                             "duration, each / (finish - arrival); auto: by the goal"},
    [OPT_HORIZON] = {.name = "horizon",
                     .kind = HSIM_OPTION_CHOICE,
                     .fallback = "round",
                     .choices = "round|sched",
                     .help =
                         "rounds that a job pays for: this one, or its whole expected schedule"},
    [OPT_CAP] = {.name = "cap",
                 .kind = HSIM_OPTION_CHOICE,
                 .fallback = "type",
                 .choices = "type|global",
                 .help = "price of a full node: per GPU type, or the same for all"},
    [OPT_ETA] = {.name = "eta",
                 .kind = HSIM_OPTION_CHOICE,
                 .fallback = "equality",
                 .choices = "equality|T",
                 .help = "scale of the lowest price: 1/eta = least GPU-rounds of a job / GPUs; "
                         "T: also / rounds of the longest job"},
    [OPT_BEAM] = {.name = "beam",
                  .kind = HSIM_OPTION_INT,
                  .fallback = "0",
                  .min = 0,
                  .max = 1000000,
                  .help = "states that the dual subroutine keeps; 1 is greedy; 0: 16, or 1 with "
                          "order densr"},
    [OPT_BRANCH] = {.name = "branch",
                    .kind = HSIM_OPTION_INT,
                    .fallback = "0",
                    .min = 0,
                    .max = 1,
                    .help =
                        "candidates of a job that the dual subroutine tries: 0 all, 1 the best"},
    [OPT_BACKFILL] = {.name = "backfill",
                      .kind = HSIM_OPTION_BOOL,
                      .fallback = "1",
                      .help = "give GPUs that would idle to jobs that the prices rejected"},
    [OPT_UPGRADE] = {.name = "upgrade",
                     .kind = HSIM_OPTION_BOOL,
                     .fallback = "1",
                     .help = "move a job to GPUs that would idle where it runs over 1.05x faster"},
    [OPT_AGE_ROUNDS] = {.name = "age_rounds",
                        .kind = HSIM_OPTION_INT,
                        .fallback = "0",
                        .min = 0,
                        .max = 1000000000,
                        .help = "rounds after which a waiting job goes first, whatever the price; "
                                "0: never"},
    [OPT_ESTIMATE] = {.name = "estimate",
                      .kind = HSIM_OPTION_CHOICE,
                      .fallback = "exact",
                      .choices = "exact|noisy",
                      .help = "rates that Hadar plans with; noisy ones improve as jobs run"},
    [OPT_NOISE] = {.name = "noise",
                   .kind = HSIM_OPTION_REAL,
                   .fallback = "0.1",
                   .min = 0,
                   .max = 0.9,
                   .help = "with estimate=noisy: largest relative error of a first estimate"},
};
_Static_assert(sizeof hadar_options / sizeof hadar_options[0] == N_HADAR_OPTIONS,
               "the length of the table is public");

static void settings_defaults(struct hadar_settings *s, const struct hsim_value *values) {
  bool paper = values[OPT_PROFILE].as.i == 1;
  s->utility = paper ? HADAR_RAW : HADAR_NORM;
  s->order = paper ? HADAR_ARRIVAL : HADAR_AREA;
  s->best_only = paper;
  s->backfill = !paper;
  s->upgrade = !paper;
}

static void settings_goal(struct hadar_settings *s, const struct hsim_value *goal) {
  if (!goal->given)
    return;
  s->order = goal->as.i == GOAL_MAKESPAN ? HADAR_PAY : HADAR_AREA;
  if (goal->as.i == GOAL_FTF)
    s->utility = HADAR_FTF;
}

void hadar_settings_read(struct hadar_settings *s, const struct hsim_value *values) {
  settings_defaults(s, values);
  settings_goal(s, &values[OPT_GOAL]);
  if (values[OPT_ORDER].as.i > 0)
    s->order = (enum hadar_order)(values[OPT_ORDER].as.i - 1);
  if (values[OPT_UTILITY].as.i > 0)
    s->utility = (enum hadar_utility)(values[OPT_UTILITY].as.i - 1);
  if (values[OPT_BRANCH].given)
    s->best_only = values[OPT_BRANCH].as.i == 1;
  if (values[OPT_BACKFILL].given)
    s->backfill = values[OPT_BACKFILL].as.i != 0;
  if (values[OPT_UPGRADE].given)
    s->upgrade = values[OPT_UPGRADE].as.i != 0;
  s->whole_schedule = values[OPT_HORIZON].as.i == 1;
  s->global_cap = values[OPT_CAP].as.i == 1;
  s->eta_over_rounds = values[OPT_ETA].as.i == 1;
  s->beam = (int)values[OPT_BEAM].as.i;
  if (s->beam == 0)
    s->beam = s->order == HADAR_DENSR ? 1 : AUTO_BEAM;
  s->age_rounds = (int)values[OPT_AGE_ROUNDS].as.i;
  s->noise = values[OPT_ESTIMATE].as.i == 1 ? values[OPT_NOISE].as.real : 0;
}

const char *hadar_settled(const struct hsim_value *values, int option) {
  static const char *const orders[] = {"area", "pay",  "densr", "dens",
                                       "payr", "srpt", "lpt",   "arrival"};
  static const char *const utilities[] = {"raw", "norm", "ftf"};
  struct hadar_settings s;
  hadar_settings_read(&s, values);
  switch (option) {
  case OPT_ORDER:
    return orders[s.order];
  case OPT_UTILITY:
    return utilities[s.utility];
  case OPT_BEAM:
    return s.beam == 1 ? "1" : "16";
  case OPT_BRANCH:
    return s.best_only ? "1" : "0";
  case OPT_BACKFILL:
    return s.backfill ? "1" : "0";
  case OPT_UPGRADE:
    return s.upgrade ? "1" : "0";
  default:
    return NULL;
  }
}
