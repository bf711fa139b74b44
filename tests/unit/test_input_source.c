/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/stat.h>
#include <zlib.h>

#include "input_fixture.h"

#include "input/source.h"

enum { MUCH = 200000 };

/* Gzip of `text` as one member, at `out`; returns its size. */
static size_t member(const void *text, size_t n, uint8_t *out, size_t size) {
  z_stream z = {.next_in = (Bytef *)(uintptr_t)text,
                .avail_in = (uInt)n,
                .next_out = out,
                .avail_out = (uInt)size};
  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  deflateEnd(&z);
  return size - z.avail_out;
}

static enum hsim_status read_file(const char *name, char **text, size_t *n, char sha256[65],
                                  struct hsim_error *error) {
  struct source *source;
  enum hsim_status status = source_open(name, &source, error);
  if (status != HSIM_OK)
    return status;
  status = source_read_all(source, 1 << 24, text, n, error);
  if (status == HSIM_OK && source_digest(source, sha256, error) != HSIM_OK)
    fail();
  source_close(source);
  return status;
}

static void expect_text(const char *name, const void *text, size_t n) {
  struct hsim_error error = {.text = ""};
  char *got, sha256[65];
  size_t got_n;
  if (read_file(name, &got, &got_n, sha256, &error) != HSIM_OK)
    fail_msg("%s", error.text);
  assert_int_equal(got_n, n);
  assert_memory_equal(got, text, n);
  free(got);
  unlink(name);
}

static void expect_error(const char *name, const char *expected) {
  struct hsim_error error = {.text = ""};
  char *got, sha256[65];
  size_t n;
  assert_int_equal(read_file(name, &got, &n, sha256, &error), HSIM_BAD_INPUT);
  assert_string_equal(error.text, expected);
}

static char *much_text(void) {
  char *text = malloc(MUCH);
  assert_non_null(text);
  uint32_t x = 1;
  for (size_t i = 0; i < MUCH; i++) {
    x = x * 1664525u + 1013904223u;
    text[i] = (char)("0123456789abcdef"[x >> 28]);
  }
  return text;
}

static void test_plain_and_digest(void **state) {
  (void)state;
  struct hsim_error error;
  char *text, sha256[65];
  size_t n;
  write_text("abc", "abc");
  assert_int_equal(read_file("abc", &text, &n, sha256, &error), HSIM_OK);
  assert_string_equal(text, "abc");
  assert_string_equal(sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  free(text);
  write_text("abc", "");
  assert_int_equal(read_file("abc", &text, &n, sha256, &error), HSIM_OK);
  assert_int_equal(n, 0);
  assert_string_equal(sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  free(text);
  unlink("abc");
}

static void test_blocks(void **state) {
  (void)state;
  char *text = much_text();
  write_bytes("much", text, MUCH);
  expect_text("much", text, MUCH);
  free(text);
}

static void test_gzip(void **state) {
  (void)state;
  char *text = much_text();
  uint8_t *packed = malloc(2 * MUCH);
  assert_non_null(packed);
  size_t n = member(text, MUCH, packed, 2 * MUCH);
  write_bytes("a.gz", packed, n);
  expect_text("a.gz", text, MUCH);
  write_bytes("any-name", packed, n); /* the content decides */
  expect_text("any-name", text, MUCH);

  n = member(text, 100000, packed, 2 * MUCH);
  n += member(text + 100000, 1, packed + n, 2 * MUCH - n);
  n += member(text, 0, packed + n, 2 * MUCH - n);
  n += member(text + 100001, MUCH - 100001, packed + n, 2 * MUCH - n);
  memset(packed + n, 0, 1000); /* padding */
  write_bytes("members", packed, n + 1000);
  expect_text("members", text, MUCH);
  free(packed);
  free(text);
}

static void test_digest_is_of_compressed_bytes(void **state) {
  (void)state;
  struct hsim_error error;
  uint8_t packed[100];
  char *text, packed_sha[65], plain_sha[65];
  size_t n = member("abc", 3, packed, sizeof packed), got;
  write_bytes("gz", packed, n);
  assert_int_equal(read_file("gz", &text, &got, packed_sha, &error), HSIM_OK);
  free(text);
  struct source *source;
  packed[0] = 0; /* no gzip any more: what remains is read as it is */
  assert_int_equal(source_open_memory("m", packed, n, &source, &error), HSIM_OK);
  assert_int_equal(source_digest(source, plain_sha, &error), HSIM_OK);
  source_close(source);
  assert_string_not_equal(plain_sha, packed_sha);
  assert_string_not_equal(packed_sha,
                          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  unlink("gz");
}

static void test_broken_gzip(void **state) {
  (void)state;
  uint8_t packed[200];
  size_t n = member("a text to pack, a text to pack", 30, packed, sizeof packed);
  for (size_t cut = 2; cut < n; cut++) {
    write_bytes("cut", packed, cut);
    expect_error("cut", "cut: truncated gzip data");
  }
  packed[n] = 'x';
  write_bytes("cut", packed, n + 1);
  expect_error("cut", "cut: bytes after the end of the gzip data");
  packed[n - 8] ^= 1; /* the check sum */
  write_bytes("cut", packed, n);
  expect_error("cut", "cut: corrupt gzip data (incorrect data check)");
  write_bytes("cut", "\x1f\x8b\x01 is no method", 16);
  expect_error("cut", "cut: corrupt gzip data (unknown compression method)");
  unlink("cut");
}

static void test_no_file(void **state) {
  (void)state;
  expect_error("none", "none: cannot be read: No such file or directory");
  expect_error("/", "/: is a directory: expected a file");
  write_text("mine", "x");
  if (geteuid() != 0) { /* root may read everything */
    assert_int_equal(chmod("mine", 0), 0);
    expect_error("mine", "mine: cannot be read: Permission denied");
  }
  unlink("mine");
}

static void test_builtin(void **state) {
  (void)state;
  struct hsim_error error;
  char *text, sha256[65];
  size_t n;
  assert_int_equal(read_file("builtin:hadar60", &text, &n, sha256, &error), HSIM_OK);
  assert_non_null(strstr(text, "\"hadar60\""));
  free(text);
  expect_error("builtin:hadar", "builtin:hadar: no such built-in file: expected one of "
                                "gavel_simulation (rates), hadar60 (cluster)");
}

static void test_limit(void **state) {
  (void)state;
  struct hsim_error error;
  struct source *source;
  char *text;
  size_t n;
  char *much = much_text();
  assert_int_equal(source_open_memory("m", much, MUCH, &source, &error), HSIM_OK);
  assert_int_equal(source_read_all(source, 1 << 17, &text, &n, &error), HSIM_BAD_INPUT);
  assert_string_equal(error.text, "m: larger than 131072 bytes");
  source_close(source);
  free(much);
}

/* Pieces as small as a pipe gives still make a full first block. */
static void test_stdin(void **state) {
  (void)state;
  struct hsim_error error;
  struct source *source;
  int ends[2], saved = dup(0);
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 5; i++)
      if (write(ends[1], "ab", 2) != 2)
        _exit(1);
    _exit(0);
  }
  close(ends[1]);
  dup2(ends[0], 0);
  close(ends[0]);
  assert_int_equal(source_open("-", &source, &error), HSIM_OK);
  assert_string_equal(source_name(source), "stdin");
  size_t n;
  const char *block = source_peek(source, &n);
  assert_int_equal(n, 10);
  assert_memory_equal(block, "ababababab", 10);
  source_close(source);
  dup2(saved, 0);
  close(saved);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain_and_digest),
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_gzip),
      cmocka_unit_test(test_digest_is_of_compressed_bytes),
      cmocka_unit_test(test_broken_gzip),
      cmocka_unit_test(test_no_file),
      cmocka_unit_test(test_builtin),
      cmocka_unit_test(test_limit),
      cmocka_unit_test(test_stdin),
  };
  return cmocka_run_group_tests(tests, open_world, close_world);
}
