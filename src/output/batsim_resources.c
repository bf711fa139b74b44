/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/batsim.h"
#include "output/csv.h"

void batsim_resources(struct out *out, const struct hsim_cluster *cluster, bool seeded) {
  (void)seeded; /* a call with one run */
  out_text(out, "resource,node,gpu_type,index\n");
  for (int b = 0; b < cluster->n_bays; b++) {
    const struct hsim_bay *bay = &cluster->bays[b];
    const struct hsim_node *node = &cluster->nodes[bay->node];
    for (int gpu = bay->first_gpu; gpu < bay->first_gpu + bay->gpus; gpu++) {
      out_int(out, gpu);
      out_char(out, ',');
      csv_field(out, node->name);
      out_char(out, ',');
      csv_field(out, cluster->type_names[bay->type]);
      out_char(out, ',');
      out_int(out, gpu - cluster->bays[node->first_bay].first_gpu);
      out_char(out, '\n');
    }
  }
}
