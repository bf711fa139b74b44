/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user may choose about Voda. */
#ifndef HSIM_POLICY_VODA_SETTINGS_H
#define HSIM_POLICY_VODA_SETTINGS_H

#include "hsim/policy.h"
#include "policy/voda/allocate.h"
#include "policy/voda/placement.h"
#include "policy/voda/queues.h"

enum voda_info { VODA_PROFILE, VODA_LEARN, VODA_LITERAL };

struct voda_settings {
  struct voda_rules rules;
  struct voda_queue_rules queues;
  enum voda_info info;
  double epochs; /* of a job that gives none */
  double rate_limit_s;
  enum voda_method method;
  enum voda_tie tie;
  bool needs_info;   /* the algorithm looks at speedups or remaining times */
  bool needs_queues; /* it looks at queues */
};

enum { N_VODA_OPTIONS = 12 };
extern const struct hsim_option voda_options[];

void voda_settings_read(struct voda_settings *settings, const struct hsim_value *values);

/* hsim_policy's `settled`: the timer's interval as coded. */
const char *voda_settled(const struct hsim_value *values, int option);

#endif
