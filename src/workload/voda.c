/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The experiments of Voda (Hsieh, NTHU 2021; IC2E'23), from the author's settings and logs: 24
 * elastic jobs of four kinds. A step is a second on one GPU: the work of each kind is its epochs
 * times the one-GPU seconds of an epoch.
 */
#include <string.h>

#include "workload/workload.h"

enum { N_JOBS = 24 };

static const struct kind {
  char letter;
  const char *model;
  int epochs;
  int epoch_s;
} kinds[] = {{'v', "VGG16", 50, 25},
             {'r', "ResNet50", 50, 26},
             {'i', "InceptionV3", 50, 70},
             {'t', "Transformer", 40, 58}};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static const char sequence[] = "irivvttiritvvritirvtvrrt";

static const int times[2][N_JOBS] = {{0,   22,  49,  78,  99,  121, 147, 181, 217, 243, 269, 293,
                                      319, 347, 375, 410, 432, 453, 485, 506, 545, 583, 608, 635},
                                     {0,    6,    10,   39,   65,   159,  801,  1000,
                                      1261, 1526, 1543, 1568, 1678, 1721, 1722, 1732,
                                      1734, 1884, 2670, 3039, 3056, 3070, 3192, 3216}};

void workload_voda(const struct workload_spec *spec, struct workload *workload) {
  for (int k = 0; k < N_KINDS; k++)
    names_add(&workload->models, kinds[k].model, strlen(kinds[k].model));
  for (int i = 0; i < N_JOBS && i < spec->n_jobs; i++) {
    int k = 0;
    while (kinds[k].letter != sequence[i])
      k++;
    struct hsim_job *job = workload_add(workload, times[spec->hard ? 1 : 0][i], k, 2);
    job->max_workers = 4;
    job->epochs = kinds[k].epochs;
    job->steps = (double)kinds[k].epochs * kinds[k].epoch_s;
  }
}
