/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/gavel/assignment.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

static void list_workers(struct assigner *assigner) {
  const struct hsim_cluster *cluster = assigner->cluster;
  int n = 0;
  for (int g = 0; g < cluster->n_types; g++) {
    assigner->first_of_type[g] = n;
    for (int b = 0; b < cluster->n_bays; b++)
      if (cluster->bays[b].type == g)
        for (int i = 0; i < cluster->bays[b].gpus; i++)
          assigner->workers_of_type[n++] = cluster->bays[b].first_gpu + i;
  }
  assigner->first_of_type[cluster->n_types] = n;
}

void assigner_init(struct assigner *assigner, const struct hsim_cluster *cluster) {
  *assigner = (struct assigner){.cluster = cluster};
  size_t gpus = (size_t)cluster->n_gpus;
  assigner->workers_of_type = mem_alloc(gpus, sizeof *assigner->workers_of_type);
  assigner->first_of_type =
      mem_alloc((size_t)cluster->n_types + 1, sizeof *assigner->first_of_type);
  assigner->taken_in = mem_zero(gpus, sizeof *assigner->taken_in);
  list_workers(assigner);
}

void assigner_free(struct assigner *assigner) {
  free(assigner->workers_of_type);
  free(assigner->first_of_type);
  free(assigner->taken_in);
  free(assigner->now.at);
  free(assigner->now.gpus);
  free(assigner->before.at);
  free(assigner->before.gpus);
  free(assigner->sorted);
  *assigner = (struct assigner){0};
}

static void take_down_nodes(struct assigner *assigner, const uint8_t *node_up) {
  const struct hsim_cluster *cluster = assigner->cluster;
  for (int b = 0; b < cluster->n_bays; b++)
    if (!node_up[cluster->bays[b].node])
      for (int i = 0; i < cluster->bays[b].gpus; i++)
        assigner->taken_in[cluster->bays[b].first_gpu + i] = assigner->round;
}

/* Room for one more entry; returns where its GPUs go. */
static int *open_entry(struct assigner *assigner, const struct combination *combination, int index,
                       int type) {
  struct assignment *now = &assigner->now;
  int first = now->n > 0 ? now->at[now->n - 1].first_gpu + now->at[now->n - 1].workers : 0;
  now->at = mem_grow(now->at, (size_t)now->n + 1, &now->at_capacity, sizeof *now->at);
  now->gpus = mem_grow(now->gpus, (size_t)first + (size_t)combination->workers, &now->gpus_capacity,
                       sizeof *now->gpus);
  now->at[now->n++] = (struct assigned){.a = combination->a,
                                        .b = combination->b,
                                        .combination = index,
                                        .type = type,
                                        .workers = combination->workers,
                                        .first_gpu = first};
  return now->gpus + first;
}

/* Its GPUs of the round before, if it was on this type and none of them has been given away. */
static bool keep(struct assigner *assigner, const struct rounds *rounds,
                 const struct rounds_pick *pick) {
  const struct combination *combination = &rounds->at[pick->combination];
  if (combination->assigned < 0)
    return false;
  const struct assigned *was = &assigner->before.at[combination->assigned];
  if (was->type != pick->type)
    return false;
  const int *gpus = assigner->before.gpus + was->first_gpu;
  for (int i = 0; i < was->workers; i++)
    if (assigner->taken_in[gpus[i]] == assigner->round)
      return false;
  int *kept = open_entry(assigner, combination, pick->combination, pick->type);
  for (int i = 0; i < was->workers; i++) {
    kept[i] = gpus[i];
    assigner->taken_in[gpus[i]] = assigner->round;
  }
  return true;
}

/* The first free GPUs of the type from *at on; what is passed is taken. */
static void scan(struct assigner *assigner, const struct rounds *rounds,
                 const struct rounds_pick *pick, int *at) {
  const struct combination *combination = &rounds->at[pick->combination];
  int end = assigner->first_of_type[pick->type + 1], found = 0;
  int *gpus = open_entry(assigner, combination, pick->combination, pick->type);
  for (; found < combination->workers && *at < end; (*at)++) {
    int gpu = assigner->workers_of_type[*at];
    if (assigner->taken_in[gpu] == assigner->round)
      continue;
    assigner->taken_in[gpu] = assigner->round;
    gpus[found++] = gpu;
  }
}

/* Stable, by workers descending: picks are few and mostly in order already. */
static void sort_by_workers(const struct rounds *rounds, struct rounds_pick *picks, int n) {
  for (int i = 1; i < n; i++) {
    struct rounds_pick moved = picks[i];
    int workers = rounds->at[moved.combination].workers, j = i;
    for (; j > 0 && rounds->at[picks[j - 1].combination].workers < workers; j--)
      picks[j] = picks[j - 1];
    picks[j] = moved;
  }
}

/* The picks of one type, sorted. Within a gang size those that can stay go first. */
static void place_type(struct assigner *assigner, const struct rounds *rounds,
                       struct rounds_pick *picks, int n) {
  int at = assigner->first_of_type[picks[0].type];
  for (int from = 0, to; from < n; from = to) {
    int workers = rounds->at[picks[from].combination].workers, left = from;
    for (to = from; to < n && rounds->at[picks[to].combination].workers == workers; to++)
      if (!keep(assigner, rounds, &picks[to]))
        picks[left++] = picks[to];
    for (int i = from; i < left; i++)
      scan(assigner, rounds, &picks[i], &at);
  }
}

static void count_leases(struct assigner *assigner, const struct rounds *rounds) {
  const struct assignment *before = &assigner->before, *now = &assigner->now;
  for (int i = 0; i < before->n; i++)
    if (rounds->alone_of[before->at[i].a] >= 0 ||
        (before->at[i].b >= 0 && rounds->alone_of[before->at[i].b] >= 0))
      assigner->opportunities++;
  for (int i = 0; i < now->n; i++) {
    int was = rounds->at[now->at[i].combination].assigned;
    /* Both lists ascend along the type's workers, so equal sets are equal lists. */
    if (was >= 0 &&
        memcmp(now->gpus + now->at[i].first_gpu, before->gpus + before->at[was].first_gpu,
               (size_t)now->at[i].workers * sizeof(int)) == 0)
      assigner->extensions++;
  }
}

const struct assignment *assigner_place(struct assigner *assigner, struct rounds *rounds,
                                        const struct rounds_pick *picks, int n_picks,
                                        const uint8_t *node_up) {
  struct assignment reused = assigner->before;
  assigner->before = assigner->now;
  assigner->now = reused;
  assigner->now.n = 0;
  assigner->round++;
  take_down_nodes(assigner, node_up);
  assigner->sorted = mem_grow(assigner->sorted, (size_t)n_picks, &assigner->sorted_capacity,
                              sizeof *assigner->sorted);
  for (int from = 0, to; from < n_picks; from = to) { /* picks of one type stand together */
    int n = 0;
    for (to = from; to < n_picks && picks[to].type == picks[from].type; to++)
      if (rounds->at[picks[to].combination].covered)
        assigner->sorted[n++] = picks[to];
    sort_by_workers(rounds, assigner->sorted, n);
    if (n > 0)
      place_type(assigner, rounds, assigner->sorted, n);
  }
  count_leases(assigner, rounds);
  for (int c = 0; c < rounds->n; c++)
    rounds->at[c].assigned = -1;
  for (int i = 0; i < assigner->now.n; i++)
    rounds->at[assigner->now.at[i].combination].assigned = i;
  return &assigner->now;
}
