/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the fuzz targets share: an input as a file that the readers can open. */
#ifndef HSIM_TESTS_FUZZ_H
#define HSIM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hsim/types.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition)                                                                      \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

/* A file in memory, made once. */
struct fuzz_file {
  int fd;
  char path[40];
};

static inline void fuzz_file_make(struct fuzz_file *file) {
  file->fd = memfd_create("fuzz", 0);
  FUZZ_CHECK(file->fd >= 0);
  snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
}

static inline void fuzz_file_fill(const struct fuzz_file *file, const uint8_t *data, size_t size) {
  FUZZ_CHECK(ftruncate(file->fd, 0) == 0);
  FUZZ_CHECK(pwrite(file->fd, data, size, 0) == (ssize_t)size);
}

/* A failure says why, a success nothing. */
static inline void fuzz_check_status(enum hsim_status status, const struct hsim_error *error) {
  FUZZ_CHECK(status == HSIM_OK || status == HSIM_BAD_INPUT || status == HSIM_BAD_USAGE);
  FUZZ_CHECK(status == HSIM_OK || (error->status == status && error->text[0] != '\0'));
}

#endif
