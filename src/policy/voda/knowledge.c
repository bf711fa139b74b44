/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "model/memory.h"
#include "policy/voda/voda.h"

/* The published collector runs once a minute. */
static const double COLLECT_S = 60;

static double epochs_of(const struct voda *voda, const struct hsim_job *job) {
  return job->epochs > 0 ? job->epochs : voda->settings.epochs;
}

/* One-GPU seconds that the whole job is thought to take before anything of it is seen: the user's
 * estimate of its gang's duration, with linear speedup; else the mean of finished jobs of the
 * model; else, as Voda has it, a second an epoch. */
static double prior_s(const struct voda *voda, const struct hsim_active *active) {
  const struct hsim_job *job = active->job;
  if (!isnan(job->estimate_s))
    return job->estimate_s * job->workers;
  size_t model = (size_t)active->model;
  if (model < voda->n_categories && voda->categories[model].jobs > 0)
    return voda->categories[model].seconds / voda->categories[model].jobs;
  return epochs_of(voda, job);
}

void voda_know(struct voda *voda, const struct hsim_active *active) {
  struct voda_member *member = &voda->members[active->index];
  if (voda->settings.info == VODA_PROFILE || !voda->settings.needs_info)
    return;
  double epochs = epochs_of(voda, active->job);
  member->record = mem_alloc(1, sizeof *member->record);
  voda_record_init(member->record, voda->settings.info == VODA_LITERAL, member->table->max, epochs,
                   prior_s(voda, active) / epochs);
}

/* Reports the epochs that a stretch of progress finished, at the rate of its gang. */
static void watch(const struct voda *voda, struct voda_member *member, const struct hsim_job *job,
                  const struct hsim_ran *ran) {
  double epochs = epochs_of(voda, job), epoch_steps = job->steps / epochs;
  member->steps += ran->steps;
  double done = floor(member->steps / epoch_steps + 1e-9), n = done - member->reported;
  if (n < 1 || !(member->rate > 0))
    return;
  double epoch_s = epoch_steps / member->rate;
  double last_s = ran->end_s - fmax(member->steps - done * epoch_steps, 0) / member->rate;
  voda_record_add(member->record, ran->gpus, n, last_s - (n - 1) * epoch_s, epoch_s);
  member->reported = done;
}

void voda_watch(struct voda *voda, const struct hsim_view *view, const struct hsim_ran *ran,
                size_t n_ran) {
  for (size_t i = 0; i < n_ran; i++) {
    struct voda_member *member = &voda->members[ran[i].job];
    const struct hsim_active *active = hsim_active_job(view, ran[i].job);
    if (member->record && active)
      watch(voda, member, active->job, &ran[i]);
  }
}

void voda_remember(struct voda *voda, const struct hsim_active *active) {
  const struct voda_record *record = voda->members[active->index].record;
  if (!record || record->done < 1)
    return;
  size_t model = (size_t)active->model;
  if (model >= voda->categories_capacity)
    voda->categories =
        mem_grow(voda->categories, model + 1, &voda->categories_capacity, sizeof *voda->categories);
  while (voda->n_categories <= model)
    voda->categories[voda->n_categories++] = (struct voda_category){0};
  voda->categories[model].seconds += record->one_s * record->epochs;
  voda->categories[model].jobs++;
}

void voda_tell(struct voda *voda, const struct hsim_view *view, const struct hsim_active *active,
               struct voda_job *ask) {
  struct voda_member *member = &voda->members[active->index];
  if (active->model != member->table->model) /* a phase has begun */
    member->table = voda_tables_get(&voda->tables, view, active, voda->pools[member->pool].type);
  const struct voda_table *table = member->table;
  ask->min = table->min;
  ask->max = table->max;
  ask->speedup = table->speedup;
  if (member->record) {
    voda_record_collect(member->record, floor(view->now / COLLECT_S) * COLLECT_S);
    ask->left_s = member->record->left_s;
    ask->speedup = member->record->speedup;
    if (ask->max > member->record->max) /* a later phase runs at sizes that the first does not */
      ask->max = member->record->max;
  } else if (voda->settings.needs_info) {
    ask->left_s = voda_left_s(view, active, table);
  }
  ask->np = active->job->workers;
  if (ask->np < ask->min)
    ask->np = ask->min;
  if (ask->np > ask->max)
    ask->np = ask->max;
}
