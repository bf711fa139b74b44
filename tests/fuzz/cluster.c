/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cluster files: JSON and the published lists. */
#include "input/cluster.h"
#include "fuzz.h"

static struct fuzz_file file;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_file_make(&file);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct hsim_error error = {.text = ""};
  struct cluster cluster;
  fuzz_file_fill(&file, data, size);
  enum hsim_status status = cluster_read(file.path, &cluster, &error);
  fuzz_check_status(status, &error);
  if (status != HSIM_OK)
    return 0;
  int gpus = 0;
  for (int t = 0; t < cluster.view.n_types; t++)
    gpus += cluster.view.type_gpus[t];
  FUZZ_CHECK(gpus == cluster.view.n_gpus && gpus > 0 && gpus <= CLUSTER_MAX_GPUS);
  cluster_free(&cluster);
  return 0;
}
