/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/builtin.h"

#include <stdint.h>
#include <string.h>

#ifndef HSIM_CONFIGS_DIR
#error "HSIM_CONFIGS_DIR must be the path of configs/ as a string literal"
#endif

/* The assembler's .incbin takes the file as it is; no generated source, no copy at start. The size
 * is a word beside the bytes, since C cannot subtract the addresses of two objects. */
#define EMBED(symbol, file)                                                                        \
  __asm__(".section .rodata\n"                                                                     \
          ".balign 16\n"                                                                           \
          ".hidden " symbol "\n"                                                                   \
          ".globl " symbol "\n" symbol ":\n"                                                       \
          ".incbin \"" HSIM_CONFIGS_DIR file "\"\n" symbol "_end:\n"                               \
          ".balign 8\n"                                                                            \
          ".hidden " symbol "_size\n"                                                              \
          ".globl " symbol "_size\n" symbol "_size:\n"                                             \
          ".quad " symbol "_end - " symbol "\n"                                                    \
          ".text\n")

EMBED("hsim_builtin_rates", "/rates/gavel_simulation.csv");
EMBED("hsim_builtin_cluster", "/clusters/hadar.json");

extern const char hsim_builtin_rates[];
extern const uint64_t hsim_builtin_rates_size;
extern const char hsim_builtin_cluster[];
extern const uint64_t hsim_builtin_cluster_size;

bool builtin_find(const char *name, struct builtin *builtin) {
  if (strcmp(name, "gavel_simulation") == 0)
    *builtin = (struct builtin){hsim_builtin_rates, (size_t)hsim_builtin_rates_size};
  else if (strcmp(name, "hadar60") == 0)
    *builtin = (struct builtin){hsim_builtin_cluster, (size_t)hsim_builtin_cluster_size};
  else
    return false;
  return true;
}
