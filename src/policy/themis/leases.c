/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/themis/leases.h"

#include <stdlib.h>

#include "model/memory.h"

void themis_leases_init(struct themis_leases *leases, const struct hsim_cluster *cluster) {
  leases->cluster = cluster;
  leases->gpus = mem_alloc((size_t)cluster->n_gpus, sizeof *leases->gpus);
  leases->bay_of = mem_alloc((size_t)cluster->n_gpus, sizeof *leases->bay_of);
  leases->free = mem_alloc((size_t)cluster->n_bays, sizeof *leases->free);
  for (int bay = 0; bay < cluster->n_bays; bay++) {
    leases->free[bay] = cluster->bays[bay].gpus;
    for (int i = 0; i < cluster->bays[bay].gpus; i++) {
      int gpu = cluster->bays[bay].first_gpu + i;
      leases->bay_of[gpu] = bay;
      leases->gpus[gpu] = (struct themis_lease){.holder = -1, .previous = -1, .next = -1};
    }
  }
  leases->n_free = cluster->n_gpus;
}

void themis_leases_free(struct themis_leases *leases) {
  free(leases->gpus);
  free(leases->bay_of);
  free(leases->free);
}

void themis_lease_grant(struct themis_leases *leases, int *head, int holder, int gpu,
                        double end_s) {
  struct themis_lease *lease = &leases->gpus[gpu];
  lease->holder = holder;
  lease->end_s = end_s;
  lease->used = true;
  int *link = head;
  while (*link >= 0 && *link < gpu)
    link = &leases->gpus[*link].next;
  lease->next = *link;
  *link = gpu;
  leases->free[leases->bay_of[gpu]]--;
  leases->n_free--;
}

void themis_lease_release(struct themis_leases *leases, int *head, int gpu) {
  struct themis_lease *lease = &leases->gpus[gpu];
  int *link = head;
  while (*link != gpu)
    link = &leases->gpus[*link].next;
  *link = lease->next;
  lease->previous = lease->holder;
  lease->holder = lease->next = -1;
  leases->free[leases->bay_of[gpu]]++;
  leases->n_free++;
}

/* GPUs that the holder has in a GPU's slot. */
static int held_in_slot(const struct themis_leases *leases, const struct hsim_bay *bay, int i,
                        int holder) {
  int size = leases->cluster->nodes[bay->node].slot_size, n = 0;
  if (size == 0)
    return 0;
  for (int j = i - i % size; j < i - i % size + size && j < bay->gpus; j++)
    n += leases->gpus[bay->first_gpu + j].holder == holder;
  return n;
}

int themis_lease_pick(const struct themis_leases *leases, int bay, int holder) {
  const struct hsim_bay *b = &leases->cluster->bays[bay];
  int best = -1, best_rank = -1;
  for (int i = 0; i < b->gpus; i++) {
    const struct themis_lease *lease = &leases->gpus[b->first_gpu + i];
    if (lease->holder >= 0 || lease->down)
      continue;
    int rank = held_in_slot(leases, b, i, holder);
    if (lease->previous == holder)
      rank += b->gpus + 1;
    if (rank > best_rank) {
      best_rank = rank;
      best = b->first_gpu + i;
    }
  }
  return best;
}

void themis_leases_node(struct themis_leases *leases, int node, bool up) {
  const struct hsim_node *n = &leases->cluster->nodes[node];
  for (int bay = n->first_bay; bay < n->first_bay + n->n_bays; bay++) {
    const struct hsim_bay *b = &leases->cluster->bays[bay];
    for (int gpu = b->first_gpu; gpu < b->first_gpu + b->gpus; gpu++) {
      if (leases->gpus[gpu].down == !up)
        continue;
      leases->gpus[gpu].down = !up;
      leases->free[bay] += up ? 1 : -1;
      leases->n_free += up ? 1 : -1;
    }
  }
}
