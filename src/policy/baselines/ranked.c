/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/baselines/ranked.h"

#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

void gang_sizes_create(struct gang_sizes *sizes, int limit) {
  sizes->limit = limit;
  sizes->smallest = limit + 1;
  sizes->count = mem_zero((size_t)limit + 1, sizeof *sizes->count);
}

void gang_sizes_destroy(struct gang_sizes *sizes) {
  free(sizes->count);
}

void gang_sizes_add(struct gang_sizes *sizes, int workers) {
  int size = workers < sizes->limit ? workers : sizes->limit;
  sizes->count[size]++;
  sizes->n++;
  if (size < sizes->smallest)
    sizes->smallest = size;
}

void gang_sizes_remove(struct gang_sizes *sizes, int workers) {
  sizes->count[workers < sizes->limit ? workers : sizes->limit]--;
  if (--sizes->n == 0)
    sizes->smallest = sizes->limit + 1;
  while (sizes->smallest <= sizes->limit && sizes->count[sizes->smallest] == 0)
    sizes->smallest++;
}

void ranked_create(struct ranked *ranked, const struct hsim_view *view) {
  size_t n = (size_t)view->n_jobs;
  *ranked = (struct ranked){0};
  ranked->ran = mem_alloc(n, sizeof *ranked->ran);
  ranked->waiting = mem_alloc(n, sizeof *ranked->waiting);
  ranked->spare = mem_alloc(n, sizeof *ranked->spare);
  gang_sizes_create(&ranked->sizes, view->cluster->n_gpus);
}

void ranked_destroy(struct ranked *ranked) {
  free(ranked->ran);
  free(ranked->waiting);
  free(ranked->spare);
  gang_sizes_destroy(&ranked->sizes);
}

static bool before(const struct rank *a, const struct rank *b) {
  if (a->level != b->level)
    return a->level < b->level;
  if (a->key != b->key)
    return a->key < b->key;
  return a->job < b->job;
}

void ranked_add(struct ranked *ranked, struct rank rank) {
  int low = 0, high = ranked->n_waiting;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (before(&ranked->waiting[middle], &rank))
      low = middle + 1;
    else
      high = middle;
  }
  struct rank *at = &ranked->waiting[low];
  memmove(at + 1, at, (size_t)(ranked->n_waiting - low) * sizeof *at);
  *at = rank;
  ranked->n_waiting++;
  gang_sizes_add(&ranked->sizes, rank.workers);
}

static bool take_out(struct rank *list, int *n, int job) {
  for (int i = 0; i < *n; i++) {
    if (list[i].job != job)
      continue;
    --*n;
    memmove(&list[i], &list[i + 1], (size_t)(*n - i) * sizeof *list);
    return true;
  }
  return false;
}

void ranked_remove(struct ranked *ranked, int job) {
  if (take_out(ranked->ran, &ranked->n_ran, job))
    return;
  for (int i = 0; i < ranked->n_waiting; i++)
    if (ranked->waiting[i].job == job)
      gang_sizes_remove(&ranked->sizes, ranked->waiting[i].workers);
  take_out(ranked->waiting, &ranked->n_waiting, job);
}

/* Insertion sort: the lists are almost sorted. */
static void sort(struct rank *list, int n) {
  for (int i = 1; i < n; i++) {
    if (!before(&list[i], &list[i - 1]))
      continue;
    struct rank moving = list[i];
    int j = i;
    for (; j > 0 && before(&moving, &list[j - 1]); j--)
      list[j] = list[j - 1];
    list[j] = moving;
  }
}

void ranked_sort_waiting(struct ranked *ranked) {
  sort(ranked->waiting, ranked->n_waiting);
}

void ranked_refresh(struct ranked *ranked, struct placer *placer, const struct hsim_view *view,
                    ranked_fn *rerank, void *owner) {
  int n = 0;
  for (int i = 0; i < ranked->n_ran; i++) {
    struct rank rank = ranked->ran[i];
    const struct hsim_active *active = hsim_active_job(view, rank.job);
    placer_renew(placer, active);
    rerank(owner, view, active, &rank);
    if (active->n_gangs == 0)
      ranked_add(ranked, rank);
    else
      ranked->ran[n++] = rank;
  }
  ranked->n_ran = n;
  sort(ranked->ran, n);
}

/* How far a merge of the two lists has come. */
struct merge {
  int ran, waiting;  /* next of each list */
  struct rank *next; /* will be the list of those that ran */
  int n_next;
  int n_left; /* jobs that go on waiting */
};

/*
 * While no waiting job has been placed, the running ones above keep their GPUs, and what is free at
 * a rank follows from counting. Finds the first waiting job that may fit; false when there is none,
 * so that nothing changes at all.
 */
static bool first_that_may_fit(const struct ranked *ranked, const struct placer *placer,
                               const struct hsim_view *view, struct merge *merge) {
  int n_types = view->cluster->n_types;
  int free[HSIM_MAX_TYPES], widest = 0;
  memcpy(free, view->type_up, (size_t)n_types * sizeof *free);
  for (int t = 0; t < n_types; t++)
    if (free[t] > widest)
      widest = free[t];
  int r = 0;
  for (int w = 0; w < ranked->n_waiting; w++) {
    const struct rank *rank = &ranked->waiting[w];
    if (r < ranked->n_ran && before(&ranked->ran[r], rank)) {
      do {
        free[placer->jobs[ranked->ran[r].job].on] -= ranked->ran[r].workers;
        r++;
      } while (r < ranked->n_ran && before(&ranked->ran[r], rank));
      widest = 0;
      for (int t = 0; t < n_types; t++)
        if (free[t] > widest)
          widest = free[t];
      if (widest < ranked->sizes.smallest)
        return false;
    }
    if (rank->workers > widest)
      continue;
    for (uint64_t types = placer->jobs[rank->job].types; types; types &= types - 1) {
      if (free[__builtin_ctzll(types)] < rank->workers)
        continue;
      *merge = (struct merge){.ran = r, .waiting = w, .next = ranked->spare, .n_left = w};
      return true;
    }
  }
  return false;
}

static void settle_running(struct ranked *ranked, struct placer *placer,
                           const struct hsim_view *view, struct hsim_plan *plan,
                           struct merge *merge) {
  struct rank rank = ranked->ran[merge->ran++];
  merge->next[merge->n_next++] = rank;
  if (hsim_plan_keep(plan, rank.job)) {
    placer_took(placer, plan, placer->jobs[rank.job].on, rank.workers);
    return;
  }
  const struct hsim_active *active = hsim_active_job(view, rank.job);
  if (placer_fits(placer, rank.job, rank.workers) && placer_place(placer, plan, active, UINT64_MAX))
    return;
  hsim_plan_reason(plan, rank.job, HSIM_OUTRANKED);
}

static void settle_waiting(struct ranked *ranked, struct placer *placer,
                           const struct hsim_view *view, struct hsim_plan *plan,
                           struct merge *merge) {
  struct rank rank = ranked->waiting[merge->waiting++];
  if (placer_fits(placer, rank.job, rank.workers) &&
      placer_place(placer, plan, hsim_active_job(view, rank.job), UINT64_MAX)) {
    gang_sizes_remove(&ranked->sizes, rank.workers);
    merge->next[merge->n_next++] = rank;
  } else {
    ranked->waiting[merge->n_left++] = rank;
  }
}

/* Nothing that waits fits any more: the rest of the list stays as it is. */
static void leave_waiting(struct ranked *ranked, struct merge *merge) {
  int rest = ranked->n_waiting - merge->waiting;
  if (merge->n_left != merge->waiting)
    memmove(&ranked->waiting[merge->n_left], &ranked->waiting[merge->waiting],
            (size_t)rest * sizeof *ranked->waiting);
  merge->n_left += rest;
  merge->waiting = ranked->n_waiting;
}

void ranked_decide(struct ranked *ranked, struct placer *placer, const struct hsim_view *view,
                   struct hsim_plan *plan) {
  struct merge merge;
  if (!first_that_may_fit(ranked, placer, view, &merge))
    return;
  hsim_plan_clear(plan);
  for (int i = 0; i < merge.ran; i++)
    hsim_plan_keep(plan, ranked->ran[i].job);
  memcpy(merge.next, ranked->ran, (size_t)merge.ran * sizeof *merge.next);
  merge.n_next = merge.ran;
  placer_look(placer, plan);
  while (merge.ran < ranked->n_ran || merge.waiting < ranked->n_waiting) {
    if (merge.waiting < ranked->n_waiting && placer->widest < ranked->sizes.smallest)
      leave_waiting(ranked, &merge);
    else if (merge.waiting == ranked->n_waiting ||
             (merge.ran < ranked->n_ran &&
              before(&ranked->ran[merge.ran], &ranked->waiting[merge.waiting])))
      settle_running(ranked, placer, view, plan, &merge);
    else
      settle_waiting(ranked, placer, view, plan, &merge);
  }
  ranked->spare = ranked->ran;
  ranked->ran = merge.next;
  ranked->n_ran = merge.n_next;
  ranked->n_waiting = merge.n_left;
}

void ranked_start(struct ranked *ranked, struct placer *placer, const struct hsim_view *view,
                  struct hsim_plan *plan) {
  struct merge merge = {.next = ranked->ran, .n_next = ranked->n_ran};
  placer_look(placer, plan);
  while (merge.waiting < ranked->n_waiting) {
    if (placer->widest < ranked->sizes.smallest)
      leave_waiting(ranked, &merge);
    else
      settle_waiting(ranked, placer, view, plan, &merge);
  }
  ranked->n_ran = merge.n_next;
  ranked->n_waiting = merge.n_left;
}
