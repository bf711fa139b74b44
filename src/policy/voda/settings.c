/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/voda/settings.h"

#include <math.h>

/* The order of voda_options. */
enum {
  OPT_ALGORITHM,
  OPT_COMPAT,
  OPT_INFO,
  OPT_EPOCHS,
  OPT_RATE_LIMIT,
  OPT_THRESHOLD,
  OPT_PROMOTE,
  OPT_TICK,
  OPT_COMPACTION,
  OPT_SKIP,
  OPT_PLACEMENT,
  OPT_TIE
};

enum { COMPAT_FIXED, COMPAT_CODE, COMPAT_CODE_2021 };

/* The published program's timer. */
static const double TIMER_S = 5;

const struct hsim_option voda_options[] = {
    [OPT_ALGORITHM] = {.name = "algorithm",
                       .kind = HSIM_OPTION_CHOICE,
                       .fallback = "elastic_fifo",
                       .choices = "fifo|elastic_fifo|srjf|elastic_srjf|tiresias|elastic_tiresias|"
                                  "ffdl|afs_l",
                       .help = "how many workers each job gets"},
    [OPT_COMPAT] = {.name = "compat",
                    .kind = HSIM_OPTION_CHOICE,
                    .fallback = "fixed",
                    .choices = "fixed|code|code2021",
                    .help = "code: with defects of the published program in algorithms and queues; "
                            "code2021: those of the version that the author's runs had"},
    [OPT_INFO] = {.name = "info",
                  .kind = HSIM_OPTION_CHOICE,
                  .fallback = "profile",
                  .choices = "profile|learn|voda-literal",
                  .help = "where speedups and remaining times come from: the rates; finished "
                          "epochs; those as the published collector reads them"},
    [OPT_EPOCHS] = {.name = "epochs",
                    .kind = HSIM_OPTION_INT,
                    .fallback = "100",
                    .min = 1,
                    .max = 1e9,
                    .help = "learn and voda-literal: epochs of jobs whose trace gives none"},
    [OPT_RATE_LIMIT] = {.name = "rate_limit",
                        .kind = HSIM_OPTION_REAL,
                        .fallback = "30",
                        .min = 0,
                        .max = 1e9,
                        .help = "seconds from one rescheduling of a pool to the next, at least"},
    [OPT_THRESHOLD] = {.name = "threshold",
                       .kind = HSIM_OPTION_REAL,
                       .fallback = "3600",
                       .min = 0,
                       .max = INFINITY,
                       .help = "tiresias: GPU-seconds at which a job leaves the first queue"},
    [OPT_PROMOTE] = {.name = "promote",
                     .kind = HSIM_OPTION_REAL,
                     .fallback = "8",
                     .min = 0,
                     .max = INFINITY,
                     .help = "tiresias: back to the first queue after waiting so many times the "
                             "time run; 0: never"},
    [OPT_TICK] = {.name = "tick",
                  .kind = HSIM_OPTION_REAL,
                  .fallback = "0",
                  .min = 0,
                  .max = 1e9,
                  .help = "tiresias: queues change at multiples of it, seconds; 0: at the exact "
                          "time; compat=code: 5"},
    [OPT_COMPACTION] = {.name = "compaction",
                        .kind = HSIM_OPTION_INT,
                        .fallback = "10",
                        .min = 0,
                        .max = 1e9,
                        .help = "elastic_tiresias: more waiting jobs than this cut the second "
                                "queue to minimum size"},
    [OPT_SKIP] = {.name = "skip",
                  .kind = HSIM_OPTION_BOOL,
                  .fallback = "0",
                  .help = "ffdl: jobs behind one that does not fit are admitted"},
    [OPT_PLACEMENT] = {.name = "placement",
                       .kind = HSIM_OPTION_CHOICE,
                       .fallback = "manager",
                       .choices = "manager|random",
                       .help = "manager: pack anew, move as few workers as possible; random: "
                               "new workers on any free GPU, nobody moves"},
    [OPT_TIE] = {.name = "tie",
                 .kind = HSIM_OPTION_CHOICE,
                 .fallback = "placed",
                 .choices = "placed|submit|random",
                 .help = "who is packed first among jobs of one size: by the node that holds them, "
                         "by submission, or drawn each time"},
};
_Static_assert(sizeof voda_options / sizeof voda_options[0] == N_VODA_OPTIONS,
               "the length of the table is public");

static bool has_queues(enum voda_algorithm algorithm) {
  return algorithm == VODA_TIRESIAS || algorithm == VODA_ELASTIC_TIRESIAS;
}

static bool has_info(enum voda_algorithm algorithm) {
  return algorithm != VODA_FIFO && algorithm != VODA_ELASTIC_FIFO && algorithm != VODA_TIRESIAS;
}

void voda_settings_read(struct voda_settings *s, const struct hsim_value *values) {
  bool as_coded = values[OPT_COMPAT].as.i != COMPAT_FIXED;
  enum voda_algorithm algorithm = (enum voda_algorithm)values[OPT_ALGORITHM].as.i;
  *s = (struct voda_settings){
      .rules = {.algorithm = algorithm,
                .never_first = values[OPT_COMPAT].as.i == COMPAT_CODE,
                .as_coded = as_coded,
                .compaction = (int)values[OPT_COMPACTION].as.i,
                .ffdl_skip = values[OPT_SKIP].as.i != 0},
      .queues = {.threshold = values[OPT_THRESHOLD].as.real,
                 .promote = values[OPT_PROMOTE].as.real,
                 .tick_s = values[OPT_TICK].as.real,
                 .as_coded = as_coded},
      .info = (enum voda_info)values[OPT_INFO].as.i,
      .epochs = (double)values[OPT_EPOCHS].as.i,
      .rate_limit_s = values[OPT_RATE_LIMIT].as.real,
      .method = (enum voda_method)values[OPT_PLACEMENT].as.i,
      .tie = (enum voda_tie)values[OPT_TIE].as.i,
      .needs_info = has_info(algorithm),
      .needs_queues = has_queues(algorithm),
  };
  if (as_coded && s->queues.tick_s <= 0)
    s->queues.tick_s = TIMER_S;
}

const char *voda_settled(const struct hsim_value *values, int option) {
  return option == OPT_TICK && values[OPT_COMPAT].as.i != COMPAT_FIXED ? "5" : NULL;
}
