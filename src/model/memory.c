/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/memory.h"

#include <limits.h>
#include <malloc.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hsim/types.h"

enum { ARENA_FIRST_BLOCK = 4096, ARENA_LARGEST_BLOCK = 1 << 18 };

struct arena_block {
  struct arena_block *next;
  size_t used, size; /* bytes of `data` */
  alignas(max_align_t) unsigned char data[];
};

void mem_fail(void) {
  fputs("hsim: out of memory\n", stderr);
  exit(HSIM_FAILED);
}

static size_t bytes_of(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    mem_fail();
  return bytes == 0 ? 1 : bytes;
}

static size_t sum_of(size_t a, size_t b) {
  size_t sum;
  if (__builtin_add_overflow(a, b, &sum))
    mem_fail();
  return sum;
}

void *mem_alloc(size_t count, size_t size) {
  void *block = malloc(bytes_of(count, size));
  if (block == NULL)
    mem_fail();
  return block;
}

void *mem_zero(size_t count, size_t size) {
  void *block = calloc(1, bytes_of(count, size));
  if (block == NULL)
    mem_fail();
  return block;
}

void *mem_resize(void *block, size_t count, size_t size) {
  void *moved = realloc(block, bytes_of(count, size));
  if (moved == NULL)
    mem_fail();
  return moved;
}

char *mem_text_n(const char *text, size_t n) {
  char *copy = mem_alloc(sum_of(n, 1), 1);
  if (n > 0)
    memcpy(copy, text, n);
  copy[n] = '\0';
  return copy;
}

char *mem_text(const char *text) {
  return mem_text_n(text, strlen(text));
}

void *mem_grow(void *block, size_t needed, size_t *capacity, size_t size) {
  if (needed <= *capacity)
    return block;
  size_t larger = sum_of(*capacity, *capacity / 2);
  if (larger < needed)
    larger = needed;
  if (larger < 8)
    larger = 8;
  block = mem_resize(block, larger, size);
  *capacity = larger;
  return block;
}

static struct arena_block *new_block(size_t size) {
  struct arena_block *block = mem_alloc(sum_of(sizeof(struct arena_block), size), 1);
  block->next = NULL;
  block->used = 0;
  block->size = size;
  return block;
}

/* The first block is small, since most arenas stay small; later ones double. */
static void *take(struct arena *arena, size_t size, size_t alignment) {
  struct arena_block *head = arena->blocks;
  if (head != NULL) {
    size_t start = (head->used + alignment - 1) / alignment * alignment;
    if (start <= head->size && size <= head->size - start) {
      head->used = start + size;
      return head->data + start;
    }
  }
  size_t block_size = head == NULL ? ARENA_FIRST_BLOCK : 2 * head->size;
  if (block_size > ARENA_LARGEST_BLOCK)
    block_size = ARENA_LARGEST_BLOCK;
  if (head != NULL && size > block_size / 4) { /* its own block; the head still has room */
    struct arena_block *own = new_block(size);
    own->used = size;
    own->next = head->next;
    head->next = own;
    return own->data;
  }
  struct arena_block *block = new_block(size > block_size ? size : block_size);
  block->used = size;
  block->next = head;
  arena->blocks = block;
  return block->data;
}

void *arena_alloc(struct arena *arena, size_t size) {
  return take(arena, size, alignof(max_align_t));
}

char *arena_text(struct arena *arena, const char *text, size_t n) {
  char *copy = take(arena, sum_of(n, 1), 1);
  if (n > 0)
    memcpy(copy, text, n);
  copy[n] = '\0';
  return copy;
}

void arena_free(struct arena *arena) {
  struct arena_block *block = arena->blocks;
  while (block != NULL) {
    struct arena_block *next = block->next;
    free(block);
    block = next;
  }
  arena->blocks = NULL;
}

void arena_reset(struct arena *arena) {
  struct arena_block *head = arena->blocks;
  if (head == NULL)
    return;
  struct arena others = {head->next};
  arena_free(&others);
  head->next = NULL;
  head->used = 0;
}

void mem_prepare_heap(void) {
  enum { STRETCH = 64 << 20, HUGE_PAGE = 2 << 20 };
  mallopt(M_TOP_PAD, STRETCH);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, STRETCH / 2);
  char *before = sbrk(0);
  free(mem_alloc(HUGE_PAGE, 1)); /* more than is left of the first heap: it grows */
  char *end = sbrk(0);
  if (end - before < STRETCH)
    return; /* another allocator than glibc's, or no room: nothing is gained or lost */
  char *start = before + (-(uintptr_t)before & (HUGE_PAGE - 1));
  madvise(start, (size_t)(end - start), MADV_HUGEPAGE); /* a wish, which may be refused */
}
