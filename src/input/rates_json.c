/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/rates_json.h"

#include <string.h>

#include "input/json.h"
#include "model/memory.h"
#include "model/number.h"

#define SPREAD_SUFFIX "_unconsolidated"
enum { LONGEST_NAME = 255 };

/* ('NAME', S) taken apart. */
struct job_key {
  char model[LONGEST_NAME + 1];
  int workers;
};

/* The rows of one GPU type. */
struct table_type {
  struct rates *rates;
  char name[LONGEST_NAME + 1];
  bool consolidated;
};

/* Python quotes with " when the name holds a '. */
static bool parse_key(const char *text, struct job_key *key) {
  size_t n = strlen(text);
  if (n < 8 || text[0] != '(' || text[n - 1] != ')' || (text[1] != '\'' && text[1] != '"'))
    return false;
  const char *comma = strrchr(text, ',');
  if (comma == NULL || comma < text + 4 || comma[-1] != text[1] || comma[1] != ' ')
    return false;
  size_t length = (size_t)(comma - text) - 3;
  int64_t workers = 0;
  const char *number = comma + 2;
  if (number_parse_int(number, (size_t)(text + n - 1 - number), &workers) != NUMBER_OK ||
      workers < 1 || workers > INT32_MAX || length > LONGEST_NAME)
    return false;
  memcpy(key->model, text + 2, length);
  key->model[length] = '\0';
  key->workers = (int)workers;
  return true;
}

#define KEY_FORM "a key like ('ResNet-50 (batch size 64)', 4): a name of at most 255 bytes, GPUs"

static enum hsim_status add_pair(const struct table_type *type, const struct job_key *job,
                                 const struct json_at *at, const cJSON *value,
                                 struct hsim_error *error) {
  struct job_key partner;
  if (!parse_key(at->key, &partner))
    return json_bad(at, value, error, "\"null\" or " KEY_FORM);
  if (partner.workers != job->workers)
    return json_bad(at, value, error, "a partner of the same size, %d", job->workers);
  if (!cJSON_IsArray(value) || cJSON_GetArraySize(value) != 2)
    return json_bad(at, value, error, "an array of two rates");
  double rates[2] = {0, 0};
  int i = 0;
  for (const cJSON *rate = value->child; rate != NULL; rate = rate->next, i++) {
    const struct json_at here = {.up = at, .index = i};
    enum hsim_status status = json_real(&here, rate, &rates[i], error);
    if (status != HSIM_OK)
      return status;
  }
  return json_place(at,
                    rates_add_pair(type->rates, type->name, job->model, partner.model, job->workers,
                                   rates[0], rates[1], error),
                    error);
}

static enum hsim_status add_job(const struct table_type *type, const struct json_at *at,
                                const cJSON *row, struct hsim_error *error) {
  struct job_key job;
  if (!parse_key(at->key, &job))
    return json_bad(at, row, error, KEY_FORM);
  if (!cJSON_IsObject(row))
    return json_bad(at, row, error, "an object with the key \"null\"");
  enum hsim_status status = HSIM_OK;
  for (const cJSON *value = row->child; value != NULL && status == HSIM_OK; value = value->next) {
    const struct json_at here = {.up = at, .key = value->string};
    double rate;
    if (strcmp(value->string, "null") != 0) {
      if (type->consolidated)
        status = add_pair(type, &job, &here, value, error);
      continue;
    }
    status = json_real(&here, value, &rate, error);
    if (status == HSIM_OK)
      status = json_place(&here,
                          rates_add(type->rates, type->name, job.model, job.workers,
                                    type->consolidated, rate, error),
                          error);
  }
  return status;
}

static enum hsim_status add_type(struct rates *rates, const struct json_at *at, const cJSON *rows,
                                 struct hsim_error *error) {
  size_t n = strlen(at->key), suffix = strlen(SPREAD_SUFFIX);
  struct table_type type = {.rates = rates, .consolidated = true};
  if (n > suffix && strcmp(at->key + n - suffix, SPREAD_SUFFIX) == 0) {
    type.consolidated = false;
    n -= suffix;
  }
  if (n == 0 || n > LONGEST_NAME)
    return json_bad(at, rows, error, "a GPU type with a name of 1 to %d bytes", LONGEST_NAME);
  memcpy(type.name, at->key, n);
  if (!cJSON_IsObject(rows))
    return json_bad(at, rows, error, "an object of job keys");
  enum hsim_status status = HSIM_OK;
  for (const cJSON *row = rows->child; row != NULL && status == HSIM_OK; row = row->next) {
    const struct json_at here = {.up = at, .key = row->string};
    status = add_job(&type, &here, row, error);
  }
  return status;
}

enum hsim_status rates_read_json(struct source *source, struct rates *rates,
                                 struct hsim_error *error) {
  cJSON *root;
  const struct json_at top = {.file = source_name(source)};
  enum hsim_status status = json_read(source, &root, error);
  if (status != HSIM_OK)
    return status;
  if (!cJSON_IsObject(root))
    status = json_bad(&top, root, error, "an object of GPU types");
  for (const cJSON *rows = root->child; rows != NULL && status == HSIM_OK; rows = rows->next) {
    const struct json_at here = {.up = &top, .key = rows->string};
    status = add_type(rates, &here, rows, error);
  }
  cJSON_Delete(root);
  return status;
}
