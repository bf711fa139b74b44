/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compat=code: one round of Gavel's simulator. The engine supplies the rest of it (whole steps,
 * round ends, clock jumps, drops) under the semantics `gavel`.
 */
#include <string.h>

#include "model/cluster.h"
#include "policy/gavel/gavel.h"

/* Gavel serves its fastest type first, by name. Types that it does not know follow. */
static void set_queue_order(struct gavel *gavel, const struct hsim_cluster *cluster) {
  static const char *const FASTEST_FIRST[] = {"v100", "p100", "k80"};
  enum { N_KNOWN = sizeof FASTEST_FIRST / sizeof *FASTEST_FIRST };
  bool listed[HSIM_MAX_TYPES] = {false};
  int n = 0;
  for (int i = 0; i < N_KNOWN; i++) {
    int g = cluster_find_type(cluster, FASTEST_FIRST[i]);
    if (g < 0)
      continue;
    gavel->queue_order[n++] = g;
    listed[g] = true;
  }
  for (int g = 0; g < cluster->n_types; g++)
    if (!listed[g])
      gavel->queue_order[n++] = g;
}

void gavel_coded_init(struct gavel *gavel, const struct hsim_view *view) {
  set_queue_order(gavel, view->cluster);
  assigner_init(&gavel->assigner, view->cluster);
  mt19937_seed(&gavel->shuffler, view->seed + 5); /* Gavel's stream for its order of types */
}

/* Gavel's own figures; the clock at the last call is the one at the end of its run. */
static void report(const struct gavel *gavel, const struct hsim_view *view) {
  const struct assigner *assigner = &gavel->assigner;
  if (view->now > 0)
    hsim_stat(view, "gavel_utilisation",
              gavel->busy_gpu_s / ((double)view->cluster->n_gpus * view->now));
  if (assigner->opportunities > 0)
    hsim_stat(view, "lease_extension_percent",
              100.0 * (double)assigner->extensions / (double)assigner->opportunities);
}

void gavel_coded_ran(struct gavel *gavel, const struct hsim_view *view, const struct hsim_ran *ran,
                     size_t n_ran) {
  rounds_charge(&gavel->rounds, ran, n_ran);
  for (size_t i = 0; i < n_ran; i++) {
    if (ran[i].failed)
      gavel->need = true;
    else if (ran[i].partner < ran[i].job) /* of a pair, which shares its GPUs, the later job */
      gavel->busy_gpu_s += ran[i].seconds * (double)ran[i].gpus;
  }
  gavel->ran = n_ran > 0;
  report(gavel, view);
}

static enum hsim_status reallocate(struct gavel *gavel, const struct hsim_view *view,
                                   struct hsim_error *error) {
  struct rounds *rounds = &gavel->rounds;
  /* Nothing ran and nothing more arrives: Gavel forgets when it allocated last. It looks before it
   * takes in what has arrived; jobs that never got in were nothing to wait for. */
  bool waits = gavel->arrivals_left && (view->arrivals_left || gavel->admitted);
  if (!gavel->ran && !waits)
    rounds->restarted_s = 0.0;
  gavel->ran = gavel->admitted = false;
  gavel->arrivals_left = view->arrivals_left;
  bool due = view->now - rounds->restarted_s >= gavel->interval || rounds->restarted_s == 0.0;
  return gavel->need && due ? gavel_reallocate(gavel, view, error) : HSIM_OK;
}

static void write_plan(const struct assignment *assignment, struct hsim_plan *plan) {
  hsim_plan_clear(plan);
  for (int i = 0; i < assignment->n; i++) {
    const struct assigned *one = &assignment->at[i];
    struct hsim_request request = {
        .job = one->a, .at = {.n_gpus = one->workers, .gpus = assignment->gpus + one->first_gpu}};
    if (one->b < 0) {
      hsim_plan_add(plan, &request);
    } else {
      struct hsim_request partner = request;
      partner.job = one->b;
      hsim_plan_add_pair(plan, &request, &partner);
    }
  }
}

enum hsim_status gavel_coded_schedule(struct gavel *gavel, const struct hsim_view *view,
                                      struct hsim_plan *plan, struct hsim_error *error) {
  enum hsim_status status = reallocate(gavel, view, error);
  if (status != HSIM_OK)
    return status;
  int n_types = view->cluster->n_types;
  int order[HSIM_MAX_TYPES], free[HSIM_MAX_TYPES];
  memcpy(order, gavel->queue_order, sizeof order);
  memcpy(free, view->type_up, (size_t)n_types * sizeof *free);
  if (!gavel->objective->aware)
    mt19937_shuffle(&gavel->shuffler, order, n_types);
  const struct rounds_pick *picks;
  int n =
      rounds_pick_by_type(&gavel->rounds, order, n_types, free, gavel->objective->strict, &picks);
  write_plan(assigner_place(&gavel->assigner, &gavel->rounds, picks, n, view->node_up), plan);
  report(gavel, view);
  return HSIM_OK;
}
