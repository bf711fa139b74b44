/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of an input, block by block: a file, standard input ("-"), or a file compiled into the
 * program ("builtin:NAME"). Gzip data is recognised by its content and inflated on the way; memory
 * does not grow with the input. The digest is that of the bytes read, so the compressed ones.
 */
#ifndef HSIM_INPUT_SOURCE_H
#define HSIM_INPUT_SOURCE_H

#include "hsim/types.h"

struct source;

/* On success the caller owns *source and calls source_close. */
enum hsim_status source_open(const char *path, struct source **source, struct hsim_error *error);

/* The same over `n` bytes that stay valid and unchanged until source_close. */
enum hsim_status source_open_memory(const char *name, const void *bytes, size_t n,
                                    struct source **source, struct hsim_error *error);

/* The name for messages. */
const char *source_name(const struct source *source);

/* The next block, valid until the next call; *n is 0 only at the end. */
enum hsim_status source_read(struct source *source, const char **block, size_t *n,
                             struct hsim_error *error);

/* The block that the first source_read will give: at least 64 KiB unless the input is shorter. */
const char *source_peek(const struct source *source, size_t *n);

/* About how many lines the input has, going by its size and its first block; 0 when its size is
 * not known. */
size_t source_expected_lines(const struct source *source);

/* All that is left, at most `limit` bytes, with a NUL behind it; the caller frees *text. */
enum hsim_status source_read_all(struct source *source, size_t limit, char **text, size_t *n,
                                 struct hsim_error *error);

/* Reads what is left and gives the SHA-256 of the whole input in hexadecimal. Once. */
enum hsim_status source_digest(struct source *source, char sha256[65], struct hsim_error *error);

void source_close(struct source *source); /* NULL is fine */

#endif
