/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hsim/types.h"
#include "model/memory.h"

static void blocks_hold_what_they_should(void **state) {
  (void)state;
  void *nothing = mem_alloc(0, 8);
  assert_non_null(nothing);
  free(nothing);
  unsigned char *zeros = mem_zero(1000, 3);
  for (int i = 0; i < 3000; i++)
    assert_int_equal(zeros[i], 0);
  zeros[2999] = 7;
  zeros = mem_resize(zeros, 100000, 3);
  assert_int_equal(zeros[2999], 7);
  free(zeros);
  char *copy = mem_text_n("abcdef", 3);
  assert_string_equal(copy, "abc");
  free(copy);
  copy = mem_text("");
  assert_string_equal(copy, "");
  free(copy);
}

static void growing_keeps_elements_and_amortises(void **state) {
  (void)state;
  int *numbers = NULL;
  size_t capacity = 0;
  int moves = 0;
  for (int i = 0; i < 100000; i++) {
    size_t before = capacity;
    numbers = mem_grow(numbers, (size_t)i + 1, &capacity, sizeof *numbers);
    assert_true(capacity > (size_t)i);
    moves += capacity != before;
    numbers[i] = 3 * i;
  }
  for (int i = 0; i < 100000; i++)
    assert_int_equal(numbers[i], 3 * i);
  assert_in_range(moves, 1, 30);
  size_t same = capacity;
  numbers = mem_grow(numbers, 10, &capacity, sizeof *numbers);
  assert_int_equal(capacity, same);
  numbers = mem_grow(numbers, 10 * same, &capacity, sizeof *numbers);
  assert_int_equal(capacity, 10 * same);
  free(numbers);
}

static void arena_pieces_are_aligned_and_apart(void **state) {
  (void)state;
  enum { N = 3000 };
  struct arena arena = {0};
  unsigned char *pieces[N];
  size_t sizes[N];
  for (size_t i = 0; i < N; i++) {
    sizes[i] = i % 97 == 0 ? 50000 + i : i % 61;
    pieces[i] =
        i % 3 == 0 ? (unsigned char *)arena_text(&arena, "", 0) : arena_alloc(&arena, sizes[i]);
    if (i % 3 == 0)
      sizes[i] = 1;
    else
      assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
    memset(pieces[i], (int)(i % 251), sizes[i]);
  }
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < sizes[i]; j++)
      assert_int_equal(pieces[i][j], i % 251);
  arena_free(&arena);
  assert_null(arena.blocks);
  arena_free(&arena);
}

static void arena_texts_end_in_nul(void **state) {
  (void)state;
  struct arena arena = {0};
  char *first = arena_text(&arena, "hello world", 5);
  char *big = mem_alloc(1000000, 1);
  memset(big, 'x', 1000000);
  char *second = arena_text(&arena, big, 1000000);
  free(big);
  assert_string_equal(first, "hello");
  assert_int_equal(strlen(second), 1000000);
  arena_free(&arena);
}

/* The process that runs `call` must end with HSIM_FAILED and say why. */
static void assert_ends_out_of_memory(void (*call)(void)) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    call();
    _exit(0);
  }
  close(ends[1]);
  char text[200] = "";
  assert_true(read(ends[0], text, sizeof text - 1) > 0);
  close(ends[0]);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), HSIM_FAILED);
  assert_string_equal(text, "hsim: out of memory\n");
}

static void ask_product(void) {
  mem_alloc(SIZE_MAX / 2, 3);
}
static void ask_zero(void) {
  mem_zero(SIZE_MAX, SIZE_MAX);
}
static void ask_resize(void) {
  mem_resize(NULL, SIZE_MAX / 4, 8);
}
static void ask_text(void) {
  mem_text_n("", SIZE_MAX);
}
static void ask_arena(void) {
  struct arena arena = {0};
  arena_alloc(&arena, SIZE_MAX - 8);
}

static void too_much_ends_the_process(void **state) {
  (void)state;
  assert_ends_out_of_memory(ask_product);
  assert_ends_out_of_memory(ask_zero);
  assert_ends_out_of_memory(ask_resize);
  assert_ends_out_of_memory(ask_text);
  assert_ends_out_of_memory(ask_arena);
}

static void errors_are_one_line(void **state) {
  (void)state;
  struct hsim_error error = {0};
  assert_int_equal(hsim_fail(&error, HSIM_BAD_INPUT, "line %d: \"%s\"", 7, "a\nb\t\x7f\r\xc3\xa9"),
                   HSIM_BAD_INPUT);
  assert_int_equal(error.status, HSIM_BAD_INPUT);
  assert_string_equal(error.text, "line 7: \"a b   \xc3\xa9\"");
  assert_int_equal(hsim_fail(NULL, HSIM_BUG, "%s", "nobody listens"), HSIM_BUG);
  char *big = mem_alloc(5001, 1);
  memset(big, 'x', 5000);
  big[5000] = '\0';
  hsim_fail(&error, HSIM_FAILED, "%s", big);
  free(big);
  assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

/* Blocks of all sizes come and go as before, small ones and ones beyond the stretch. */
static void test_prepared_heap(void **state) {
  (void)state;
  mem_prepare_heap();
  for (size_t size = 1; size < (size_t)256 << 20; size *= 3) {
    unsigned char *block = mem_zero(size, 1);
    assert_int_equal(block[size - 1], 0);
    block[size - 1] = 7;
    block = mem_resize(block, size * 2, 1);
    assert_int_equal(block[size - 1], 7);
    free(block);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_prepared_heap),
      cmocka_unit_test(blocks_hold_what_they_should),
      cmocka_unit_test(growing_keeps_elements_and_amortises),
      cmocka_unit_test(arena_pieces_are_aligned_and_apart),
      cmocka_unit_test(arena_texts_end_in_nul),
      cmocka_unit_test(too_much_ends_the_process),
      cmocka_unit_test(errors_are_one_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
