/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation that cannot return NULL: a run that is out of memory cannot go on, so these end the
 * process with a message and HSIM_FAILED. Sizes are checked for overflow.
 */
#ifndef HSIM_MODEL_MEMORY_H
#define HSIM_MODEL_MEMORY_H

#include <stddef.h>

/* Ends the process so. For those who allocate by other means. */
_Noreturn void mem_fail(void);

void *mem_alloc(size_t count, size_t size); /* uninitialised; count * size bytes, at least 1 */
void *mem_zero(size_t count, size_t size);  /* all bytes 0 */
void *mem_resize(void *block, size_t count, size_t size);
char *mem_text(const char *text); /* a copy */
char *mem_text_n(const char *text, size_t n);

/* Makes room for one more element: *capacity grows by half. Returns the (moved) block. */
void *mem_grow(void *block, size_t needed, size_t *capacity, size_t size);

/* Once, first of all: the heap grows in one large stretch, on huge pages where the system has them
 * on request, and is not given back before the end. Short runs spend much of their time on page
 * faults otherwise. Only address space is taken: what is not used costs no memory. */
void mem_prepare_heap(void);

/* Many small pieces freed at once; pieces are aligned for any type. Zero-initialise it. */
struct arena {
  struct arena_block *blocks;
};
void *arena_alloc(struct arena *arena, size_t size);
char *arena_text(struct arena *arena, const char *text, size_t n);
void arena_free(struct arena *arena);
void arena_reset(struct arena *arena); /* forgets all pieces, keeps a block for the next ones */

#endif
