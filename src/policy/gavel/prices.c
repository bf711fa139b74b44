/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a GPU costs an hour. */
#include <string.h>

#include "hsim/table.h"
#include "model/cluster.h"
#include "policy/gavel/gavel.h"

/* Dollars per GPU and hour on Google's cloud, preemptible, as in Gavel's code (c4fa400). */
static const struct {
  const char *type;
  double price;
} GCP[] = {{"v100", 0.74}, {"p100", 0.43}, {"k80", 0.135}};

enum { GPU_TYPE, PRICE, N_COLUMNS };
static const char *const COLUMNS[N_COLUMNS] = {"gpu_type", "price_per_hour"};

struct price_list {
  const struct hsim_cluster *cluster;
  double *prices; /* 0: not named yet */
};

static enum hsim_status add_price(void *state, const struct hsim_row *row,
                                  struct hsim_error *error) {
  struct price_list *list = state;
  double price;
  enum hsim_status status = hsim_row_real(row, PRICE, 1e-6, 1e6, &price, error);
  int g = cluster_find_type(list->cluster, hsim_row_text(row, GPU_TYPE));
  if (status != HSIM_OK || g < 0) /* prices of types that this cluster lacks may stand there */
    return status;
  if (list->prices[g] > 0.0)
    return hsim_row_bad(row, GPU_TYPE, error, "each GPU type once");
  list->prices[g] = price;
  return HSIM_OK;
}

static enum hsim_status check_all_named(const struct hsim_cluster *cluster, const double *prices,
                                        const char *source, struct hsim_error *error) {
  for (int g = 0; g < cluster->n_types; g++)
    if (!(prices[g] > 0.0))
      return hsim_fail(error, HSIM_BAD_INPUT, "%s: has no price of the cluster's GPU type %s",
                       source, cluster->type_names[g]);
  return HSIM_OK;
}

enum hsim_status gavel_read_prices(const char *text, const struct hsim_cluster *cluster,
                                   double prices[HSIM_MAX_TYPES], struct hsim_error *error) {
  bool none = strcmp(text, "none") == 0;
  for (int g = 0; g < cluster->n_types; g++)
    prices[g] = none ? 1.0 : 0.0;
  if (none)
    return HSIM_OK;
  if (strcmp(text, "gcp") == 0) {
    for (size_t i = 0; i < sizeof GCP / sizeof *GCP; i++) {
      int g = cluster_find_type(cluster, GCP[i].type);
      if (g >= 0)
        prices[g] = GCP[i].price;
    }
    return check_all_named(cluster, prices, "prices=gcp", error);
  }
  static const struct hsim_table table = {.what = "a price list",
                                          .columns = COLUMNS,
                                          .n_columns = N_COLUMNS,
                                          .required = (1u << N_COLUMNS) - 1,
                                          .row = add_price};
  struct price_list list = {cluster, prices};
  enum hsim_status status = hsim_read_table(text, &table, &list, error);
  return status == HSIM_OK ? check_all_named(cluster, prices, text, error) : status;
}
