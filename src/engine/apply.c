/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns a plan into gangs: checks what can only be checked as a whole, chooses GPU indices, ends
 * the gangs that go, then begins those that come. All ends come before all beginnings, so that in
 * the event record no GPU is held twice at an instant.
 */
#include <math.h>
#include <string.h>

#include "engine/core.h"
#include "engine/sort.h"

/* What the plan means for one job. */
struct change {
  struct job *job;
  int old_size, new_size;
  int moved;             /* GPUs newly held */
  enum record_kind kind; /* START, RESIZE, MIGRATE, PREEMPT, or END for no visible change */
  bool any;              /* its gangs, budgets or partners change */
  bool told;             /* its first row has been written */
};

static void gpus_busy(struct hsim_core *core, const int *gpus, int n, int delta) {
  for (int i = 0; i < n; i++)
    core->busy[gpus[i]] = (uint8_t)(core->busy[gpus[i]] + delta);
}

/* Jobs whose gangs stop because a cleared plan did not keep them are touched, too. */
static void touch_stopped(struct hsim_core *core) {
  struct hsim_plan *plan = &core->plan;
  if (!plan->cleared)
    return;
  for (struct gang *gang = core->gangs; gang; gang = gang->next)
    if (!gang_in_plan(plan, gang))
      plan_touch(plan, gang->job);
}

static void release_indices(struct hsim_core *core) {
  struct hsim_plan *plan = &core->plan;
  for (size_t i = 0; i < plan->n_touched; i++) {
    const struct job *job = plan->touched[i];
    for (int g = 0; g < job->pub.n_gangs; g++)
      if (!gang_in_plan(plan, job->gangs[g]))
        gpus_busy(core, job->gangs[g]->gpus, job->gangs[g]->pub.size, -1);
  }
}

/* GPUs that the policy named: each must be free, or its partner's. */
static void claim_exact(struct hsim_core *core, struct edit *edit) {
  struct hsim_plan *plan = &core->plan;
  for (int i = 0; i < edit->size; i++) {
    if (core->busy[edit->gpus[i]] != (edit->second ? 1 : 0)) {
      int bay = 0;
      while (edit->gpus[i] >=
             core->config->cluster->bays[bay].first_gpu + core->config->cluster->bays[bay].gpus)
        bay++;
      plan_broken(plan, edit->job->pub.index, core->config->cluster->bays[bay].node,
                  "a GPU is held twice");
      return;
    }
  }
  gpus_busy(core, edit->gpus, edit->size, 1);
}

/* First the GPUs of a share that the job held before, into its stretch of edit->gpus. The rest of
 * the stretch stays -1. */
static void claim_own(struct hsim_core *core, struct edit *edit) {
  int n = 0;
  for (int s = 0; s < edit->n_shares; s++) {
    const struct hsim_bay *bay = &core->config->cluster->bays[edit->shares[s].bay];
    int taken = 0, wanted = edit->shares[s].gpus;
    for (int i = 0; edit->old && i < edit->old->pub.size && taken < wanted; i++) {
      int gpu = edit->old->gpus[i];
      if (gpu < bay->first_gpu || gpu >= bay->first_gpu + bay->gpus || core->busy[gpu])
        continue;
      core->busy[gpu] = 1;
      edit->gpus[n + taken++] = gpu;
    }
    for (; taken < wanted; taken++)
      edit->gpus[n + taken] = -1;
    n += wanted;
  }
}

/* Then the lowest free ones of each bay. */
static void claim_rest(struct hsim_core *core, struct edit *edit) {
  int n = 0;
  for (int s = 0; s < edit->n_shares; s++) {
    const struct hsim_bay *bay = &core->config->cluster->bays[edit->shares[s].bay];
    int gpu = bay->first_gpu;
    for (int k = 0; k < edit->shares[s].gpus; k++, n++) {
      if (edit->gpus[n] < 0) {
        while (core->busy[gpu])
          gpu++;
        core->busy[gpu] = 1;
        edit->gpus[n] = gpu;
      }
    }
  }
  sort_gpus(edit->gpus, (size_t)edit->size);
}

static void choose_indices(struct hsim_core *core) {
  struct hsim_plan *plan = &core->plan;
  for (size_t e = 0; e < plan->n_edits; e++)
    if (plan->edits[e].job && plan->edits[e].exact)
      claim_exact(core, &plan->edits[e]);
  for (size_t e = 0; e < plan->n_edits; e++)
    if (plan->edits[e].job && !plan->edits[e].exact && !plan->edits[e].second)
      claim_own(core, &plan->edits[e]);
  for (size_t e = 0; e < plan->n_edits; e++) {
    struct edit *edit = &plan->edits[e];
    if (!edit->job || edit->exact)
      continue;
    if (!edit->second) {
      claim_rest(core, edit);
      continue;
    }
    /* The second of a pair stands right behind the first. */
    memcpy(edit->gpus, plan->edits[e - 1].gpus, (size_t)edit->size * sizeof *edit->gpus);
    gpus_busy(core, edit->gpus, edit->size, 1);
  }
  for (size_t e = 0; e < plan->n_edits; e++) {
    struct edit *edit = &plan->edits[e];
    if (!edit->job || !edit->old)
      continue;
    edit->same = edit->old->pub.size == edit->size &&
                 memcmp(edit->old->gpus, edit->gpus, (size_t)edit->size * sizeof(int)) == 0;
  }
}

static void collect(int **list, size_t *n, size_t *capacity, const int *gpus, int count) {
  if (*n + (size_t)count > *capacity)
    *list = mem_grow(*list, *n + (size_t)count, capacity, sizeof(int));
  memcpy(*list + *n, gpus, (size_t)count * sizeof(int));
  *n += (size_t)count;
}

static struct change compare(struct hsim_core *core, struct job *job) {
  struct hsim_plan *plan = &core->plan;
  struct change change = {.job = job, .kind = RECORD_END};
  size_t n_old = 0, n_new = 0;
  for (int g = 0; g < job->pub.n_gangs; g++) {
    const struct gang *gang = job->gangs[g];
    collect(&plan->old_gpus, &n_old, &plan->old_capacity, gang->gpus, gang->pub.size);
    if (gang_in_plan(plan, gang))
      collect(&plan->new_gpus, &n_new, &plan->new_capacity, gang->gpus, gang->pub.size);
    else
      change.any = true;
  }
  for (struct edit *edit = first_edit(plan, job); edit; edit = next_edit(plan, edit)) {
    collect(&plan->new_gpus, &n_new, &plan->new_capacity, edit->gpus, edit->size);
    bool as_before = edit->same && edit->max_steps == INFINITY && edit->stall <= 0 &&
                     isinf(edit->old->budget) && edit->old->pub.partner == edit->partner;
    if (!as_before)
      change.any = true;
  }
  sort_gpus(plan->old_gpus, n_old);
  sort_gpus(plan->new_gpus, n_new);
  size_t o = 0;
  for (size_t i = 0; i < n_new; i++) {
    while (o < n_old && plan->old_gpus[o] < plan->new_gpus[i])
      o++;
    if (o == n_old || plan->old_gpus[o] != plan->new_gpus[i])
      change.moved++;
  }
  change.old_size = (int)n_old;
  change.new_size = (int)n_new;
  if (n_old == 0 && n_new > 0)
    change.kind = RECORD_START;
  else if (n_old > 0 && n_new == 0)
    change.kind = RECORD_PREEMPT;
  else if (n_old != n_new)
    change.kind = RECORD_RESIZE;
  else if (change.moved > 0)
    change.kind = RECORD_MIGRATE;
  return change;
}

bool on_node(const struct hsim_core *core, const struct hsim_share *shares, int n, int node) {
  for (int i = 0; i < n; i++)
    if (core->config->cluster->bays[shares[i].bay].node == node)
      return true;
  return false;
}

/* How many gangs of the job the plan puts on the node. */
static int gangs_on_node(struct hsim_core *core, const struct job *job, int node) {
  struct hsim_plan *plan = &core->plan;
  int n = 0;
  for (int g = 0; g < job->pub.n_gangs; g++) {
    const struct gang *gang = job->gangs[g];
    n += gang_in_plan(plan, gang) && on_node(core, gang->shares, gang->pub.n_shares, node);
  }
  for (struct edit *edit = first_edit(plan, job); edit; edit = next_edit(plan, edit))
    n += on_node(core, edit->shares, edit->n_shares, node);
  return n;
}

static int gangs_in_plan(struct hsim_core *core, const struct job *job, int *plain) {
  struct hsim_plan *plan = &core->plan;
  int n = 0;
  *plain = 0;
  for (int g = 0; g < job->pub.n_gangs; g++) {
    if (!gang_in_plan(plan, job->gangs[g]))
      continue;
    n++;
    *plain += job->gangs[g]->pub.copy == 0;
  }
  for (struct edit *edit = first_edit(plan, job); edit; edit = next_edit(plan, edit)) {
    n++;
    *plain += edit->copy == 0;
  }
  return n;
}

/* Several gangs of a job are copies on distinct nodes. */
static void check_copies(struct hsim_core *core, const struct job *job) {
  struct hsim_plan *plan = &core->plan;
  int plain;
  if (gangs_in_plan(core, job, &plain) < 2)
    return;
  if (plain > 0)
    plan_broken(plan, job->pub.index, -1, "several gangs that are not copies");
  for (struct edit *edit = first_edit(plan, job); edit; edit = next_edit(plan, edit)) {
    for (int s = 0; s < edit->n_shares; s++) {
      int node = core->config->cluster->bays[edit->shares[s].bay].node;
      if (gangs_on_node(core, job, node) > 1)
        plan_broken(plan, job->pub.index, node, "two copies of a job on one node");
    }
  }
}

static void check_rate(struct hsim_core *core, struct edit *edit) {
  const struct job *job = edit->job;
  edit->rate = placed_rate(core, job, edit->partner, edit->shares, edit->n_shares, edit->size);
  if (!(edit->rate > 0))
    plan_broken(&core->plan, job->pub.index, core->config->cluster->bays[edit->shares[0].bay].node,
                edit->partner >= 0 ? "two jobs that may not share GPUs"
                                   : "the job makes no progress on these GPUs (rate 0)");
}

/* A copy that ends while its job goes on has a row of its own. */
static void tell_copy_ended(struct hsim_core *core, struct change *change,
                            const struct gang *gang) {
  if (gang->pub.copy == 0 || change->new_size == 0 || change->kind == RECORD_END)
    return;
  for (struct edit *edit = first_edit(&core->plan, change->job); edit;
       edit = next_edit(&core->plan, edit))
    if (edit->copy == gang->pub.copy)
      return;
  struct record record = {.kind = change->kind,
                          .time = core->now,
                          .job = gang->pub.job,
                          .copy = gang->pub.copy,
                          .node = -1,
                          .moved = change->told ? 0 : change->moved,
                          .counts = !change->told,
                          .detail = "copy ended"};
  emit_record(core, &record);
  change->told = true;
}

static void end_gangs(struct hsim_core *core, struct change *change) {
  struct hsim_plan *plan = &core->plan;
  struct job *job = change->job;
  bool interrupted = change->kind == RECORD_PREEMPT || change->kind == RECORD_MIGRATE ||
                     change->kind == RECORD_RESIZE;
  if (job->pub.n_gangs > 0)
    segment_end(core, job, interrupted);
  for (struct edit *edit = first_edit(plan, job); edit; edit = next_edit(plan, edit))
    if (edit->same)
      edit->old->gone = 0;
  for (int g = job->pub.n_gangs - 1; g >= 0; g--) {
    struct gang *gang = job->gangs[g];
    bool stays = gang_in_plan(plan, gang);
    for (struct edit *edit = first_edit(plan, job); edit; edit = next_edit(plan, edit))
      stays |= edit->same && edit->old == gang;
    if (stays)
      continue;
    tell_ran(core, gang);
    tell_copy_ended(core, change, gang);
    gang_remove(core, gang, false);
  }
  if (change->kind != RECORD_PREEMPT)
    return;
  account(core, job, 0);
  job_preempted(core, job, "");
  if (job->reasoned == plan->number)
    wait_reason(core, job, (enum hsim_reason)job->next_reason);
}

static double cost_of(const struct hsim_core *core, const struct edit *edit, int job_size) {
  const struct costs *costs = &core->config->costs;
  if (edit->old_size == 0 || job_size == 0)
    return costs->start;
  return edit->old_size == edit->size ? costs->move : costs->resize;
}

static void count_change(struct hsim_core *core, const struct change *change) {
  struct job *job = change->job;
  account(core, job, change->new_size);
  switch (change->kind) {
  case RECORD_START:
    wait_end(core, job);
    if (isnan(job->pub.first_start_s))
      job->pub.first_start_s = core->now;
    job->pub.last_start_s = core->now;
    job->pub.starts++;
    break;
  case RECORD_RESIZE:
    job->pub.resizes++;
    break;
  case RECORD_MIGRATE:
    job->pub.migrations++;
    break;
  default:
    break;
  }
}

static void begin_gangs(struct hsim_core *core, struct change *change) {
  struct hsim_plan *plan = &core->plan;
  struct job *job = change->job;
  if (change->new_size == 0)
    return;
  count_change(core, change);
  bool first = !change->told;
  for (struct edit *edit = first_edit(plan, job); edit; edit = next_edit(plan, edit)) {
    struct gang *gang = edit->old;
    if (edit->same) {
      gang->budget = edit->max_steps;
      gang->stopped = false;
      gang->stall = fmax(gang->stall, edit->stall);
      gang->pub.partner = edit->partner;
      continue;
    }
    gang = gang_add(core, edit, fmax(edit->stall, cost_of(core, edit, change->old_size)));
    if (change->kind != RECORD_END) {
      struct record record = {.kind = change->kind,
                              .time = core->now,
                              .job = job->pub.index,
                              .gang = &gang->pub,
                              .copy = gang->pub.copy,
                              .node = -1,
                              .moved = first ? change->moved : 0,
                              .counts = first};
      emit_record(core, &record);
      first = false;
    }
    emit_gang(core, RECORD_GANG_BEGIN, gang);
  }
  if (first && change->kind != RECORD_END)
    emit_job(core, change->kind, job, "");
  segment_begin(core, job);
}

/* A partner that goes on alone; one that had only waited for the other ends, which changes the list
 * of gangs, so that the search begins anew. */
static void leave_partners(struct hsim_core *core) {
  struct gang *gang = core->gangs;
  while (gang) {
    if (gang->pub.partner < 0 || partner_gang(core, gang)) {
      gang = gang->next;
      continue;
    }
    gang_leave_partner(core, gang);
    gang = core->gangs;
  }
}

static void reject(struct hsim_core *core) {
  struct hsim_plan *plan = &core->plan;
  for (size_t i = 0; i < plan->n_rejected; i++)
    if (!plan->rejected[i].job->ended)
      job_end(core, plan->rejected[i].job, RECORD_REJECT, plan->rejected[i].why);
}

static void give_reasons(struct hsim_core *core) {
  for (size_t i = 0; i < core->n_waiting; i++) {
    struct job *job = core->waiting[i];
    if (!job->ended && job->held == 0 && job->reason < 0)
      wait_reason(core, job, default_reason(core, job));
  }
  core->n_waiting = 0;
}

static bool any_pair(const struct hsim_core *core) {
  const struct hsim_plan *plan = &core->plan;
  for (size_t i = 0; i < plan->n_touched; i++)
    for (int g = 0; g < plan->touched[i]->pub.n_gangs; g++)
      if (plan->touched[i]->gangs[g]->pub.partner >= 0)
        return true;
  return false;
}

enum hsim_status plan_apply(struct hsim_core *core) {
  struct hsim_plan *plan = &core->plan;
  touch_stopped(core);
  if (plan->broken.status == HSIM_OK && plan->n_touched > 0) {
    release_indices(core);
    choose_indices(core);
    for (size_t i = 0; i < plan->n_touched; i++)
      check_copies(core, plan->touched[i]);
    for (size_t e = 0; e < plan->n_edits; e++)
      if (plan->edits[e].job)
        check_rate(core, &plan->edits[e]);
  }
  if (plan->broken.status != HSIM_OK) {
    *core->error = plan->broken;
    return plan->broken.status;
  }
  bool pairs = any_pair(core);
  if (plan->n_touched > plan->changes_capacity)
    plan->changes =
        mem_grow(plan->changes, plan->n_touched, &plan->changes_capacity, sizeof *plan->changes);
  for (size_t i = 0; i < plan->n_touched; i++)
    plan->changes[i] = compare(core, plan->touched[i]);
  for (size_t i = 0; i < plan->n_touched; i++)
    if (plan->changes[i].any)
      end_gangs(core, &plan->changes[i]);
  reject(core);
  for (size_t i = 0; i < plan->n_touched; i++)
    if (plan->changes[i].any)
      begin_gangs(core, &plan->changes[i]);
  if (pairs)
    leave_partners(core);
  give_reasons(core);
  return HSIM_OK;
}

/* The engine itself takes the gang away. A sudden end costs what an interruption costs. */
void gang_take_away(struct hsim_core *core, struct gang *gang, bool sudden, const char *why) {
  struct job *job = gang->job;
  if (job->finish_held) { /* done already, and only waited for its partner */
    segment_end(core, job, false);
    job_end(core, job, RECORD_FINISH, "");
    return;
  }
  if (sudden)
    segment_end_failed(core, gang);
  else
    segment_end(core, job, false);
  tell_ran(core, gang);
  int held = job->held - gang->pub.size, copy = gang->pub.copy;
  gang_remove(core, gang, true);
  account(core, job, held);
  core->due = core->freed = true;
  if (held > 0) {
    bool counted = job->shrunk_at == core->now && job->shrunk_call == core->result->policy_calls;
    job->shrunk_at = core->now;
    job->shrunk_call = core->result->policy_calls;
    job->pub.resizes += !counted;
    struct record record = {.kind = RECORD_RESIZE,
                            .time = core->now,
                            .job = job->pub.index,
                            .copy = copy,
                            .node = -1,
                            .counts = !counted,
                            .detail = why};
    emit_record(core, &record);
    segment_begin(core, job);
    return;
  }
  job_preempted(core, job, why);
  if (core->n_stopped == core->stopped_capacity)
    core->stopped =
        mem_grow(core->stopped, core->n_stopped + 1, &core->stopped_capacity, sizeof(struct job *));
  core->stopped[core->n_stopped++] = job;
}

static void gangs_lose_node(struct hsim_core *core, int node, bool sudden) {
  for (struct gang *gang = core->gangs; gang;) {
    if (!on_node(core, gang->shares, gang->pub.n_shares, node)) {
      gang = gang->next;
      continue;
    }
    gang_take_away(core, gang, sudden, sudden ? "node down" : "node drained");
    gang = core->gangs; /* a partner may have gone with it */
  }
}

bool node_change(struct hsim_core *core, int node, enum node_state state) {
  bool up = state == NODE_UP;
  if (core->node_up[node] == up)
    return false;
  const struct hsim_node *n = &core->config->cluster->nodes[node];
  core->node_up[node] = up;
  if (!up) {
    free_gpus_set_node(&core->gpus, node, false);
    gangs_lose_node(core, node, state == NODE_DOWN);
    idle_release(core, node);
  } else {
    free_gpus_set_node(&core->gpus, node, true);
  }
  for (int b = n->first_bay; b < n->first_bay + n->n_bays; b++)
    core->type_up[core->config->cluster->bays[b].type] +=
        up ? core->config->cluster->bays[b].gpus : -core->config->cluster->bays[b].gpus;
  core->freed = core->freed || up;
  struct record record = {.kind = up ? RECORD_NODE_UP : RECORD_NODE_DOWN,
                          .time = core->now,
                          .job = -1,
                          .node = node,
                          .detail = state == NODE_DRAINED ? "drained" : ""};
  emit_record(core, &record);
  core->due = true;
  return true;
}
