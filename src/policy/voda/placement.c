/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/voda/placement.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

/* A job in the order of packing. */
struct turn {
  struct voda_placed *job;
  int rank;      /* by the rule for ties */
  uint64_t draw; /* VODA_TIE_RANDOM */
};

/* Workers of one job on a logical node. */
struct fill {
  struct voda_placed *job;
  int logical;
  int workers;
};

struct voda_scratch {
  struct turn *turns;
  size_t turns_capacity;
  struct fill *fills; /* job by job */
  size_t n_fills, fills_capacity;
  struct voda_slot *old; /* a job's slots before it is booked anew */
  size_t old_capacity;
  int *logical_free; /* [n_nodes] */
  int *physical;     /* [n_nodes] of a logical node */
  int *members;      /* [n_nodes] nodes of one size */
  int *place;        /* [n_nodes] of a node among the members of its size, -1 elsewhere */
  int *columns;      /* [n_nodes] */
  double *cost;
  size_t cost_capacity;
};

void voda_placement_init(struct voda_placement *placement, const int *sizes, int n_nodes,
                         enum voda_method method, enum voda_tie tie, const struct hsim_rng *rng) {
  size_t n = (size_t)n_nodes;
  *placement =
      (struct voda_placement){.n_nodes = n_nodes, .tie = tie, .method = method, .rng = *rng};
  placement->nodes = mem_alloc(n, sizeof *placement->nodes);
  for (int i = 0; i < n_nodes; i++)
    placement->nodes[i] = (struct voda_node){sizes[i], sizes[i]};
  struct voda_scratch *scratch = mem_zero(1, sizeof *scratch);
  scratch->logical_free = mem_alloc(n, sizeof *scratch->logical_free);
  scratch->physical = mem_alloc(n, sizeof *scratch->physical);
  scratch->members = mem_alloc(n, sizeof *scratch->members);
  scratch->place = mem_alloc(n, sizeof *scratch->place);
  scratch->columns = mem_alloc(n, sizeof *scratch->columns);
  placement->scratch = scratch;
}

void voda_placement_free(struct voda_placement *placement) {
  struct voda_scratch *scratch = placement->scratch;
  if (scratch) {
    free(scratch->turns);
    free(scratch->fills);
    free(scratch->old);
    free(scratch->logical_free);
    free(scratch->physical);
    free(scratch->members);
    free(scratch->place);
    free(scratch->columns);
    free(scratch->cost);
    free(scratch);
  }
  free(placement->nodes);
  lap_free(&placement->lap);
  *placement = (struct voda_placement){0};
}

void voda_placed_free(struct voda_placed *job) {
  free(job->slots);
  *job = (struct voda_placed){0};
}

/* ---- Slots ---- */

static void put(struct voda_placed *job, int node, int workers) {
  job->workers += workers;
  for (int i = 0; i < job->n_slots; i++) {
    if (job->slots[i].node != node)
      continue;
    job->slots[i].workers += workers;
    return;
  }
  size_t n = (size_t)job->n_slots + 1;
  if (n > job->slots_capacity)
    job->slots = mem_grow(job->slots, n, &job->slots_capacity, sizeof *job->slots);
  job->slots[job->n_slots++] = (struct voda_slot){node, workers};
}

/* Gives back workers from the end of the list until `left` are left. */
static void shrink(struct voda_placement *placement, struct voda_placed *job, int left) {
  while (job->workers > left) {
    struct voda_slot *last = &job->slots[job->n_slots - 1];
    int given = job->workers - left < last->workers ? job->workers - left : last->workers;
    last->workers -= given;
    job->workers -= given;
    placement->nodes[last->node].free += given;
    if (last->workers == 0)
      job->n_slots--;
  }
}

void voda_placement_release(struct voda_placement *placement, struct voda_placed *job) {
  shrink(placement, job, 0);
}

void voda_placement_add(struct voda_placement *placement, int node, int size) {
  placement->nodes[node] = (struct voda_node){size, size};
  placement->nodes_came = true;
}

void voda_placement_remove(struct voda_placement *placement, int node,
                           struct voda_placed *const *jobs, int n) {
  for (int i = 0; i < n; i++) {
    struct voda_placed *job = jobs[i];
    int stay = 0;
    for (int s = 0; s < job->n_slots; s++) {
      if (job->slots[s].node == node) {
        job->workers -= job->slots[s].workers;
        placement->counts.evicted += job->slots[s].workers;
      } else {
        job->slots[stay++] = job->slots[s];
      }
    }
    job->n_slots = stay;
  }
  placement->nodes[node] = (struct voda_node){0, 0};
}

/* ---- Packing ---- */

/* Jobs that are placed come first, by the node with most of their workers. */
static int placed_rank(const struct voda_placement *placement, const struct voda_placed *job) {
  int node = placement->n_nodes, most = 0;
  for (int i = 0; i < job->n_slots; i++) {
    const struct voda_slot *slot = &job->slots[i];
    if (slot->workers > most || (slot->workers == most && slot->node < node)) {
      most = slot->workers;
      node = slot->node;
    }
  }
  return node;
}

static int by_turn(const void *a, const void *b) {
  const struct turn *x = a, *y = b;
  if (x->job->wanted != y->job->wanted)
    return x->job->wanted > y->job->wanted ? -1 : 1;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->draw != y->draw)
    return x->draw < y->draw ? -1 : 1;
  return (x->job->id > y->job->id) - (x->job->id < y->job->id);
}

static int take_turns(struct voda_placement *placement, struct voda_placed *const *jobs, int n) {
  struct voda_scratch *scratch = placement->scratch;
  if ((size_t)n > scratch->turns_capacity)
    scratch->turns =
        mem_grow(scratch->turns, (size_t)n, &scratch->turns_capacity, sizeof *scratch->turns);
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (jobs[i]->wanted == 0)
      continue;
    struct turn turn = {.job = jobs[i]};
    if (placement->tie == VODA_TIE_PLACED)
      turn.rank = placed_rank(placement, jobs[i]);
    if (placement->tie == VODA_TIE_RANDOM)
      turn.draw = hsim_rng_next(&placement->rng);
    scratch->turns[count++] = turn;
  }
  qsort(scratch->turns, (size_t)count, sizeof *scratch->turns, by_turn);
  return count;
}

/* The node with the least free slots that holds them all, else the one with the most. */
static int best_fit(const struct voda_placement *placement, int workers) {
  const int *free_slots = placement->scratch->logical_free;
  int fit = -1, roomiest = 0;
  for (int i = 0; i < placement->n_nodes; i++) {
    if (free_slots[i] >= workers && (fit < 0 || free_slots[i] < free_slots[fit]))
      fit = i;
    if (free_slots[i] > free_slots[roomiest])
      roomiest = i;
  }
  return fit >= 0 ? fit : roomiest;
}

static void pack_job(struct voda_placement *placement, struct voda_placed *job) {
  struct voda_scratch *scratch = placement->scratch;
  int left = job->wanted, fills = 0;
  while (left > 0) {
    int logical = best_fit(placement, left);
    int here = scratch->logical_free[logical];
    if (here == 0)
      break;
    here = here < left ? here : left;
    if (scratch->n_fills == scratch->fills_capacity)
      scratch->fills = mem_grow(scratch->fills, scratch->n_fills + 1, &scratch->fills_capacity,
                                sizeof *scratch->fills);
    scratch->fills[scratch->n_fills++] = (struct fill){job, logical, here};
    scratch->logical_free[logical] -= here;
    left -= here;
    fills++;
  }
  if (fills == 0)
    job->n_slots = job->workers = 0;
  placement->counts.unplaced += left;
  placement->counts.split += fills > 1;
}

static void pack(struct voda_placement *placement, struct voda_placed *const *jobs, int n) {
  struct voda_scratch *scratch = placement->scratch;
  int count = take_turns(placement, jobs, n);
  for (int i = 0; i < placement->n_nodes; i++)
    scratch->logical_free[i] = placement->nodes[i].size;
  scratch->n_fills = 0;
  for (int i = 0; i < count; i++)
    pack_job(placement, scratch->turns[i].job);
}

/* ---- Binding ---- */

/* The nodes of one size, from node `first` on. */
static int list_members(const struct voda_placement *placement, int first) {
  struct voda_scratch *scratch = placement->scratch;
  int n = 0, size = placement->nodes[first].size;
  for (int i = 0; i < placement->n_nodes; i++) {
    scratch->place[i] = -1;
    if (placement->nodes[i].size != size)
      continue;
    scratch->place[i] = n;
    scratch->members[n++] = i;
  }
  return n;
}

struct matrix {
  const double *cells;
  int n;
};

static void copy_row(const void *context, int row, double *costs) {
  const struct matrix *matrix = context;
  size_t n = (size_t)matrix->n;
  memcpy(costs, matrix->cells + (size_t)row * n, n * sizeof *costs);
}

/* Binds the members: cost is less the number of workers that stay. */
static void bind_members(struct voda_placement *placement, int n) {
  struct voda_scratch *scratch = placement->scratch;
  size_t cells = (size_t)n * (size_t)n;
  if (cells > scratch->cost_capacity)
    scratch->cost = mem_grow(scratch->cost, cells, &scratch->cost_capacity, sizeof *scratch->cost);
  for (size_t i = 0; i < cells; i++)
    scratch->cost[i] = 0;
  for (size_t f = 0; f < scratch->n_fills; f++) {
    const struct fill *fill = &scratch->fills[f];
    int row = scratch->place[fill->logical];
    for (int s = 0; row >= 0 && s < fill->job->n_slots; s++) {
      const struct voda_slot *slot = &fill->job->slots[s];
      int column = scratch->place[slot->node];
      int stay = slot->workers < fill->workers ? slot->workers : fill->workers;
      if (column >= 0)
        scratch->cost[(size_t)row * (size_t)n + (size_t)column] -= stay;
    }
  }
  struct matrix matrix = {scratch->cost, n};
  lap_solve(&placement->lap, n, n, copy_row, &matrix, scratch->columns); /* all costs are finite */
  for (int row = 0; row < n; row++)
    scratch->physical[scratch->members[row]] = scratch->members[scratch->columns[row]];
}

static void bind_nodes(struct voda_placement *placement) {
  for (int i = 0; i < placement->n_nodes; i++)
    placement->scratch->physical[i] = -1;
  for (int i = 0; i < placement->n_nodes; i++)
    if (placement->scratch->physical[i] < 0)
      bind_members(placement, list_members(placement, i));
}

/* ---- Books ---- */

static int by_node(const void *a, const void *b) {
  const struct voda_slot *x = a, *y = b;
  return (x->node > y->node) - (x->node < y->node);
}

/* The job's workers are those of `fills` now. Nodes that it used come first, in their old order. */
static void book_job(struct voda_placement *placement, struct voda_placed *job,
                     const struct fill *fills, int n_fills) {
  struct voda_scratch *scratch = placement->scratch;
  size_t needed = (size_t)job->n_slots + (size_t)n_fills;
  if (needed > scratch->old_capacity)
    scratch->old = mem_grow(scratch->old, needed, &scratch->old_capacity, sizeof *scratch->old);
  int n_old = job->n_slots, before = job->workers, kept = 0;
  struct voda_slot *old = scratch->old, *fresh = scratch->old + n_old;
  if (n_old > 0)
    memcpy(old, job->slots, (size_t)n_old * sizeof *old);
  for (int f = 0; f < n_fills; f++)
    fresh[f] = (struct voda_slot){scratch->physical[fills[f].logical], fills[f].workers};
  qsort(fresh, (size_t)n_fills, sizeof *fresh, by_node);
  job->n_slots = job->workers = 0;
  for (int o = 0; o < n_old; o++) {
    for (int f = 0; f < n_fills; f++) {
      if (fresh[f].node != old[o].node)
        continue;
      kept += old[o].workers < fresh[f].workers ? old[o].workers : fresh[f].workers;
      put(job, fresh[f].node, fresh[f].workers);
      fresh[f].workers = 0;
    }
  }
  for (int f = 0; f < n_fills; f++)
    if (fresh[f].workers > 0)
      put(job, fresh[f].node, fresh[f].workers);
  int survivors = before < job->workers ? before : job->workers;
  job->moved = survivors - kept;
  job->restart = survivors > 0 && kept == 0;
  placement->counts.moved += job->moved;
  placement->counts.restarts += job->restart;
}

static void book(struct voda_placement *placement) {
  struct voda_scratch *scratch = placement->scratch;
  for (int i = 0; i < placement->n_nodes; i++)
    placement->nodes[scratch->physical[i]].free = scratch->logical_free[i];
  for (size_t from = 0, to; from < scratch->n_fills; from = to) {
    struct voda_placed *job = scratch->fills[from].job;
    for (to = from; to < scratch->n_fills && scratch->fills[to].job == job; to++)
      continue;
    book_job(placement, job, &scratch->fills[from], (int)(to - from));
  }
}

/* ---- Random placement ---- */

static int free_at_random(struct voda_placement *placement, int total) {
  int at = (int)hsim_rng_below(&placement->rng, (uint64_t)total);
  for (int i = 0;; i++) {
    if (at < placement->nodes[i].free)
      return i;
    at -= placement->nodes[i].free;
  }
}

static void place_anywhere(struct voda_placement *placement, struct voda_placed *const *jobs,
                           int n) {
  int total = 0;
  for (int i = 0; i < placement->n_nodes; i++)
    total += placement->nodes[i].free;
  for (int i = 0; i < n; i++) {
    for (; jobs[i]->workers < jobs[i]->wanted && total > 0; total--) {
      int node = free_at_random(placement, total);
      placement->nodes[node].free--;
      put(jobs[i], node, 1);
    }
    placement->counts.unplaced += jobs[i]->wanted - jobs[i]->workers;
    placement->counts.split += jobs[i]->n_slots > 1;
  }
}

void voda_place(struct voda_placement *placement, struct voda_placed *const *jobs, int n) {
  bool settled = !placement->nodes_came;
  placement->nodes_came = false;
  placement->counts.passes++;
  for (int i = 0; i < n; i++) {
    settled = settled && jobs[i]->workers == jobs[i]->wanted;
    shrink(placement, jobs[i], jobs[i]->wanted);
    jobs[i]->moved = 0;
    jobs[i]->restart = false;
  }
  if (settled)
    return;
  if (placement->method == VODA_ANYWHERE) {
    place_anywhere(placement, jobs, n);
    return;
  }
  pack(placement, jobs, n);
  bind_nodes(placement);
  book(placement);
}
