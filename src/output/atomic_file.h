/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A buffered output file that appears whole or not at all. The bytes go to a temporary file in the
 * target's folder, which is synced and renamed over it by out_commit; until then, and after
 * out_discard, the target is untouched. The file has no name before out_commit where the system
 * allows that, so that nothing is left of it however the process ends. What cannot be replaced by
 * renaming (a pipe, a terminal, /dev/full, an inherited descriptor) is written directly.
 *
 * Writing never fails on the spot: the first error is kept, later bytes are dropped, and
 * out_commit or out_flush reports it with the path. So a loop of writes needs no checks.
 */
#ifndef HSIM_OUTPUT_ATOMIC_FILE_H
#define HSIM_OUTPUT_ATOMIC_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "hsim/types.h"
#include "model/number.h"

struct out {
  int fd;       /* -1: not open */
  bool own_fd;  /* out_commit closes it */
  int error;    /* errno of the first failure, 0: none */
  char *path;   /* as given, for messages */
  char *target; /* what rename replaces, NULL when written directly */
  char *temp;   /* the name of the file being written, NULL when it has none */
  char *buffer;
  size_t used;
};

/* Opens for writing. `-` and /dev/stdout are the standard output, /dev/stderr and /dev/fd/N the
 * descriptors they name, sharing their file position. A symbolic link is followed. The file gets
 * the mode of the one it replaces, or what the umask leaves of 0666. On failure *out is closed. */
enum hsim_status out_open(struct out *out, const char *path, struct hsim_error *error);

/* Writes to an open descriptor, which stays the caller's. `name` is for messages (copied). */
void out_open_fd(struct out *out, int fd, const char *name);

void out_bytes(struct out *out, const char *bytes, size_t n);
void out_text(struct out *out, const char *text);
void out_char(struct out *out, char c);
/* The shortest decimal that reads back as the same double; nothing at all for a NaN. */
void out_number(struct out *out, double value);
void out_int(struct out *out, long long value);

/* Appends all of a readable descriptor: a file from its start, else what comes. A read error is
 * kept like a write error. */
void out_append_fd(struct out *out, int fd);

/* Hands the buffered bytes to the system. HSIM_FAILED with path and reason on any error so far. */
enum hsim_status out_flush(struct out *out, struct hsim_error *error);
/* Flushes, syncs, closes and renames, and frees what `out` owns in any case; on failure the
 * temporary file is removed and the target is as it was. */
enum hsim_status out_commit(struct out *out, struct hsim_error *error);
/* Closes without a trace (what was written directly stays written). Harmless after out_commit and
 * on an all-zero struct. */
void out_discard(struct out *out);

#endif
