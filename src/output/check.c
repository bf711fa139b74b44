/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/check.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "model/number.h"
#include "output/json.h"
#include "output/summary.h"
#include "output/summary_shape.h"

/* Reading. */

static char *read_file(const char *path, size_t *length, int *failure) {
  FILE *file = fopen(path, "rb");
  *failure = errno;
  if (file == NULL)
    return NULL;
  char *text = NULL;
  size_t capacity = 0;
  *length = 0;
  for (;;) {
    text = mem_grow(text, *length + 65536, &capacity, 1);
    size_t n = fread(text + *length, 1, capacity - *length, file);
    *length += n;
    if (n == 0)
      break;
  }
  *failure = errno;
  bool bad = ferror(file) != 0;
  fclose(file);
  if (!bad)
    return text;
  free(text);
  return NULL;
}

static enum hsim_status bad_json(const char *path, const char *text, const char *at,
                                 struct hsim_error *error) {
  int line = 1, column = 1;
  for (const char *c = text; c < at; c++) {
    column = *c == '\n' ? 1 : column + 1;
    line += *c == '\n';
  }
  return hsim_fail(error, HSIM_BAD_INPUT,
                   "%s:%d:%d: not valid JSON from here on; expected a document that hsim --json "
                   "has written",
                   path, line, column);
}

static enum hsim_status parse(const char *path, const char *text, size_t length, cJSON **document,
                              struct hsim_error *error) {
  const char *end = text;
  *document = cJSON_ParseWithLengthOpts(text, length, &end, 0);
  if (*document == NULL)
    return bad_json(path, text, end, error);
  while (end < text + length && strchr(" \t\r\n", *end) != NULL && *end != '\0')
    end++;
  const char *schema = json_text(*document, "schema", "");
  enum hsim_status status = HSIM_OK;
  if (end != text + length) {
    status = bad_json(path, text, end, error);
  } else if (strcmp(schema, SUMMARY_SCHEMA) != 0) {
    status = hsim_fail(error, HSIM_BAD_INPUT, "%s: key schema: \"%.64s\", expected \"%s\"", path,
                       schema, SUMMARY_SCHEMA);
  } else {
    status = summary_check_shape(path, *document, false, error);
  }
  if (status == HSIM_OK)
    return status;
  cJSON_Delete(*document);
  *document = NULL;
  return status;
}

enum hsim_status check_load(const char *path, cJSON **document, struct hsim_error *error) {
  *document = NULL;
  size_t length;
  int failure;
  char *text = read_file(path, &length, &failure);
  if (text == NULL) {
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: cannot read it: %s", path, strerror(failure));
  }
  enum hsim_status status = parse(path, text, length, document, error);
  free(text);
  return status;
}

/* Matching. */

/* Whether the value in a document is the option's default, which is given as a user types it. */
static bool at_default(const cJSON *value, const struct hsim_option *option) {
  const char *text = option->fallback == NULL ? "" : option->fallback;
  double number;
  switch (option->kind) {
  case HSIM_OPTION_BOOL: {
    bool yes = strcmp(text, "1") == 0 || strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 ||
               strcmp(text, "on") == 0;
    return cJSON_IsBool(value) && (cJSON_IsTrue(value) != 0) == yes;
  }
  case HSIM_OPTION_INT:
  case HSIM_OPTION_REAL:
    if (number_parse(text, strlen(text), &number) != NUMBER_OK)
      return cJSON_IsNull(value);
    return cJSON_IsNumber(value) && value->valuedouble == number;
  case HSIM_OPTION_CHOICE:
  case HSIM_OPTION_TEXT:
    if (cJSON_IsNull(value))
      return text[0] == '\0';
    return cJSON_IsString(value) && strcmp(value->valuestring, text) == 0;
  }
  return false;
}

static bool may_be_missing(const cJSON *value, const struct check_options *options) {
  for (int i = 0; options != NULL && i < options->n; i++) {
    if (strcmp(options->options[i].name, value->string) == 0)
      return at_default(value, &options->options[i]);
  }
  return false;
}

static bool matches(const cJSON *now, const cJSON *old, const struct check_options *options) {
  if (strcmp(json_text(now, "policy", ""), json_text(old, "policy", "")) != 0)
    return false;
  const cJSON *seed = json_get(now, "seed"), *old_seed = json_get(old, "seed");
  if (seed != old_seed && !cJSON_Compare(seed, old_seed, 1))
    return false;
  const cJSON *ours = json_get(now, "options"), *theirs = json_get(old, "options"), *item;
  cJSON_ArrayForEach(item, theirs) {
    const cJSON *own = json_get(ours, item->string);
    if (own == NULL || !cJSON_Compare(own, item, 1))
      return false;
  }
  cJSON_ArrayForEach(item, ours) {
    if (json_get(theirs, item->string) == NULL && !may_be_missing(item, options))
      return false;
  }
  return true;
}

/* Differences. */

struct comparison {
  double tolerance;
  struct check_report *report;
};

static void print_value(const cJSON *item, char *out, size_t size) {
  char number[NUMBER_SIZE];
  if (item == NULL) {
    snprintf(out, size, "missing");
  } else if (cJSON_IsNumber(item)) {
    number_print(item->valuedouble, number);
    snprintf(out, size, "%s", number);
  } else if (cJSON_IsString(item)) {
    snprintf(out, size, "%s", item->valuestring);
  } else if (cJSON_IsObject(item) || cJSON_IsArray(item)) {
    snprintf(out, size, cJSON_IsObject(item) ? "{...}" : "[...]");
  } else {
    snprintf(out, size, "%s", cJSON_IsTrue(item) ? "true" : cJSON_IsFalse(item) ? "false" : "null");
  }
}

/* NaN when it is no number, or missing. */
static double value_of(const cJSON *item) {
  return item != NULL && cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static void add_difference(struct comparison *c, const char *figure, const cJSON *old,
                           const cJSON *now) {
  char before[80], after[80];
  print_value(old, before, sizeof before);
  print_value(now, after, sizeof after);
  double before_value = value_of(old), change = value_of(now) - before_value;
  change = before_value != 0.0 ? change / fabs(before_value) : (double)NAN;
  check_report_add(c->report, figure, before, after, change);
}

static bool same_number(double old, double now, double tolerance) {
  return old == now || (isfinite(old) && fabs(now - old) <= tolerance * fabs(old));
}

static bool is_one_of(const char *path, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (strcmp(path, names[i]) == 0)
      return true;
  }
  return false;
}

/* What names a place or an hour rather than a result, what the runs were matched by, and what is
 * compared in a way of its own. */
static bool is_ignored(const char *path) {
  static const char *const names[] = {"trace.file", "rates.file", "outages.file", "policy",
                                      "options",    "seed",       "timing",       "by"};
  return is_one_of(path, names, sizeof names / sizeof *names);
}

/* What says which simulation it is has no tolerance. */
static bool is_identity(const char *path) {
  static const char *const names[] = {"mode",  "round_s", "until_s", "semantics",
                                      "costs", "oracle",  "measure"};
  return is_one_of(path, names, sizeof names / sizeof *names);
}

/* Figures that summaries have gained: an older baseline has nothing to compare them with. */
static bool is_newer(const char *path) {
  static const char *const names[] = {"jobs.cancelled", "faults", "bound", "input"};
  return is_one_of(path, names, sizeof names / sizeof *names);
}

static void compare_item(struct comparison *c, const char *path, const cJSON *old, const cJSON *now,
                         double tolerance);

static void compare_members(struct comparison *c, const char *path, const cJSON *old,
                            const cJSON *now, double tolerance) {
  char name[256];
  const char *dot = path[0] == '\0' ? "" : ".";
  const cJSON *item;
  cJSON_ArrayForEach(item, old) {
    snprintf(name, sizeof name, "%s%s%s", path, dot, item->string);
    if (is_ignored(name))
      continue;
    compare_item(c, name, item, json_get(now, item->string), tolerance);
  }
  cJSON_ArrayForEach(item, now) {
    snprintf(name, sizeof name, "%s%s%s", path, dot, item->string);
    if (is_ignored(name) || is_newer(name) || json_get(old, item->string) != NULL)
      continue;
    compare_item(c, name, NULL, item, tolerance);
  }
}

/* A group of a run's `by` as a path shows it. */
static const cJSON *find_group(const cJSON *groups, const cJSON *name) {
  const cJSON *group;
  cJSON_ArrayForEach(group, groups) {
    if (cJSON_Compare(json_get(group, "name"), name, 1))
      return group;
  }
  return NULL;
}

static void compare_group(struct comparison *c, const cJSON *old, const cJSON *now) {
  char path[128], name[80];
  print_value(json_get(old ? old : now, "name"), name, sizeof name);
  snprintf(path, sizeof path, "by[%s]", name);
  compare_item(c, path, old, now, c->tolerance);
}

/* Groups by name; only where both documents have them. */
static void compare_by(struct comparison *c, const cJSON *old, const cJSON *now) {
  if (old == NULL || now == NULL)
    return;
  const cJSON *old_key = json_get(old, "key"), *now_key = json_get(now, "key"), *group;
  if (!cJSON_Compare(old_key, now_key, 1)) {
    add_difference(c, "by.key", old_key, now_key);
    return;
  }
  const cJSON *old_groups = json_get(old, "groups"), *now_groups = json_get(now, "groups");
  cJSON_ArrayForEach(group, old_groups) {
    compare_group(c, group, find_group(now_groups, json_get(group, "name")));
  }
  cJSON_ArrayForEach(group, now_groups) {
    if (find_group(old_groups, json_get(group, "name")) == NULL)
      compare_group(c, NULL, group);
  }
}

static void compare_item(struct comparison *c, const char *path, const cJSON *old, const cJSON *now,
                         double tolerance) {
  if (is_identity(path))
    tolerance = 0.0;
  if (cJSON_IsObject(old) && cJSON_IsObject(now)) {
    compare_members(c, path, old, now, tolerance);
    return;
  }
  double before = value_of(old), after = value_of(now);
  bool same = !isnan(before) && !isnan(after)
                  ? same_number(before, after, tolerance)
                  : old == now || (old != NULL && now != NULL && cJSON_Compare(old, now, 1));
  if (!same)
    add_difference(c, path, old, now);
}

static void compare_run(struct comparison *c, const cJSON *old, const cJSON *now) {
  /* One line says that a run failed, rather than one for each figure that is missing then. */
  const cJSON *old_error = json_get(old, "error"), *now_error = json_get(now, "error");
  if (old_error != NULL || now_error != NULL) {
    if (old_error == NULL || now_error == NULL)
      add_difference(c, "error", old_error, now_error);
    return;
  }
  compare_members(c, "", old, now, c->tolerance);
  compare_by(c, json_get(old, "by"), json_get(now, "by"));
}

static void compare_shared(struct comparison *c, const cJSON *old, const cJSON *now) {
  static const char *const keys[] = {"trace", "cluster", "rates", "input", "seed", "outages"};
  check_report_case(c->report, "(all)");
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (json_get(old, keys[i]) != NULL || !is_newer(keys[i]))
      compare_item(c, keys[i], json_get(old, keys[i]), json_get(now, keys[i]), 0.0);
}

static void compare_runs(struct comparison *c, const cJSON *baseline, const cJSON *document,
                         const struct check_options *options) {
  const cJSON *old_runs = json_get(baseline, "runs"), *now_runs = json_get(document, "runs");
  int n_old = cJSON_GetArraySize(old_runs), i = 0;
  bool *used = mem_zero((size_t)n_old, sizeof *used);
  const cJSON *now, *old;
  cJSON_ArrayForEach(now, now_runs) {
    const struct check_options *own = options == NULL ? NULL : &options[i];
    char *label = summary_label(document, i++);
    check_report_case(c->report, label);
    free(label);
    int k = 0;
    cJSON_ArrayForEach(old, old_runs) {
      if (!used[k] && matches(now, old, own))
        break;
      k++;
    }
    if (old != NULL) {
      used[k] = true;
      compare_run(c, old, now);
    } else {
      add_difference(c, "(the run)", NULL, now);
    }
  }
  i = 0;
  cJSON_ArrayForEach(old, old_runs) {
    if (used[i]) {
      i++;
      continue;
    }
    char *label = summary_label(baseline, i++);
    check_report_case(c->report, label);
    free(label);
    add_difference(c, "(the run)", old, NULL);
  }
  free(used);
}

enum hsim_status check_compare(const cJSON *now, const cJSON *baseline,
                               const struct check_options *options, double tolerance,
                               struct check_report *report, struct hsim_error *error) {
  struct comparison c = {.tolerance = tolerance, .report = report};
  *report = (struct check_report){0};
  compare_shared(&c, baseline, now);
  compare_runs(&c, baseline, now, options);
  if (report->n_differences == 0)
    return HSIM_OK;
  return hsim_fail(error, HSIM_DIFFERS, "%d figure%s from the baseline", report->n_differences,
                   report->n_differences == 1 ? " differs" : "s differ");
}
