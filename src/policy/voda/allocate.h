/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Voda's eight allocation algorithms: how many of a pool's GPUs each job gets. They see the list of
 * jobs and the number of GPUs, never what a job holds now nor where.
 *
 *   fifo, elastic_fifo    by submission; with min workers each; elastic: the rest in passes of +1
 *   srjf, elastic_srjf    the same by remaining time
 *   tiresias              queues of attained service (Gu et al., NSDI'19), np workers each
 *   elastic_tiresias      that base, then GPU by GPU to the largest gain (Wu et al., TPDS 2021)
 *   ffdl                  the largest sum of speedups over the first jobs that fit (Saxena et al.,
 *                         MASCOTS 2020)
 *   afs_l                 GPU by GPU to the winner of pairwise comparisons (Hwang et al., NSDI'21)
 *
 * All in the form that T.-T. Hsieh, "Voda" (NTHU 2021; IC2E 2023) gives them. The order of the
 * input does not matter: ties go by id, the place in order of submission.
 */
#ifndef HSIM_POLICY_VODA_ALLOCATE_H
#define HSIM_POLICY_VODA_ALLOCATE_H

#include <stdbool.h>
#include <stddef.h>

/* In the order of the option's choices. */
enum voda_algorithm {
  VODA_FIFO,
  VODA_ELASTIC_FIFO,
  VODA_SRJF,
  VODA_ELASTIC_SRJF,
  VODA_TIRESIAS,
  VODA_ELASTIC_TIRESIAS,
  VODA_FFDL,
  VODA_AFS_L
};

enum { VODA_QUEUES = 2 };

struct voda_job {
  int id;                /* unique, ascending by submission */
  int min, np, max;      /* 1 <= min <= np <= max */
  int queue;             /* 0 is served first; VODA_QUEUES or more: in none (compat=code) */
  double first_start_s;  /* infinity before */
  double left_s;         /* estimated remaining time on one GPU, seconds */
  const double *speedup; /* [max + 2] of k workers over one; [0] = 0, [max + 1] = [max] */
  int got;               /* out: 0 or min..max */
};

struct voda_rules {
  enum voda_algorithm algorithm;
  bool never_first; /* as coded: jobs that never started sort before those that did */
  bool as_coded;    /* with the defects of the published program where they are cheap to have */
  int compaction;   /* elastic_tiresias: more pending jobs than this cut lower queues to min */
  bool ffdl_skip;   /* ffdl: jobs behind one that does not fit are still admitted */
};

/* Scratch memory; zero-initialise it. */
struct voda_allocator {
  struct voda_job **order, **list;
  struct voda_gain *heap;
  struct voda_afs *afs;
  double *sums; /* ffdl: best sum of speedups by GPUs, two rows */
  int *shares;  /* ffdl: the share that reaches it, a row a job */
  struct voda_key *keys;
  size_t order_capacity, list_capacity, heap_capacity, afs_capacity, sums_capacity, shares_capacity,
      keys_capacity;
};

/* Gives `gpus` GPUs to the jobs. Returns true when the rules are `as_coded` and the published
 * program would have panicked on this input; the result is then that of the rules without. */
bool voda_allocate(struct voda_allocator *allocator, const struct voda_rules *rules,
                   struct voda_job *jobs, int n, int gpus);
void voda_allocator_free(struct voda_allocator *allocator);

/* Differences up to this are ties: tables are decimal, their differences are not. */
#define VODA_TIE 1e-9

/* ---- The parts, one file a group ---- */

struct voda_list {
  struct voda_job **at; /* in the order of service */
  int n;
};

/* allocate_greedy.c: each in turn gets its min (or np) if that fits. Returns the GPUs left. */
int voda_first_fit(const struct voda_list *list, bool np, int gpus);
/* Passes of +1 over the jobs below their max that got something (as_coded: whatever the published
 * loop lets in; it knows of jobs with min = max only under elastic_fifo). */
void voda_grow(struct voda_allocator *allocator, const struct voda_list *list,
               const struct voda_rules *rules, int gpus);

/* allocate_gain.c: elastic_tiresias behind its base; `gpus` are those that the base left. */
void voda_compact(struct voda_list *queues, int pending, int most, int *gpus);
void voda_by_gain(struct voda_allocator *allocator, const struct voda_list *list, bool as_coded,
                  int gpus);

/* allocate_ffdl.c; false: the published program would have panicked. */
bool voda_ffdl(struct voda_allocator *allocator, const struct voda_list *list,
               const struct voda_rules *rules, int gpus);

/* allocate_afs.c */
void voda_afs_l(struct voda_allocator *allocator, const struct voda_list *list, bool as_coded,
                int gpus);

#endif
