/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy/voda/queues.h"

#include <math.h>

#include "policy/voda/allocate.h"

void voda_clock_start(struct voda_clock *clock, const struct voda_queue_rules *rules, double now,
                      double priority) {
  double last = rules->as_coded ? 1e9 : VODA_QUEUES - 1;
  *clock = (struct voda_clock){.queue = (int)fmin(fmax(priority, 0), last), .tick_s = now};
}

static bool is_tick(const struct voda_queue_rules *rules, double now) {
  return rules->tick_s <= 0 || fmod(now, rules->tick_s) == 0;
}

/* The whole interval since the last tick goes to what the job does now. */
static bool tick_as_coded(struct voda_clock *clock, const struct voda_queue_rules *rules,
                          const struct voda_service *service) {
  double interval = service->now - clock->tick_s;
  clock->tick_s = service->now;
  if (service->workers > 0) {
    clock->run_s += interval;
    clock->last_run_s += interval;
    clock->last_gpu_s += interval * service->workers;
  } else {
    clock->last_wait_s += interval;
  }
  double threshold = clock->queue == 0 ? rules->threshold : INFINITY;
  if (clock->last_gpu_s > threshold) {
    clock->queue = clock->queue + 1 < VODA_QUEUES ? clock->queue + 1 : VODA_QUEUES - 1;
    return true;
  }
  bool due = rules->promote > 0 && clock->last_wait_s >= rules->promote * clock->last_run_s;
  if (!due || clock->queue == 0)
    return false;
  clock->queue = 0;
  return true;
}

/* When a job that waits below the first queue is promoted. */
static double promotion_s(const struct voda_clock *clock, const struct voda_queue_rules *rules,
                          const struct voda_service *service) {
  if (clock->queue == 0 || service->workers > 0 || service->run_s <= 0 || rules->promote <= 0 ||
      isinf(rules->promote))
    return INFINITY;
  return service->stopped_s + rules->promote * (service->run_s - clock->from_run_s);
}

static bool sinks(const struct voda_clock *clock, const struct voda_queue_rules *rules,
                  const struct voda_service *service) {
  return clock->queue == 0 && service->workers > 0 &&
         service->gpu_s - clock->from_gpu_s >= rules->threshold;
}

bool voda_clock_update(struct voda_clock *clock, const struct voda_queue_rules *rules,
                       const struct voda_service *service) {
  if (!is_tick(rules, service->now))
    return false;
  if (rules->as_coded)
    return tick_as_coded(clock, rules, service);
  if (sinks(clock, rules, service)) {
    clock->queue = VODA_QUEUES - 1;
    return true;
  }
  if (service->now < promotion_s(clock, rules, service))
    return false;
  clock->queue = 0;
  clock->from_gpu_s = service->gpu_s;
  clock->from_run_s = service->run_s;
  return true;
}

double voda_clock_next(const struct voda_clock *clock, const struct voda_queue_rules *rules,
                       const struct voda_service *service) {
  double now = service->now, next = promotion_s(clock, rules, service);
  if (rules->as_coded)
    next = now;
  else if (clock->queue == 0 && service->workers > 0)
    next = now + (rules->threshold - (service->gpu_s - clock->from_gpu_s)) / service->workers;
  if (isinf(next))
    return next;
  next = fmax(next, nextafter(now, INFINITY)); /* rounding may leave it just short of now */
  if (rules->tick_s <= 0)
    return next;
  double ticks = ceil(next / rules->tick_s);
  while (ticks * rules->tick_s <= now)
    ticks++;
  return ticks * rules->tick_s;
}

bool voda_clock_began(struct voda_clock *clock) {
  clock->last_run_s = clock->last_gpu_s = 0;
  return clock->run_s <= 0;
}

void voda_clock_halted(struct voda_clock *clock) {
  clock->last_wait_s = 0;
}
