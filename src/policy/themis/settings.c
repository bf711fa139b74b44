/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/settings.h"

enum {
  OPT_ALGORITHM,
  OPT_PRESET,
  OPT_F,
  OPT_LEASE,
  OPT_VALUATION,
  OPT_IDEAL,
  OPT_NMODE,
  OPT_STARVED_KEY,
  OPT_ETA,
  OPT_PAYMENT,
  OPT_LEFTOVER,
  OPT_MOPUP,
  OPT_REFILTER,
  OPT_STARVE_LIMIT,
  OPT_ROWS_MAX,
  OPT_ALTS,
  OPT_PART_MAX,
  OPT_NODE_CAP,
  OPT_CANON,
  OPT_SOLVER,
  OPT_ELASTIC,
  OPT_RESTART,
  OPT_STAGGER,
  OPT_BID_ERROR,
  OPT_LIAR,
  OPT_LIE
};

#define BOOLEAN(key, value, text)                                                                  \
  { .name = (key), .kind = HSIM_OPTION_BOOL, .fallback = (value), .help = (text) }
#define CHOICE(key, value, list, text)                                                             \
  {                                                                                                \
    .name = (key), .kind = HSIM_OPTION_CHOICE, .fallback = (value), .choices = (list),             \
    .help = (text)                                                                                 \
  }
#define REAL(key, value, low, high, text)                                                          \
  {                                                                                                \
    .name = (key), .kind = HSIM_OPTION_REAL, .fallback = (value), .min = (low), .max = (high),     \
    .help = (text)                                                                                 \
  }
#define COUNT(key, value, low, high, text)                                                         \
  {                                                                                                \
    .name = (key), .kind = HSIM_OPTION_INT, .fallback = (value), .min = (low), .max = (high),      \
    .help = (text)                                                                                 \
  }

const struct hsim_option themis_options[N_THEMIS_OPTIONS] = {
    [OPT_ALGORITHM] =
        CHOICE("algorithm", "auction", "auction|gandiva|tiresias|optimus|slaq|srtf|srsf",
               "Themis' auction, or one of the schedulers that its paper compares "
               "with, under the same leases"),
    [OPT_PRESET] = CHOICE("preset", "paper", "paper|authors_sim",
                          "defaults of the other options: the paper, or its authors' simulator"),
    [OPT_F] = REAL("f", "0.8", 0, 1, "fairness knob: the worst 1-f of the apps get the offer"),
    [OPT_LEASE] = REAL("lease_s", "1200", 1e-3, 1e9,
                       "seconds that GPUs are granted for, rounded up to whole rounds"),
    [OPT_VALUATION] =
        CHOICE("valuation", "rho", "rho|speedup", "worth of a bundle: 1/rho, or the speedup on it"),
    [OPT_IDEAL] = CHOICE("ideal", "share", "share|paper|contention",
                         "reading of the ideal time that rho is measured by"),
    [OPT_NMODE] = CHOICE("nmode", "avg", "avg|now",
                         "active apps: average over the app's life so far, or their number now"),
    [OPT_STARVED_KEY] =
        CHOICE("starved_key", "finite", "finite|inf", "rho of an app without GPUs in the filter"),
    [OPT_ETA] =
        REAL("eta", "0.01", 1e-9, 1, "worth of no GPUs, relative to the least bundle of a bid"),
    [OPT_PAYMENT] = CHOICE("payment", "keep1", "keep1|floor|lottery|lease|none",
                           "how a part of a bundle becomes whole GPUs"),
    [OPT_LEFTOVER] = CHOICE("leftover", "local", "local|random|rr|none",
                            "which apps outside the auction get what is left"),
    [OPT_MOPUP] = BOOLEAN("mopup", "1", "auction without payments for GPUs that are still free"),
    [OPT_REFILTER] = BOOLEAN("refilter", "0", "mop-up passes take the worst 1-f only, too"),
    [OPT_STARVE_LIMIT] = COUNT("starve_limit", "3", 1, 1000000000,
                               "leases without a GPU after which an app must be served"),
    [OPT_ROWS_MAX] = COUNT("rows_max", "64", 1, 1024, "bundles that an app bids for"),
    [OPT_ALTS] = COUNT("alts", "4", 1, 64, "placements that an app bids for per size and level"),
    [OPT_PART_MAX] = COUNT("part_max", "32", 1, 1024, "apps in one auction"),
    [OPT_NODE_CAP] =
        COUNT("node_cap", "2000", 1, 1000000000, "nodes of the search for one optimum"),
    [OPT_CANON] = BOOLEAN("canon", "1", "among mirror images of an optimum take the first"),
    [OPT_SOLVER] =
        CHOICE("solver", "auto", "auto|milp|greedy", "exact unless too large; always exact; never"),
    [OPT_ELASTIC] = BOOLEAN("elastic", "1",
                            "jobs run on any number of GPUs of their range; 0: on `workers` only"),
    [OPT_RESTART] = REAL("restart_s", "0", 0, 1e6,
                         "least seconds without progress after a change of a job's GPUs; part of "
                         "the bids"),
    [OPT_STAGGER] = BOOLEAN("stagger", "0", "first leases end one machine after the other"),
    [OPT_BID_ERROR] =
        REAL("bid_error", "0", 0, 0.99, "relative error of every rho that an app reports"),
    [OPT_LIAR] = COUNT("liar", "-1", -1, 1000000000,
                       "number of an app, in order of arrival from 0, that exaggerates"),
    [OPT_LIE] = REAL("lie", "0", 0, 100, "by how much it exaggerates; 0.5 is 50 %"),
};
_Static_assert(sizeof themis_options / sizeof themis_options[0] == N_THEMIS_OPTIONS,
               "the length of the table is public");

/* What the preset authors_sim says instead of the defaults, NULL: nothing. */
static const char *authors_choice(int option) {
  switch (option) {
  case OPT_VALUATION:
    return "speedup";
  case OPT_PAYMENT:
  case OPT_LEFTOVER:
    return "none";
  case OPT_REFILTER:
    return "1";
  default:
    return NULL;
  }
}

const char *themis_settled(const struct hsim_value *values, int option) {
  return values[OPT_PRESET].as.i == 1 ? authors_choice(option) : NULL;
}

void themis_settings_read(struct themis_settings *settings, const struct hsim_value *values) {
  *settings = (struct themis_settings){
      .algorithm = (enum themis_algorithm)values[OPT_ALGORITHM].as.i,
      .f = values[OPT_F].as.real,
      .lease_s = values[OPT_LEASE].as.real,
      .valuation = (enum themis_valuation)values[OPT_VALUATION].as.i,
      .ideal = (enum themis_ideal)values[OPT_IDEAL].as.i,
      .instant = values[OPT_NMODE].as.i == 1,
      .starved_inf = values[OPT_STARVED_KEY].as.i == 1,
      .payment = (enum themis_payment)values[OPT_PAYMENT].as.i,
      .leftover = (enum themis_leftover)values[OPT_LEFTOVER].as.i,
      .mopup = values[OPT_MOPUP].as.i != 0,
      .refilter = values[OPT_REFILTER].as.i != 0,
      .starve_limit = (int)values[OPT_STARVE_LIMIT].as.i,
      .bids = {.rows_max = (int)values[OPT_ROWS_MAX].as.i,
               .alternatives = (int)values[OPT_ALTS].as.i,
               .eta = values[OPT_ETA].as.real},
      .part_max = (int)values[OPT_PART_MAX].as.i,
      .node_cap = (int)values[OPT_NODE_CAP].as.i,
      .canonical = values[OPT_CANON].as.i != 0,
      .solver = (enum themis_solver_kind)values[OPT_SOLVER].as.i,
      .elastic = values[OPT_ELASTIC].as.i != 0,
      .restart_s = values[OPT_RESTART].as.real,
      .stagger = values[OPT_STAGGER].as.i != 0,
      .bid_error = values[OPT_BID_ERROR].as.real,
      .liar = (int)values[OPT_LIAR].as.i,
      .lie = values[OPT_LIE].as.real,
  };
}
