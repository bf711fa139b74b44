/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/convert.h"
#include "cli/input_options.h"
#include "cli/same_file.h"
#include "cli/workload_options.h"
#include "model/work.h"

enum key {
  KEY_PRESET = INPUT_KEYS_END,
  KEY_JOBS,
  KEY_ARRIVALS,
  KEY_GANGS,
  KEY_DURATIONS,
  KEY_MODELS,
  KEY_TO,
  KEY_OUT,
  KEY_HELP = 'h'
};

struct generate_options {
  struct input_options input; /* rates, speedups, reference, seed, quiet */
  struct workload_texts texts;
  int target; /* enum trace_target */
  const char *out;
  bool help;
};

static const struct option_row workload_rows[] = {
    {KEY_PRESET, "preset", "NAME[:KEY=VALUE...]", "a published workload, below"},
    {KEY_JOBS, "jobs", "N",
     "number of jobs (default: 480; voda and themis: all of theirs,\nwhich N cuts)"},
    {INPUT_SEED, "seed", "N", "every random choice derives from it (default: 0)"},
    {KEY_ARRIVALS, "arrivals", "NAME[:KEY=VALUE...]", "below (default: poisson)"},
    {KEY_GANGS, "gangs", "SIZE=WEIGHT,...", "gang sizes (default: 1=0.7,2=0.1,4=0.15,8=0.05)"},
    {KEY_DURATIONS, "durations", "NAME[:KEY=VALUE...]",
     "on the reference GPU type, below (default: gavel)"},
    {KEY_MODELS, "models", "none|all|NAME=WEIGHT,...",
     "none: no column, a run's --assign gives them; else drawn among those\n"
     "that run at the job's size on the reference type (default: none)"},
};

static const struct option_row other_rows[] = {
    {KEY_TO, "to", "native|gavel|swf", "format (default: native)"},
    {KEY_OUT, "out", "FILE", "where to (default: -, standard output)"},
    {INPUT_RATES, "rates", "FILE", "throughput table (default: builtin:gavel_simulation)"},
    {INPUT_SPEEDUPS, "speedups", "FILE",
     "CSV model,workers,speedup that replaces the table's gang sizes"},
    {INPUT_REFERENCE_GPU, "reference-gpu", "TYPE",
     "GPU type that durations are meant on (default: v100)"},
    {INPUT_QUIET, "quiet", NULL, "no report of what the format cannot hold"},
    {KEY_HELP, "help", NULL, "this text (also -h)"},
};

/* All of them are in memory before the first is written. */
static enum hsim_status job_count(const char *text, int *n, struct hsim_error *error) {
  int64_t value;
  enum hsim_status status = option_whole("jobs", text, 1, 100000000, &value, error);
  if (status == HSIM_OK)
    *n = (int)value;
  return status;
}

static enum hsim_status set(void *target, int key, const char *text, struct hsim_error *error) {
  struct generate_options *options = target;
  switch (key) {
  case KEY_PRESET:
    options->texts.preset = text;
    break;
  case KEY_JOBS:
    return job_count(text, &options->texts.n_jobs, error);
  case KEY_ARRIVALS:
    options->texts.arrivals = text;
    break;
  case KEY_GANGS:
    options->texts.gangs = text;
    break;
  case KEY_DURATIONS:
    options->texts.durations = text;
    break;
  case KEY_MODELS:
    options->texts.models = text;
    break;
  case KEY_TO:
    return option_one_of("to", text, trace_target_names, N_TARGETS, &options->target, error);
  case KEY_OUT:
    options->out = text;
    break;
  case KEY_HELP:
    options->help = true;
    break;
  default:
    return input_options_set(&options->input, key, text, error);
  }
  return HSIM_OK;
}

static const char usage[] = "hsim generate [--preset NAME] [--jobs N] [options]";
static const char about[] =
    "Writes a made-up trace: arrivals, gang sizes, durations and models by distribution, or\n"
    "the workload of a published system. The same options give the same bytes.";

enum { N_GROUPS = 2 };

static struct option_table make_table(struct generate_options *options,
                                      struct option_group groups[N_GROUPS]) {
  groups[0] = (struct option_group){"Workload", workload_rows,
                                    sizeof workload_rows / sizeof workload_rows[0], set, options};
  groups[1] = (struct option_group){"Other", other_rows, sizeof other_rows / sizeof other_rows[0],
                                    set, options};
  return (struct option_table){.command = "hsim generate",
                               .usage = usage,
                               .about = about,
                               .groups = groups,
                               .n_groups = N_GROUPS,
                               .lists = workload_lists,
                               .n_lists = N_WORKLOAD_LISTS};
}

void cli_generate_describe(option_table_reader *read, void *state) {
  struct generate_options options;
  struct option_group groups[N_GROUPS];
  const struct option_table table = make_table(&options, groups);
  read(state, &table);
}

/* ---- what the format needs ---- */

static enum hsim_status fill_steps(struct workload *w, const struct rates *rates, int reference,
                                   struct hsim_error *error) {
  for (int i = 0; i < w->trace.n_jobs; i++) {
    struct hsim_job *job = &w->trace.jobs[i];
    if (job->model < 0)
      return hsim_fail(error, HSIM_BAD_USAGE,
                       "Gavel's format needs models: --models all, or NAME=WEIGHT,...");
    const char *name = w->models.at[job->model];
    int model = names_find(&rates->models, name, strlen(name));
    double rate = rates_thr(rates, MISSING_INTERPOLATE, model, reference, job->workers, NULL);
    if (model < 0 || reference < 0 || !(rate > 0))
      return hsim_fail(error, HSIM_BAD_USAGE,
                       "Gavel's format needs steps, and the rates table has no rate of %s with %d "
                       "workers on the reference GPU type",
                       name, job->workers);
    job->steps = w->durations_s[i] * rate;
  }
  return HSIM_OK;
}

static enum hsim_status fill_durations(struct workload *w, const struct rates *rates, int reference,
                                       struct hsim_error *error) {
  w->durations_s = mem_alloc((size_t)w->trace.n_jobs, sizeof *w->durations_s);
  for (int i = 0; i < w->trace.n_jobs; i++) {
    struct hsim_job job = w->trace.jobs[i];
    const char *name = w->models.at[job.model];
    job.model = names_find(&rates->models, name, strlen(name));
    w->durations_s[i] =
        job.model < 0 ? INFINITY : work_seconds(rates, MISSING_INTERPOLATE, &job, reference);
    if (isinf(w->durations_s[i]))
      return hsim_fail(error, HSIM_BAD_USAGE,
                       "SWF needs durations, and the rates table has no rate of %s with %d workers "
                       "on the reference GPU type",
                       name, job.workers);
  }
  return HSIM_OK;
}

static bool needs_reference(const struct workload_spec *spec) {
  return spec->preset == PRESET_GAVEL || spec->preset == PRESET_GAVEL_CONTINUOUS ||
         (spec->with_models && !spec->families);
}

static enum hsim_status find_reference(const struct generate_options *options,
                                       const struct workload_spec *spec, const struct rates *rates,
                                       int *type, struct hsim_error *error) {
  const char *name = options->input.reference_gpu ? options->input.reference_gpu : "v100";
  const struct names *types = &rates->types;
  *type = names_find(types, name, strlen(name));
  if (*type >= 0 || (!options->input.reference_gpu && !needs_reference(spec)))
    return HSIM_OK;
  const char *near = names_suggest((const char *const *)types->at, (size_t)types->n, name);
  return hsim_fail(error, HSIM_BAD_USAGE,
                   "option --reference-gpu: \"%s\": expected a type of the rates table, such as %s",
                   name, near ? near : types->at[0]);
}

static enum hsim_status make(const struct generate_options *options, const struct rates *rates,
                             const struct workload_spec *spec, struct hsim_error *error) {
  struct workload w = {.durations_s = NULL};
  int reference;
  enum hsim_status status = find_reference(options, spec, rates, &reference, error);
  if (status == HSIM_OK)
    status = workload_make(spec, rates, reference, &w, error);
  if (status == HSIM_OK && options->target == TARGET_GAVEL && w.durations_s)
    status = fill_steps(&w, rates, reference, error);
  if (status == HSIM_OK && options->target == TARGET_SWF && !w.durations_s)
    status = fill_durations(&w, rates, reference, error);
  if (status == HSIM_OK) {
    const struct trace_to_write from = {
        .trace = &w.trace, .models = &w.models, .durations_s = w.durations_s};
    status = convert_write(&from, (enum trace_target)options->target, options->out,
                           options->input.quiet, error);
  }
  workload_free(&w);
  return status;
}

static enum hsim_status generate(const struct generate_options *options, struct hsim_error *error) {
  struct rates rates = {.file = NULL};
  struct workload_spec spec = {.preset = PRESET_NONE};
  if (same_file(options->out, options->input.rates) ||
      (options->input.speedups && same_file(options->out, options->input.speedups)))
    return hsim_fail(error, HSIM_BAD_USAGE, "%s: an output over an input", options->out);
  enum hsim_status status = input_load_rates(&options->input, &rates, error);
  if (status == HSIM_OK)
    status = workload_spec_make(&options->texts, &rates, &spec, error);
  spec.seed = options->input.seed;
  if (status == HSIM_OK)
    status = make(options, &rates, &spec, error);
  workload_spec_free(&spec);
  rates_free(&rates);
  return status;
}

enum hsim_status cli_generate(int argc, char **argv, struct hsim_error *error) {
  struct generate_options options = {.target = TARGET_NATIVE, .out = "-"};
  input_options_init(&options.input);
  struct option_group groups[N_GROUPS];
  const struct option_table table = make_table(&options, groups);
  int first_word;
  enum hsim_status status = option_table_parse(&table, argc, argv, &first_word, error);
  if (status == HSIM_OK && options.help)
    option_table_help(stdout, &table);
  else if (status == HSIM_OK && first_word < argc)
    status =
        hsim_fail(error, HSIM_BAD_USAGE, "\"%s\": generate takes options only", argv[first_word]);
  else if (status == HSIM_OK)
    status = generate(&options, error);
  input_options_free(&options.input);
  return status;
}
