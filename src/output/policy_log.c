/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/policy_log.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "output/json.h"

struct policy_log {
  struct out *out;
  const struct run_info *info;
  char *policy;          /* the same as a JSON string */
  struct hsim_error bad; /* the first line that is no JSON object */
};

static struct policy_log *create(const struct run_info *info, struct out *out) {
  struct policy_log *log = mem_zero(1, sizeof *log);
  log->out = out;
  log->info = info;
  log->policy = json_quote(info->policy);
  return log;
}

static void destroy(void *state) {
  struct policy_log *log = state;
  free(log->policy);
  free(log);
}

static bool is_object(const char *json) {
  cJSON *item = cJSON_ParseWithOpts(json, NULL, true);
  bool object = cJSON_IsObject(item);
  cJSON_Delete(item);
  return object;
}

static void take_line(void *state, double time, uint64_t round, const char *json) {
  struct policy_log *log = state;
  struct out *out = log->out;
  if (log->bad.status != HSIM_OK)
    return;
  if (!is_object(json)) {
    hsim_fail(&log->bad, HSIM_FAILED, "policy %s logs what is no JSON object: %.200s",
              log->info->policy, json);
    return;
  }
  out_text(out, "{\"policy\":");
  out_text(out, log->policy);
  if (log->info->seeded) {
    out_text(out, ",\"seed\":");
    out_int(out, (long long)log->info->seed);
  }
  out_text(out, ",\"time_s\":");
  out_number(out, time);
  out_text(out, ",\"round\":");
  out_int(out, (long long)round);
  out_text(out, ",\"record\":");
  while (*json != '\0') {
    size_t n = strcspn(json, "\r\n");
    out_bytes(out, json, n);
    json += n;
    if (*json == '\0')
      break;
    out_char(out, ' ');
    json++;
  }
  out_text(out, "}\n");
}

static enum hsim_status finish(void *state, struct hsim_error *error) {
  struct policy_log *log = state;
  if (log->bad.status != HSIM_OK) {
    *error = log->bad;
    return error->status;
  }
  return out_flush(log->out, error);
}

struct sink policy_log_sink(const struct run_info *info, struct out *out) {
  return (struct sink){
      .state = create(info, out), .emit = take_line, .end = finish, .free = destroy};
}
