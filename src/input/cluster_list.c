/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/cluster_list.h"

#include <stdio.h>
#include <string.h>

#include "input/csv.h"

/* What a column means. Without NODE_SWITCHES a row is one node; with it, it is a tree of switches,
 * which become racks, with as many nodes each. */
enum node_role {
  NODE_NONE,
  NODE_NAME,
  NODE_GPUS,
  NODE_TYPE,
  NODE_SWITCHES,
  NODE_PER_SWITCH,
  N_ROLES
};

enum { MOST_COLUMNS = 8 };

struct cluster_list {
  const char *what;
  int n_columns;
  const char *columns[MOST_COLUMNS];
  enum node_role roles[MOST_COLUMNS];
};

static const struct cluster_list lists[] = {
    /* Qinghao-Hu/Philly-Trace-Scripts: the first column has no name */
    {"a Philly machine list",
     3,
     {"", "machineId", "number of GPUs"},
     {NODE_NONE, NODE_NAME, NODE_GPUS}},
    /* Alibaba 2023 (Weng et al., USENIX ATC'23) */
    {"an openb node list",
     5,
     {"sn", "cpu_milli", "memory_mib", "gpu", "model"},
     {NODE_NAME, NODE_NONE, NODE_NONE, NODE_GPUS, NODE_TYPE}},
    /* Alibaba spot GPUs 2026 (Duan et al., ASPLOS'26), node_info_df */
    {"an Alibaba spot node list",
     4,
     {"node_name", "gpu_model", "gpu_capacity_num", "cpu_num"},
     {NODE_NAME, NODE_TYPE, NODE_GPUS, NODE_NONE}},
    /* Tiresias (Gu et al., NSDI'19) */
    {"a Tiresias cluster",
     5,
     {"num_switch", "num_node_p_switch", "num_gpu_p_node", "num_cpu_p_node", "mem_p_node"},
     {NODE_SWITCHES, NODE_PER_SWITCH, NODE_GPUS, NODE_NONE, NODE_NONE}},
};
enum { N_LISTS = sizeof lists / sizeof lists[0] };

struct list_reader {
  const struct cluster_list *list;
  struct cluster *cluster;
  const char *gpu;
  int column[N_ROLES]; /* -1: the list has none */
  int racks;
};

/* ---- recognition ---- */

static bool stands_in(const char *line, size_t length, const char *name) {
  size_t n = strlen(name);
  for (size_t at = 0; n > 0 && at + n <= length; at++)
    if (memcmp(line + at, name, n) == 0 &&
        (at == 0 || line[at - 1] == ',' || line[at - 1] == '"') &&
        (at + n == length || strchr(",\"\r", line[at + n]) != NULL))
      return true;
  return false;
}

/* Half of the names are enough: what is wrong with the others is then told. */
const struct cluster_list *cluster_list_recognise(const struct source *source) {
  size_t n;
  const char *text = source_peek(source, &n);
  if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
    text += 3;
    n -= 3;
  }
  const char *end = memchr(text, '\n', n);
  size_t length = end == NULL ? n : (size_t)(end - text);
  if (memchr(text, '{', length) != NULL)
    return NULL;
  for (int i = 0; i < N_LISTS; i++) {
    int found = 0;
    for (int c = 0; c < lists[i].n_columns; c++)
      found += stands_in(text, length, lists[i].columns[c]);
    if (2 * found >= lists[i].n_columns)
      return &lists[i];
  }
  return NULL;
}

/* ---- rows ---- */

/* `count` nodes alike. */
static enum hsim_status add_nodes(struct list_reader *r, const struct row *row, int count,
                                  const char *rack, int gpus, struct hsim_error *error) {
  const char *name = r->column[NODE_NAME] < 0 ? NULL : row->cells[r->column[NODE_NAME]].text;
  const char *type = r->column[NODE_TYPE] < 0 ? r->gpu : row->cells[r->column[NODE_TYPE]].text;
  enum hsim_status status = HSIM_OK;
  for (int i = 0; i < count && status == HSIM_OK; i++) {
    status = cluster_add_node(r->cluster, name, rack, 0, error);
    if (status == HSIM_OK && gpus > 0)
      status = cluster_add_bay(r->cluster, type, gpus, error);
  }
  return row_place(row, status, error);
}

/* Whether so many more nodes and GPUs still are few enough. */
static enum hsim_status check_size(const struct list_reader *r, const struct row *row,
                                   int64_t nodes, int64_t gpus, struct hsim_error *error) {
  const struct hsim_cluster *view = &r->cluster->view;
  if (nodes > CLUSTER_MAX_GPUS - view->n_nodes - r->cluster->skipped_nodes ||
      gpus > CLUSTER_MAX_GPUS / (nodes > 0 ? nodes : 1) ||
      nodes * gpus > CLUSTER_MAX_GPUS - view->n_gpus)
    return row_bad(row, r->column[NODE_GPUS], error, "at most %d nodes and GPUs in the cluster",
                   CLUSTER_MAX_GPUS);
  return HSIM_OK;
}

static enum hsim_status take_switches(struct list_reader *r, const struct row *row, int gpus,
                                      struct hsim_error *error) {
  int32_t switches = 0, nodes = 0;
  enum hsim_status status =
      row_int(row, r->column[NODE_SWITCHES], 1, CLUSTER_MAX_GPUS, &switches, error);
  if (status == HSIM_OK)
    status = row_int(row, r->column[NODE_PER_SWITCH], 1, CLUSTER_MAX_GPUS, &nodes, error);
  if (status == HSIM_OK)
    status = check_size(r, row, (int64_t)switches * nodes, gpus, error);
  for (int i = 0; i < switches && status == HSIM_OK; i++) {
    char rack[32];
    snprintf(rack, sizeof rack, "switch-%d", r->racks++);
    status = add_nodes(r, row, nodes, rack, gpus, error);
  }
  return status;
}

static enum hsim_status take_row(void *state, const struct row *row, struct hsim_error *error) {
  struct list_reader *r = state;
  int32_t gpus;
  enum hsim_status status = row_int(row, r->column[NODE_GPUS], 0, CLUSTER_MAX_GPUS, &gpus, error);
  if (status == HSIM_OK && r->column[NODE_SWITCHES] >= 0)
    return take_switches(r, row, gpus, error);
  if (status == HSIM_OK)
    status = row_text(row, r->column[NODE_NAME], error);
  if (status == HSIM_OK && gpus > 0 && r->column[NODE_TYPE] >= 0)
    status = row_text(row, r->column[NODE_TYPE], error);
  if (status == HSIM_OK)
    status = check_size(r, row, 1, gpus, error);
  return status == HSIM_OK ? add_nodes(r, row, 1, NULL, gpus, error) : status;
}

enum hsim_status cluster_list_read(const struct cluster_list *list, struct source *source,
                                   const char *gpu, struct cluster *cluster,
                                   struct hsim_error *error) {
  struct list_reader r = {.list = list, .cluster = cluster, .gpu = gpu};
  struct csv_table table = {.columns = list->columns,
                            .n_columns = list->n_columns,
                            .ignores_x = true,
                            .what = list->what,
                            .row = take_row};
  for (int role = 0; role < N_ROLES; role++)
    r.column[role] = -1;
  for (int c = 0; c < list->n_columns; c++) {
    r.column[list->roles[c]] = c;
    if (list->roles[c] != NODE_NONE)
      table.required |= UINT64_C(1) << c;
  }
  enum hsim_status status = csv_read(source, &table, &r, NULL, error);
  if (status != HSIM_OK)
    return status;
  status = cluster_finish(cluster, cluster->file, error);
  if (status == HSIM_OK || error == NULL)
    return status;
  char text[600];
  snprintf(text, sizeof text, "%.590s", error->text);
  return hsim_fail(error, status, "%s: %s", cluster->file, text);
}
