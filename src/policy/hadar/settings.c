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
  OPT_NOISE,
  OPT_DUAL,
  OPT_DIAGNOSTICS,
  OPT_BOUND,
  OPT_PHASE1,
  OPT_MAX_COPIES,
  OPT_COPY_GPUS,
  OPT_CONSOLIDATE_S,
  OPT_MAX_JOB_COUNT
};

enum { GOAL_JCT, GOAL_MAKESPAN, GOAL_FTF };
enum { AUTO_BEAM = 16 };
enum { PHASE1_AUTO, PHASE1_DP, PHASE1_MATCHING };

const struct hsim_option hadar_options[] = {
    [OPT_GOAL] = {.name = "goal",
                  .kind = HSIM_OPTION_CHOICE,
                  .fallback = "jct",
                  .choices = "jct|makespan|ftf",
                  .help = "what to favour; sets order and utility: jct = area and norm, "
                          "makespan = lptc and pace, ftf = area and ftf"},
    [OPT_PROFILE] = {.name = "profile",
                     .kind = HSIM_OPTION_CHOICE,
                     .fallback = "default",
                     .choices = "default|paper",
                     .help = "paper: utility raw, order arrival, branch 1, no backfill, no "
                             "upgrade, wherever an option does not say otherwise"},
    [OPT_ORDER] = {.name = "order",
                   .kind = HSIM_OPTION_CHOICE,
                   .fallback = "auto",
                   .choices = "auto|area|pay|densr|dens|payr|srpt|lpt|lptc|arrival",
                   .help = "order in which jobs enter the dual subroutine; auto: by the goal"},
    [OPT_UTILITY] = {.name = "utility",
                     .kind = HSIM_OPTION_CHOICE,
                     .fallback = "auto",
                     .choices = "auto|raw|norm|ftf|pace",
                     .help = "value of a finish time: steps, shortest duration or fair-share "
                             "duration, each / (finish - arrival); pace: shortest remaining "
                             "duration ^ 1/4 x rate / highest rate; "
                             "auto: by the goal"},
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
                          "order densr and for HadarE unless goal=makespan"},
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
    [OPT_DUAL] = {.name = "dual",
                  .kind = HSIM_OPTION_CHOICE,
                  .fallback = "beam",
                  .choices = "beam|exact",
                  .help = "dual subroutine: beam search, or the exact recursion, which is for a "
                          "few jobs on a few nodes"},
    [OPT_DIAGNOSTICS] = {.name = "diagnostics",
                         .kind = HSIM_OPTION_TEXT,
                         .fallback = "",
                         .help = "CSV file for alpha, prices and payoffs of every round"},
    [OPT_BOUND] = {.name = "bound",
                   .kind = HSIM_OPTION_BOOL,
                   .fallback = "0",
                   .help =
                       "policy_stats gain fluid_bound_s: no schedule ends the jobs of the first "
                       "round sooner"},
    [OPT_PHASE1] = {.name = "phase1",
                    .kind = HSIM_OPTION_CHOICE,
                    .fallback = "auto",
                    .choices = "auto|dp|matching",
                    .help = "first copies by the dual subroutine or by an exact matching of jobs "
                            "and one-GPU nodes; auto: matching with goal=makespan"},
    [OPT_MAX_COPIES] = {.name = "max_copies",
                        .kind = HSIM_OPTION_INT,
                        .fallback = "0",
                        .min = 0,
                        .max = 1000000,
                        .help = "copies of a job at a time; 0: as many as there are nodes"},
    [OPT_COPY_GPUS] = {.name = "copy_gpus",
                       .kind = HSIM_OPTION_CHOICE,
                       .fallback = "job",
                       .choices = "job|node",
                       .help = "GPUs of a copy on a node that would idle: up to the job's workers, "
                               "or all that are free there"},
    [OPT_CONSOLIDATE_S] = {.name = "consolidate_s",
                           .kind = HSIM_OPTION_REAL,
                           .fallback = "10",
                           .min = 0,
                           .max = 1e9,
                           .help = "seconds a round that two or more copies of a job lose to the "
                                   "averaging of their parameters"},
    [OPT_MAX_JOB_COUNT] = {.name = "max_job_count",
                           .kind = HSIM_OPTION_INT,
                           .fallback = "0",
                           .min = 0,
                           .max = 1000000000,
                           .help = "copy i of job j has the id max_job_count * i + j; more jobs at "
                                   "a time are an error; 0: jobs of the trace + 1"},
};
_Static_assert(sizeof hadar_options / sizeof hadar_options[0] == N_HADARE_OPTIONS,
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
  s->order = goal->as.i == GOAL_MAKESPAN ? HADAR_LPTC : HADAR_AREA;
  if (goal->as.i == GOAL_MAKESPAN)
    s->utility = HADAR_PACE;
  if (goal->as.i == GOAL_FTF)
    s->utility = HADAR_FTF;
}

static void settings_of_forks(struct hadar_settings *s, const struct hsim_value *values) {
  bool makespan = values[OPT_GOAL].as.i == GOAL_MAKESPAN;
  int64_t phase1 = values[OPT_PHASE1].as.i;
  s->forks = true;
  s->matching = phase1 == PHASE1_AUTO ? makespan : phase1 == PHASE1_MATCHING;
  s->max_copies = (int)values[OPT_MAX_COPIES].as.i;
  s->whole_nodes = values[OPT_COPY_GPUS].as.i == 1;
  s->consolidate_s = values[OPT_CONSOLIDATE_S].as.real;
  s->max_job_count = (int)values[OPT_MAX_JOB_COUNT].as.i;
  if (values[OPT_BEAM].as.i == 0 && !makespan)
    s->beam = 1;
}

void hadar_settings_read(struct hadar_settings *s, const struct hsim_value *values, bool forks) {
  *s = (struct hadar_settings){0};
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
  s->exact = values[OPT_DUAL].as.i == 1;
  s->bound = values[OPT_BOUND].as.i != 0;
  s->diagnostics = values[OPT_DIAGNOSTICS].text;
  if (forks)
    settings_of_forks(s, values);
}

static const char *settled(const struct hsim_value *values, int option, bool forks) {
  static const char *const orders[] = {"area", "pay", "densr", "dens",   "payr",
                                       "srpt", "lpt", "lptc",  "arrival"};
  static const char *const utilities[] = {"raw", "norm", "ftf", "pace"};
  struct hadar_settings s;
  hadar_settings_read(&s, values, forks);
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
  case OPT_PHASE1:
    return s.matching ? "matching" : "dp";
  default:
    return NULL;
  }
}

const char *hadar_settled(const struct hsim_value *values, int option) {
  return settled(values, option, false);
}

const char *hadare_settled(const struct hsim_value *values, int option) {
  return settled(values, option, true);
}
