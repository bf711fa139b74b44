/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the exit codes mean, for --help and the manual. */
#ifndef HSIM_CLI_EXIT_CODES_H
#define HSIM_CLI_EXIT_CODES_H

#include <stdio.h>

#include "hsim/types.h"

struct exit_code {
  enum hsim_status code;
  const char *meaning;
};
extern const struct exit_code exit_codes[];
extern const int n_exit_codes;

void exit_codes_print(FILE *out);

#endif
