/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other files: rates as CSV or JSON, speedups, efficiencies, costs. */
#include <math.h>

#include "fuzz.h"
#include "input/costs.h"
#include "input/rates.h"

static struct fuzz_file file, base;

/* A table that the smaller files can add to. */
static const char base_text[] = "gpu_type,model,workers,steps_per_second\n"
                                "fast,small,1,10\nfast,small,2,18\nslow,large (batch size 8),1,2\n";

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_file_make(&file);
  fuzz_file_make(&base);
  fuzz_file_fill(&base, (const uint8_t *)base_text, sizeof base_text - 1);
  return 0;
}

static void read_rates(void) {
  struct hsim_error error = {.text = ""};
  struct rates rates;
  enum hsim_status status = rates_read(file.path, &rates, &error);
  fuzz_check_status(status, &error);
  if (status == HSIM_OK)
    rates_free(&rates);
}

static void read_beside(enum hsim_status (*read)(const char *path, struct rates *rates,
                                                 struct hsim_error *error)) {
  struct hsim_error error = {.text = ""};
  struct rates rates;
  FUZZ_CHECK(rates_read(base.path, &rates, &error) == HSIM_OK);
  enum hsim_status status = read(file.path, &rates, &error);
  fuzz_check_status(status, &error);
  rates_free(&rates);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct hsim_error error = {.text = ""};
  struct costs costs;
  fuzz_file_fill(&file, data, size);
  read_rates();
  read_beside(rates_read_speedup);
  read_beside(rates_read_efficiency);
  enum hsim_status status = costs_read(file.path, &costs, &error);
  fuzz_check_status(status, &error);
  FUZZ_CHECK(status != HSIM_OK || (costs.start >= 0 && isfinite(costs.start)));
  return 0;
}
