/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who holds which GPU until when. Every GPU that is given away carries a lease; when it ends the
 * GPU is free again. Holders are numbers of the policy's own (bidders).
 */
#ifndef HSIM_POLICY_THEMIS_LEASES_H
#define HSIM_POLICY_THEMIS_LEASES_H

#include "hsim/view.h"

struct themis_lease {
  int holder;   /* -1: free */
  int previous; /* the last holder before, -1 */
  int next;     /* the holder's next GPU in ascending order, -1 */
  double end_s;
  bool down, used; /* its node is down; it was given away before */
};

struct themis_leases {
  const struct hsim_cluster *cluster;
  struct themis_lease *gpus; /* [n_gpus] */
  int *free;                 /* [n_bays] GPUs that are up and free */
  int *bay_of;               /* [n_gpus] */
  int n_free;
};

void themis_leases_init(struct themis_leases *leases, const struct hsim_cluster *cluster);
void themis_leases_free(struct themis_leases *leases);

/* `head` is the holder's first GPU, -1: none. */
void themis_lease_grant(struct themis_leases *leases, int *head, int holder, int gpu, double end_s);
void themis_lease_release(struct themis_leases *leases, int *head, int gpu);

/* The free GPU of a bay that suits the holder best: one that it held last; one in the slot where it
 * holds most; the lowest. */
int themis_lease_pick(const struct themis_leases *leases, int bay, int holder);

/* A node goes down or comes up. Its GPUs must be free. */
void themis_leases_node(struct themis_leases *leases, int node, bool up);

#endif
