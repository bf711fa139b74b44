/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/workload_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/choice.h"
#include "cli/option_table.h"
#include "model/number.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))
#define LONGEST_S 1e9
#define MIN_KEY(fallback)                                                                          \
  { "min", fallback, 0.001, LONGEST_S, false, "seconds; shorter ones are drawn again" }
#define MAX_KEY                                                                                    \
  { "max", LONGEST_S, 0.001, LONGEST_S, false, "seconds; longer ones are drawn again" }

/* In the order of enum workload_preset, without the first. */
static const struct choice presets[] = {
    {"hadar", "classes of Hadar's evaluation: 480 jobs at 0, S M L XL alike", {{0}}},
    {"themis",
     "apps of many jobs, as in Themis' workload",
     {{"apps", 84, 1, 1e6, true, "number of apps"},
      {"families", 0, 0, 1, true, "1: the ten model families of its table, not --models"}}},
    {"voda",
     "the 24 elastic jobs of Voda's experiments",
     {{"hard", 0, 0, 1, true, "1: its second pattern of arrivals"}}},
    {"gavel",
     "Gavel's generate_trace.py, draw by draw",
     {{"lam", 0, 0, 1e9, false, "mean gap between arrivals, seconds; 0: all at 0"},
      {"multi_gpu", 0, 0, 1, true, "1: gangs of 1, 2 and 4"},
      {"min_h", 1, 0.001, 1e5, false, "shortest duration, hours"},
      {"max_h", 4, 0.001, 1e5, false, "longest duration, hours"},
      {"durations", 4, 1, 1e6, true, "number of durations, evenly spaced"}}},
    {"gavel_continuous",
     "the jobs that Gavel's simulator makes, draw by draw",
     {{"lam", 0, 0, 1e9, false, "mean gap between arrivals, seconds; 0: all at 0"},
      {"multi_gpu", 0, 0, 1, true, "1: gangs of 1, 2, 4 and 8"},
      {"fixed_s", 0, 0, 1e9, false, "duration of every job, seconds; 0: drawn"},
      {"multi_priority", 0, 0, 1, true, "1: a fifth of the jobs has weight 5"},
      {"slo", 0, 0, 1, true, "1: deadlines"}}},
};

static const struct choice arrivals[] = {
    {"static", "all at 0", {{0}}},
    {"poisson", "exponential gaps", {{"gap", 60, 0.001, 1e9, false, "mean seconds between jobs"}}},
    {"diurnal",
     "a Poisson process that swings with the time of day",
     {{"gap", 60, 0.001, 1e9, false, "mean seconds between jobs"},
      {"swing", 0.8, 0, 1, false, "the rate goes from 1 - swing to 1 + swing times its mean"},
      {"peak", 50400, -1e9, 1e9, false, "seconds at which it is highest"},
      {"period", 86400, 1, 1e9, false, "seconds from one peak to the next"}}},
    {"bursty",
     "groups of jobs with pauses between them",
     {{"gap", 60, 0.001, 1e9, false, "mean seconds between jobs, pauses included"},
      {"burst", 10, 1, 1e6, false, "mean jobs in a group"},
      {"within", 1, 0, 1e9, false, "mean seconds between the jobs of a group"}}},
};

/* In the order of enum duration_kind; the first two keys are its a and b unless they are bounds. */
static const struct choice durations[] = {
    {"fixed", "all alike", {{"seconds", 3600, 0.001, LONGEST_S, false, "how long"}}},
    {"exponential",
     "memoryless",
     {{"mean", 7200, 0.001, LONGEST_S, false, "seconds"}, MIN_KEY(1), MAX_KEY}},
    {"uniform",
     "any length alike",
     {{"min", NAN, 0.001, LONGEST_S, false, "seconds"},
      {"max", NAN, 0.001, LONGEST_S, false, "seconds"}}},
    {"loguniform",
     "uniform logarithm",
     {{"min", NAN, 0.001, LONGEST_S, false, "seconds"},
      {"max", NAN, 0.001, LONGEST_S, false, "seconds"}}},
    {"lognormal",
     "normal logarithm",
     {{"median", 3600, 0.001, LONGEST_S, false, "seconds"},
      {"sigma", 1.5, 0, 20, false, "standard deviation of the logarithm"},
      MIN_KEY(1),
      MAX_KEY}},
    {"weibull",
     "a longer or shorter tail than exponential",
     {{"scale", 3600, 0.001, LONGEST_S, false, "seconds"},
      {"shape", 0.7, 0.01, 100, false, "below 1: many short ones"},
      MIN_KEY(1),
      MAX_KEY}},
    {"gavel", "60 * 10^x seconds, x in 1.5..3 (80 %) or 3..4", {{0}}},
};

const struct choice_list workload_lists[N_WORKLOAD_LISTS] = {
    {"Presets", "preset", presets, COUNT(presets)},
    {"Arrivals", "arrivals", arrivals, COUNT(arrivals)},
    {"Durations", "durations", durations, COUNT(durations)},
};

/* ---- distributions ---- */

static enum hsim_status set_arrivals(const char *text, struct arrivals *to,
                                     struct hsim_error *error) {
  struct choice_value value;
  enum hsim_status status =
      choice_parse("arrivals", text, arrivals, COUNT(arrivals), &value, error);
  if (status != HSIM_OK)
    return status;
  const double *v = value.values;
  *to = (struct arrivals){.kind = (enum arrival_kind)value.choice, .gap_s = v[0]};
  if (to->kind == ARRIVE_DIURNAL) {
    to->swing = v[1];
    to->peak_s = v[2];
    to->period_s = v[3];
  } else if (to->kind == ARRIVE_BURSTY) {
    to->burst = v[1];
    to->within_s = v[2];
    if (!(to->burst * to->gap_s > (to->burst - 1) * to->within_s))
      return hsim_fail(error, HSIM_BAD_USAGE,
                       "option --arrivals: bursty: within %g: expected one below gap * burst / "
                       "(burst - 1), %g here, or no pause is left",
                       to->within_s, to->gap_s * to->burst / (to->burst - 1));
  }
  return HSIM_OK;
}

static enum hsim_status set_durations(const char *text, struct durations *to,
                                      struct hsim_error *error) {
  struct choice_value value;
  enum hsim_status status =
      choice_parse("durations", text, durations, COUNT(durations), &value, error);
  if (status != HSIM_OK)
    return status;
  const struct choice *choice = &durations[value.choice];
  const double *v = value.values;
  *to = (struct durations){
      .kind = (enum duration_kind)value.choice, .a = v[0], .b = v[1], .least = 0.001, .most = 1e9};
  for (int k = 0; k < CHOICE_KEYS && choice->keys[k].name; k++) {
    if (strcmp(choice->keys[k].name, "min") == 0)
      to->least = v[k];
    if (strcmp(choice->keys[k].name, "max") == 0)
      to->most = v[k];
  }
  if (to->least > to->most)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "option --durations: %s: min %g is above max %g: expected a range",
                     choice->name, to->least, to->most);
  return HSIM_OK;
}

/* ---- mixes ---- */

static enum hsim_status add_weighted(const char *option, int value, const char *part,
                                     const char *weight, size_t length, struct mix *mix,
                                     struct hsim_error *error) {
  double w = 0;
  if (number_parse(weight, length, &w) != NUMBER_OK || !(w > 0 && w <= 1e9))
    return option_bad(error, option, part, "VALUE=WEIGHT joined by commas, weights above 0");
  for (size_t i = 0; i < mix->n; i++)
    if (mix->at[i].value == value)
      return option_bad(error, option, part, "each value once");
  mix->at = mem_grow(mix->at, mix->n + 1, &mix->capacity, sizeof *mix->at);
  mix->at[mix->n++] = (struct weighted){value, w};
  return HSIM_OK;
}

/* `models` NULL: the values are gang sizes. */
static enum hsim_status add_part(const char *option, const char *part, const struct names *models,
                                 struct mix *mix, struct hsim_error *error) {
  const char *equals = strrchr(part, '=');
  size_t length = equals ? (size_t)(equals - part) : strlen(part);
  int64_t value = 0;
  if (models) {
    value = names_find(models, part, length);
    char name[80];
    snprintf(name, sizeof name, "%.*s", (int)(length < 79 ? length : 79), part);
    const char *near =
        value < 0 ? names_suggest((const char *const *)models->at, (size_t)models->n, name) : NULL;
    if (value < 0)
      return hsim_fail(
          error, HSIM_BAD_USAGE,
          "option --%s: \"%s\": expected none, all, or models of the rates table%s%s%s", option,
          name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
  } else if (number_parse_int(part, length, &value) != NUMBER_OK || value < 1 || value > 1000000) {
    return option_bad(error, option, part, "SIZE=WEIGHT joined by commas, sizes from 1 to 1000000");
  }
  const char *weight = equals ? equals + 1 : "1";
  return add_weighted(option, (int)value, part, weight, strlen(weight), mix, error);
}

static enum hsim_status set_mix(const char *option, const char *text, const struct names *models,
                                struct mix *mix, struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  mix->n = 0;
  for (;;) {
    size_t length = strcspn(text, ",");
    char *part = mem_text_n(text, length);
    status = add_part(option, part, models, mix, error);
    free(part);
    if (status != HSIM_OK || text[length] == '\0')
      return status;
    text += length + 1;
  }
}

static enum hsim_status set_models(const char *text, const struct rates *rates,
                                   struct workload_spec *spec, struct hsim_error *error) {
  spec->with_models = strcmp(text, "none") != 0;
  if (!spec->with_models || strcmp(text, "all") == 0)
    return HSIM_OK;
  return set_mix("models", text, &rates->models, &spec->models, error);
}

/* ---- presets ---- */

static enum hsim_status set_preset(const char *text, struct workload_spec *spec,
                                   struct hsim_error *error) {
  struct choice_value value;
  if (!text)
    return HSIM_OK;
  enum hsim_status status = choice_parse("preset", text, presets, COUNT(presets), &value, error);
  if (status != HSIM_OK)
    return status;
  const double *v = value.values;
  spec->preset = (enum workload_preset)(value.choice + 1);
  switch (spec->preset) {
  case PRESET_THEMIS:
    spec->n_apps = (int)v[0];
    spec->families = v[1] != 0;
    break;
  case PRESET_VODA:
    spec->hard = v[0] != 0;
    break;
  case PRESET_GAVEL:
    spec->min_h = v[2];
    spec->max_h = v[3];
    spec->n_durations = (int)v[4];
    break;
  case PRESET_GAVEL_CONTINUOUS:
    spec->fixed_s = v[2];
    spec->multi_priority = v[3] != 0;
    spec->slo = v[4] != 0;
    break;
  default:
    break;
  }
  if (spec->preset == PRESET_GAVEL || spec->preset == PRESET_GAVEL_CONTINUOUS) {
    spec->lam_s = v[0];
    spec->multi_gpu = v[1] != 0;
  }
  if (spec->preset == PRESET_GAVEL && spec->min_h > spec->max_h)
    return hsim_fail(error, HSIM_BAD_USAGE, "option --preset: gavel: min_h is above max_h");
  return HSIM_OK;
}

/* A preset decides some things itself. */
static enum hsim_status check_goes(const struct workload_texts *texts, enum workload_preset preset,
                                   struct hsim_error *error) {
  const struct {
    const char *name, *text;
    unsigned presets; /* bit p: goes with preset p */
  } options[] = {
      {"arrivals", texts->arrivals, 1 << PRESET_NONE | 1 << PRESET_HADAR | 1 << PRESET_THEMIS},
      {"gangs", texts->gangs, 1 << PRESET_NONE | 1 << PRESET_HADAR | 1 << PRESET_THEMIS},
      {"durations", texts->durations, 1 << PRESET_NONE},
      {"models", texts->models, 1 << PRESET_NONE | 1 << PRESET_THEMIS}};
  for (int i = 0; i < COUNT(options); i++)
    if (options[i].text && (options[i].presets >> preset & 1u) == 0)
      return hsim_fail(error, HSIM_BAD_USAGE, "--%s does not go with --preset %s, which sets it",
                       options[i].name, presets[preset - 1].name);
  return HSIM_OK;
}

static const char *or_default(const char *given, const char *fallback) {
  return given ? given : fallback;
}

enum hsim_status workload_spec_make(const struct workload_texts *texts, const struct rates *rates,
                                    struct workload_spec *spec, struct hsim_error *error) {
  *spec = (struct workload_spec){.preset = PRESET_NONE};
  enum hsim_status status = set_preset(texts->preset, spec, error);
  if (status == HSIM_OK)
    status = check_goes(texts, spec->preset, error);
  bool themis = spec->preset == PRESET_THEMIS, hadar = spec->preset == PRESET_HADAR;
  bool bounded = !themis && spec->preset != PRESET_VODA;
  spec->n_jobs = texts->n_jobs > 0 ? texts->n_jobs : bounded ? 480 : INT32_MAX;
  const char *usual_arrivals = hadar ? "static" : themis ? "poisson:gap=64800" : "poisson";
  if (status == HSIM_OK)
    status = set_arrivals(or_default(texts->arrivals, usual_arrivals), &spec->arrivals, error);
  const char *usual_gangs = themis ? "1=0.995,2=0.005" : "1=0.7,2=0.1,4=0.15,8=0.05";
  if (status == HSIM_OK)
    status = set_mix("gangs", or_default(texts->gangs, usual_gangs), NULL, &spec->gangs, error);
  if (status == HSIM_OK)
    status = set_durations(or_default(texts->durations, "gavel"), &spec->durations, error);
  if (status == HSIM_OK)
    status = set_models(or_default(texts->models, themis ? "all" : "none"), rates, spec, error);
  if (status != HSIM_OK)
    workload_spec_free(spec);
  return status;
}

void workload_spec_free(struct workload_spec *spec) {
  free(spec->gangs.at);
  free(spec->models.at);
  *spec = (struct workload_spec){.preset = PRESET_NONE};
}
