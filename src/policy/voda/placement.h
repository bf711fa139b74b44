/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Voda's placement manager: which node holds which workers of which job.
 *
 * A pass takes the workers that each job shall have and
 *   releases   a job that shrinks gives back the workers at the end of its list of slots;
 *   packs      all jobs anew by best fit onto empty logical nodes, one for each physical node;
 *   binds      logical to physical nodes of the same size, so that as many workers as possible
 *              find themselves where they are (an assignment of maximum weight);
 *   books      the new lists, and who had to move.
 *
 * Packing from scratch each time is the defragmentation, binding keeps it cheap. Where neither a
 * job's number of workers nor a node has changed, everything stays as it is.
 */
#ifndef HSIM_POLICY_VODA_PLACEMENT_H
#define HSIM_POLICY_VODA_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "hsim/view.h"
#include "solver/assignment.h"

/* Who is packed first among jobs with equally many workers. */
enum voda_tie {
  VODA_TIE_PLACED, /* those that are placed, by the node that holds most of their workers; then id
                    */
  VODA_TIE_SUBMIT, /* by id */
  VODA_TIE_RANDOM  /* as a hash table would have it */
};

enum voda_method {
  VODA_MANAGER, /* the pass above */
  VODA_ANYWHERE /* workers stay where they are; new ones go to free GPUs drawn at random */
};

struct voda_slot {
  int node;
  int workers;
};

/* Workers of one job. `slots` is the order in which workers are numbered. */
struct voda_placed {
  int id;      /* ascending by submission */
  int wanted;  /* in: workers that it shall have */
  int workers; /* that it has: sum over the slots; less than wanted when nodes are short */
  int n_slots;
  struct voda_slot *slots; /* owned by the placement */
  size_t slots_capacity;
  int moved;    /* out: of the workers that it keeps, those that had to go elsewhere */
  bool restart; /* out: these are all of them */
};

struct voda_node {
  int size; /* GPUs, 0 while it is down */
  int free;
};

struct voda_counts {
  long long passes;
  long long moved;    /* workers that had to go elsewhere */
  long long restarts; /* jobs that lost every worker to a move */
  long long split;    /* jobs on more than one node, summed over the passes */
  long long unplaced; /* workers for which there was no slot, summed over the passes */
  long long evicted;  /* workers lost with their node */
};

struct voda_placement {
  struct voda_node *nodes;
  int n_nodes;
  enum voda_tie tie;
  enum voda_method method;
  bool nodes_came; /* since the last pass */
  struct hsim_rng rng;
  struct voda_counts counts;
  struct lap lap;
  struct voda_scratch *scratch;
};

/* Nodes start with `sizes` free GPUs. The random choices come from `rng`, which is copied. */
void voda_placement_init(struct voda_placement *placement, const int *sizes, int n_nodes,
                         enum voda_method method, enum voda_tie tie, const struct hsim_rng *rng);
void voda_placement_free(struct voda_placement *placement);
void voda_placed_free(struct voda_placed *job);

/* One pass. `jobs` are all that have or shall have workers. */
void voda_place(struct voda_placement *placement, struct voda_placed *const *jobs, int n);

/* All workers of a job leave. */
void voda_placement_release(struct voda_placement *placement, struct voda_placed *job);

/* The node comes with so many GPUs. */
void voda_placement_add(struct voda_placement *placement, int node, int size);
/* The node goes. Each job loses its workers there; the others stay. */
void voda_placement_remove(struct voda_placement *placement, int node,
                           struct voda_placed *const *jobs, int n);

#endif
