/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/summary_shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/figure_columns.h"
#include "output/json.h"

enum shape { TEXT, COUNT, NUMBER, TRUTH, OBJECT, ARRAY, FIGURES };

static const char *const shape_names[] = {[TEXT] = "a text",
                                          [COUNT] = "a whole number from 0 on",
                                          [NUMBER] = "a number or null",
                                          [TRUTH] = "true or false",
                                          [OBJECT] = "an object",
                                          [ARRAY] = "an array",
                                          [FIGURES] = "an object of figures"};

struct member {
  const char *path; /* parents before their members */
  enum shape shape;
  bool needed;
};

static const struct member of_document[] = {
    {"hsim_version", TEXT, true}, {"trace", OBJECT, true},    {"trace.sha256", TEXT, true},
    {"trace.jobs", COUNT, true},  {"cluster", OBJECT, true},  {"rates", OBJECT, true},
    {"rates.sha256", TEXT, true}, {"input", OBJECT, false},   {"seed", COUNT, false},
    {"seeds", ARRAY, false},      {"outages", OBJECT, false},
};
static const struct member of_any_run[] = {
    {"policy", TEXT, true},
    {"options", OBJECT, true},
    {"seed", COUNT, false},
    {"error", TEXT, false},
};
/* Those of figure_columns besides. */
static const struct member of_run[] = {
    {"mode", TEXT, true},
    {"round_s", NUMBER, true},
    {"until_s", NUMBER, false},
    {"semantics", OBJECT, true},
    {"costs", OBJECT, true},
    {"oracle", ARRAY, false},
    {"measure", OBJECT, false},
    {"interrupted", TRUTH, false},
    {"jobs", FIGURES, true},
    {"jobs.finished", COUNT, true},
    {"jobs.unfinished", COUNT, true},
    {"end_s", NUMBER, true},
    {"jct_s", FIGURES, true},
    {"queueing_s", FIGURES, true},
    {"slowdown", FIGURES, true},
    {"rho", FIGURES, true},
    {"utilisation", FIGURES, true},
    {"counts", FIGURES, true},
    {"faults", FIGURES, false},
    {"wait_by_reason_s", FIGURES, false},
    {"rejected_by_reason", FIGURES, false},
    {"dropped_by_reason", FIGURES, false},
    {"by", OBJECT, false},
    {"bound", OBJECT, false},
    {"policy_stats", FIGURES, false},
    {"timing", FIGURES, false},
};
#define N_MEMBERS(list) (sizeof(list) / sizeof(list)[0])

struct place {
  const char *file;
  const char *prefix; /* "runs[0]." */
  bool whole;
  struct hsim_error *error;
};

static enum hsim_status refuse(const struct place *place, const char *path, const cJSON *item,
                               enum shape shape) {
  char *text = item ? json_print(item, 0) : NULL;
  enum hsim_status status =
      hsim_fail(place->error, HSIM_BAD_INPUT, "%s: key %s%s: %.64s, expected %s", place->file,
                place->prefix, path, text ? text : "absent", shape_names[shape]);
  free(text);
  return status;
}

static bool is_figure(const cJSON *item) {
  return cJSON_IsNull(item) || (cJSON_IsNumber(item) && isfinite(item->valuedouble));
}

static bool has_shape(const cJSON *item, enum shape shape) {
  switch (shape) {
  case TEXT:
    return cJSON_IsString(item);
  case COUNT:
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && isfinite(item->valuedouble) &&
           item->valuedouble == floor(item->valuedouble);
  case NUMBER:
    return is_figure(item);
  case TRUTH:
    return cJSON_IsBool(item);
  case ARRAY:
    return cJSON_IsArray(item);
  default:
    return cJSON_IsObject(item);
  }
}

/* Figures, or objects of figures, to any depth. */
static enum hsim_status check_figures(const struct place *place, const char *path,
                                      const cJSON *object) {
  const cJSON *item;
  cJSON_ArrayForEach(item, object) {
    char longer[256];
    snprintf(longer, sizeof longer, "%.120s.%.120s", path, item->string);
    enum hsim_status status = HSIM_OK;
    if (cJSON_IsObject(item))
      status = check_figures(place, longer, item);
    else if (!is_figure(item))
      status = refuse(place, longer, item, NUMBER);
    if (status != HSIM_OK)
      return status;
  }
  return HSIM_OK;
}

static const cJSON *find(const cJSON *object, const char *path) {
  for (const char *dot; object != NULL && (dot = strchr(path, '.')) != NULL; path = dot + 1) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(dot - path), path);
    object = json_get(object, name);
  }
  return json_get(object, path);
}

static enum hsim_status check_member(const struct place *place, const cJSON *object,
                                     struct member member) {
  const cJSON *item = find(object, member.path);
  if (item == NULL)
    return place->whole && member.needed ? refuse(place, member.path, NULL, member.shape) : HSIM_OK;
  if (!has_shape(item, member.shape))
    return refuse(place, member.path, item, member.shape);
  return member.shape == FIGURES ? check_figures(place, member.path, item) : HSIM_OK;
}

static enum hsim_status check_members(const struct place *place, const cJSON *object,
                                      const struct member *members, size_t n) {
  enum hsim_status status = HSIM_OK;
  for (size_t i = 0; i < n && status == HSIM_OK; i++)
    status = check_member(place, object, members[i]);
  return status;
}

static enum hsim_status check_run(struct place place, const cJSON *run, int number) {
  char prefix[32];
  snprintf(prefix, sizeof prefix, "runs[%d].", number);
  bool whole = place.whole;
  place.prefix = prefix;
  place.whole = true; /* runs are told apart by these */
  enum hsim_status status = check_members(&place, run, of_any_run, N_MEMBERS(of_any_run));
  place.whole = whole && json_get(run, "error") == NULL;
  if (status == HSIM_OK)
    status = check_members(&place, run, of_run, N_MEMBERS(of_run));
  for (int c = 0; c < N_FIGURE_COLUMNS && status == HSIM_OK; c++)
    status = check_member(&place, run, (struct member){figure_columns[c].path, NUMBER, true});
  return status;
}

enum hsim_status summary_check_shape(const char *file, const cJSON *document, bool whole,
                                     struct hsim_error *error) {
  struct place place = {file, "", whole, error};
  enum hsim_status status = check_members(&place, document, of_document, N_MEMBERS(of_document));
  const cJSON *runs = json_get(document, "runs"), *run;
  if (status == HSIM_OK && !cJSON_IsArray(runs))
    status = refuse(&place, "runs", runs, ARRAY);
  int number = 0;
  cJSON_ArrayForEach(run, runs) {
    if (status == HSIM_OK)
      status = check_run(place, run, number);
    number++;
  }
  return status;
}
