/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/exit_codes.h"

const struct exit_code exit_codes[] = {
    {HSIM_OK, "done"},
    {HSIM_BAD_INPUT, "wrong input data, or no job could run"},
    {HSIM_BAD_USAGE, "wrong usage"},
    {HSIM_DIFFERS, "a figure differs from the baseline"},
    {HSIM_FAILED, "a policy or the solver failed, or an output could not be written"},
    {HSIM_BUG, "a bug in hsim"},
    {HSIM_INTERRUPTED, "interrupted; the results so far are printed"},
};
const int n_exit_codes = sizeof exit_codes / sizeof exit_codes[0];

void exit_codes_print(FILE *out) {
  fputs("\nExit status\n", out);
  for (int i = 0; i < n_exit_codes; i++)
    fprintf(out, "  %-28d%s\n", (int)exit_codes[i].code, exit_codes[i].meaning);
}
