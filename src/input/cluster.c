/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/builtin.h"
#include "input/cluster_list.h"
#include "input/json.h"
#include "input/row.h"
#include "input/source.h"
#include "model/memory.h"
#include "model/number.h"

/* ---- SPEC ---- */

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

/* Three numbers joined by ":". */
static bool is_counts(const char *text) {
  int colons = 0;
  for (const char *at = text; *at != '\0'; at++) {
    if (*at != ':' && (*at < '0' || *at > '9'))
      return false;
    colons += *at == ':';
  }
  return colons == 2;
}

static bool is_path(const char *text) {
  return strchr(text, '/') != NULL || ends_with(text, ".json") || ends_with(text, ".gz");
}

static bool is_spec(const char *text) {
  return strchr(text, '=') != NULL && !is_path(text);
}

static bool parse_count(const char *text, size_t length, int *count) {
  int64_t n = 0;
  if (number_parse_int(text, length, &n) != NUMBER_OK || n < 1 || n > CLUSTER_MAX_GPUS)
    return false;
  *count = (int)n;
  return true;
}

/* TYPE=NODESxGPUS. Type names may hold "=" and "x": the last ones count. */
static enum hsim_status add_part(struct cluster *cluster, const char *text, size_t length,
                                 struct hsim_error *error) {
  const char *end = text + length;
  const char *equals = memrchr(text, '=', length);
  const char *times = equals == NULL ? NULL : memrchr(equals, 'x', (size_t)(end - equals));
  char shown[QUOTE_SIZE];
  int nodes, gpus;
  if (times == NULL || equals == text ||
      !parse_count(equals + 1, (size_t)(times - equals - 1), &nodes) ||
      !parse_count(times + 1, (size_t)(end - times - 1), &gpus))
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "cluster %.200s: %s: expected TYPE=NODESxGPUS with numbers from 1 to %d, such "
                     "as v100=5x4,k80=2x8",
                     cluster->file, quoted(shown, text, length), CLUSTER_MAX_GPUS);
  if ((int64_t)nodes * gpus > CLUSTER_MAX_GPUS)
    return hsim_fail(error, HSIM_BAD_USAGE, "cluster %.200s: %s: expected at most %d GPUs",
                     cluster->file, quoted(shown, text, length), CLUSTER_MAX_GPUS);
  const char *type = arena_text(&cluster->texts, text, (size_t)(equals - text));
  enum hsim_status status = HSIM_OK;
  for (int i = 0; i < nodes && status == HSIM_OK; i++) {
    status = cluster_add_node(cluster, NULL, NULL, 0, error);
    if (status == HSIM_OK)
      status = cluster_add_bay(cluster, type, gpus, error);
  }
  return status;
}

static enum hsim_status read_spec(struct cluster *cluster, struct hsim_error *error) {
  const char *at = cluster->file;
  for (;;) {
    size_t length = strcspn(at, ",");
    enum hsim_status status = add_part(cluster, at, length, error);
    if (status != HSIM_OK)
      return status;
    if (at[length] == '\0')
      return cluster_finish(cluster, cluster->file, error);
    at += length + 1;
  }
}

/* Gavel's: one GPU a node. */
static enum hsim_status read_counts(struct cluster *cluster, struct hsim_error *error) {
  static const char *const types[] = {"v100", "p100", "k80"};
  const char *at = cluster->file;
  int64_t n[3] = {0}, total = 0;
  for (int t = 0; t < 3; t++) {
    size_t length = strcspn(at, ":");
    if (number_parse_int(at, length, &n[t]) != NUMBER_OK || n[t] > CLUSTER_MAX_GPUS)
      return hsim_fail(error, HSIM_BAD_USAGE,
                       "cluster %.200s: expected V100:P100:K80, numbers of one-GPU nodes from 0 to "
                       "%d",
                       cluster->file, CLUSTER_MAX_GPUS);
    total += n[t];
    at += length + (t < 2);
  }
  if (total < 1 || total > CLUSTER_MAX_GPUS)
    return hsim_fail(error, HSIM_BAD_USAGE, "cluster %.200s: %lld GPUs: expected from 1 to %d",
                     cluster->file, (long long)total, CLUSTER_MAX_GPUS);
  enum hsim_status status = HSIM_OK;
  for (int t = 0; t < 3; t++)
    for (int64_t i = 0; i < n[t] && status == HSIM_OK; i++) {
      status = cluster_add_node(cluster, NULL, NULL, 0, error);
      if (status == HSIM_OK)
        status = cluster_add_bay(cluster, types[t], 1, error);
    }
  return status == HSIM_OK ? cluster_finish(cluster, cluster->file, error) : status;
}

/* ---- JSON ---- */

/* One element of "nodes", as the file states it. */
struct node_entry {
  int count;
  int slot_size;
  const char *rack, *name;
  const cJSON *gpus;
  int n_gpus; /* of one node */
};

static enum hsim_status check_gpus(const struct json_at *at, const cJSON *gpus, int *total,
                                   struct hsim_error *error) {
  *total = 0;
  if (!cJSON_IsObject(gpus))
    return json_bad(at, gpus, error, "an object of GPU types and numbers like {\"v100\": 4}");
  for (const cJSON *type = gpus->child; type != NULL; type = type->next) {
    const struct json_at here = {.up = at, .key = type->string};
    int n;
    enum hsim_status status = json_whole(&here, type, 0, CLUSTER_MAX_GPUS, &n, error);
    if (status != HSIM_OK)
      return status;
    if (type->string[0] == '\0')
      return json_bad(&here, type, error, "a GPU type whose name is not empty");
    if (n > CLUSTER_MAX_GPUS - *total)
      return json_bad(&here, type, error, "at most %d GPUs in the cluster", CLUSTER_MAX_GPUS);
    *total += n;
  }
  return HSIM_OK;
}

static enum hsim_status take_key(const struct json_at *at, const cJSON *value,
                                 struct node_entry *entry, struct hsim_error *error) {
  const struct json_at here = {.up = at, .key = value->string};
  if (strcmp(value->string, "count") == 0)
    return json_whole(&here, value, 1, CLUSTER_MAX_GPUS, &entry->count, error);
  if (strcmp(value->string, "slot_size") == 0)
    return json_whole(&here, value, 1, CLUSTER_MAX_GPUS, &entry->slot_size, error);
  if (strcmp(value->string, "rack") == 0)
    return json_string(&here, value, &entry->rack, error);
  if (strcmp(value->string, "name") == 0)
    return json_string(&here, value, &entry->name, error);
  entry->gpus = value;
  return check_gpus(&here, value, &entry->n_gpus, error);
}

static enum hsim_status add_node(struct cluster *cluster, const struct node_entry *entry,
                                 const char *name, struct hsim_error *error) {
  enum hsim_status status = cluster_add_node(cluster, name, entry->rack, entry->slot_size, error);
  for (const cJSON *type = entry->gpus->child; type != NULL && status == HSIM_OK; type = type->next)
    if (type->valuedouble > 0)
      status = cluster_add_bay(cluster, type->string, (int)type->valuedouble, error);
  return status;
}

static enum hsim_status add_nodes(struct cluster *cluster, const struct node_entry *entry,
                                  struct hsim_error *error) {
  if (entry->count == 1 || entry->name == NULL) {
    enum hsim_status status = HSIM_OK;
    for (int i = 0; i < entry->count && status == HSIM_OK; i++)
      status = add_node(cluster, entry, entry->name, error);
    return status;
  }
  size_t size = strlen(entry->name) + NUMBER_SIZE;
  char *name = mem_alloc(size, 1);
  enum hsim_status status = HSIM_OK;
  for (int i = 0; i < entry->count && status == HSIM_OK; i++) {
    snprintf(name, size, "%s-%d", entry->name, i);
    status = add_node(cluster, entry, name, error);
  }
  free(name);
  return status;
}

static enum hsim_status add_entry(struct cluster *cluster, const struct json_at *at,
                                  const cJSON *value, int64_t *nodes, struct hsim_error *error) {
  static const char *const keys[] = {"count", "gpus", "rack", "slot_size", "name"};
  struct node_entry entry = {.count = 1};
  enum hsim_status status = json_keys(at, value, keys, 5, error);
  for (const cJSON *key = value->child; key != NULL && status == HSIM_OK; key = key->next)
    status = take_key(at, key, &entry, error);
  if (status != HSIM_OK)
    return status;
  if (entry.gpus == NULL)
    return json_bad(at, value, error, "the key gpus");
  *nodes += entry.count;
  if (*nodes > CLUSTER_MAX_GPUS ||
      (int64_t)entry.count * entry.n_gpus > CLUSTER_MAX_GPUS - cluster->view.n_gpus)
    return json_bad(at, value, error, "at most %d nodes and GPUs in the cluster", CLUSTER_MAX_GPUS);
  return json_place(at, add_nodes(cluster, &entry, error), error);
}

static enum hsim_status read_root(struct cluster *cluster, const cJSON *root, const char *file,
                                  struct hsim_error *error) {
  static const char *const keys[] = {"name", "nodes"};
  const struct json_at top = {.file = file};
  const struct json_at at_name = {.up = &top, .key = "name"};
  const struct json_at at_nodes = {.up = &top, .key = "nodes"};
  const char *name = file;
  int64_t n = 0;
  enum hsim_status status = json_keys(&top, root, keys, 2, error);
  if (status != HSIM_OK)
    return status;
  const cJSON *given = cJSON_GetObjectItemCaseSensitive(root, "name");
  const cJSON *nodes = cJSON_GetObjectItemCaseSensitive(root, "nodes");
  if (given != NULL)
    status = json_string(&at_name, given, &name, error);
  if (status == HSIM_OK && nodes == NULL)
    return json_bad(&top, root, error, "the key nodes");
  if (status == HSIM_OK && !cJSON_IsArray(nodes))
    return json_bad(&at_nodes, nodes, error, "an array of nodes");
  int i = 0;
  for (const cJSON *node = status == HSIM_OK ? nodes->child : NULL;
       node != NULL && status == HSIM_OK; node = node->next) {
    const struct json_at here = {.up = &at_nodes, .index = i++};
    status = add_entry(cluster, &here, node, &n, error);
  }
  if (status != HSIM_OK)
    return status;
  return json_place(&top, cluster_finish(cluster, name, error), error);
}

static enum hsim_status read_json(struct cluster *cluster, struct source *source,
                                  struct hsim_error *error) {
  cJSON *root = NULL;
  enum hsim_status status = json_read(source, &root, error);
  if (status == HSIM_OK)
    status = read_root(cluster, root, source_name(source), error);
  cJSON_Delete(root);
  return status;
}

/* A text that cannot be opened and looks like no path may be a SPEC gone wrong. */
static enum hsim_status no_file(const char *text, enum hsim_status status,
                                struct hsim_error *error) {
  if (error == NULL || is_path(text) || strcmp(text, "-") == 0 ||
      strncmp(text, BUILTIN_PREFIX, strlen(BUILTIN_PREFIX)) == 0)
    return status;
  char reason[600];
  snprintf(reason, sizeof reason, "%.590s", error->text);
  return hsim_fail(
      error, status,
      "%s: expected a file, builtin:NAME, or a SPEC: TYPE=NODESxGPUS joined by commas, "
      "or V100:P100:K80",
      reason);
}

static enum hsim_status read_file(struct cluster *cluster, const char *list_gpu,
                                  struct hsim_error *error) {
  struct source *source;
  enum hsim_status status = source_open(cluster->file, &source, error);
  if (status != HSIM_OK)
    return no_file(cluster->file, status, error);
  const struct cluster_list *list = cluster_list_recognise(source);
  status = list != NULL ? cluster_list_read(list, source, list_gpu, cluster, error)
                        : read_json(cluster, source, error);
  source_close(source);
  return status;
}

enum hsim_status cluster_read_as(const char *text, const char *list_gpu, struct cluster *cluster,
                                 struct hsim_error *error) {
  *cluster = (struct cluster){.file = mem_text(text)};
  enum hsim_status status = is_counts(text) ? read_counts(cluster, error)
                            : is_spec(text) ? read_spec(cluster, error)
                                            : read_file(cluster, list_gpu, error);
  if (status != HSIM_OK)
    cluster_free(cluster);
  return status;
}

enum hsim_status cluster_read(const char *text, struct cluster *cluster, struct hsim_error *error) {
  return cluster_read_as(text, CLUSTER_LIST_GPU, cluster, error);
}
