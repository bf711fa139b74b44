/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/costs.h"

#include <string.h>

#include "input/json.h"
#include "input/source.h"

static enum hsim_status take_rollback(const struct json_at *at, const cJSON *value,
                                      struct costs *costs, struct hsim_error *error) {
  static const char *const names[] = {"none", "epoch", "interval", "failure"};
  static const enum rollback rules[] = {ROLLBACK_NONE, ROLLBACK_EPOCH, ROLLBACK_INTERVAL,
                                        ROLLBACK_FAILURE};
  for (int i = 0; i < 4; i++)
    if (cJSON_IsString(value) && strcmp(value->valuestring, names[i]) == 0) {
      costs->rollback = rules[i];
      return HSIM_OK;
    }
  return json_bad(at, value, error, "\"none\", \"epoch\", \"interval\" or \"failure\"");
}

static enum hsim_status take_seconds(const struct json_at *at, const cJSON *value, double *seconds,
                                     struct hsim_error *error) {
  enum hsim_status status = json_real(at, value, seconds, error);
  if (status == HSIM_OK && *seconds > 1e12)
    return json_bad(at, value, error, "at most 1e12 seconds");
  return status;
}

static enum hsim_status take_key(const struct json_at *top, const cJSON *value, struct costs *costs,
                                 struct hsim_error *error) {
  const struct json_at at = {.up = top, .key = value->string};
  const struct {
    const char *key;
    double *seconds;
  } all[] = {{"start", &costs->start},
             {"move", &costs->move},
             {"resize", &costs->resize},
             {"checkpoint_s", &costs->checkpoint_s},
             {"checkpoint_interval_s", &costs->checkpoint_interval_s}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (strcmp(value->string, all[i].key) == 0)
      return take_seconds(&at, value, all[i].seconds, error);
  return take_rollback(&at, value, costs, error);
}

static enum hsim_status read_root(const struct json_at *top, const cJSON *root, struct costs *costs,
                                  struct hsim_error *error) {
  static const char *const keys[] = {"start",    "move",         "resize",
                                     "rollback", "checkpoint_s", "checkpoint_interval_s"};
  enum hsim_status status = json_keys(top, root, keys, 6, error);
  for (const cJSON *value = status == HSIM_OK ? root->child : NULL;
       value != NULL && status == HSIM_OK; value = value->next)
    status = take_key(top, value, costs, error);
  if (status != HSIM_OK || costs->checkpoint_interval_s > 0)
    return status;
  if (costs->checkpoint_s > 0)
    return json_bad(top, root, error, "a checkpoint_interval_s above 0 beside checkpoint_s");
  if (costs->rollback == ROLLBACK_INTERVAL || costs->rollback == ROLLBACK_FAILURE)
    return json_bad(top, root, error, "a checkpoint_interval_s above 0 beside this rollback");
  return HSIM_OK;
}

enum hsim_status costs_read(const char *path, struct costs *costs, struct hsim_error *error) {
  struct source *source;
  cJSON *root = NULL;
  enum hsim_status status = source_open(path, &source, error);
  if (status != HSIM_OK)
    return status;
  const struct json_at top = {.file = source_name(source)};
  costs_preset("default", costs, NULL);
  costs->preset = NULL;
  status = json_read(source, &root, error);
  if (status == HSIM_OK)
    status = read_root(&top, root, costs, error);
  cJSON_Delete(root);
  source_close(source);
  return status;
}
