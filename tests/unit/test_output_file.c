/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/atomic_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output_world.h"

struct place {
  char folder[64];
  char path[96];
};

static int set_up(void **state) {
  struct place *place = mem_zero(1, sizeof *place);
  snprintf(place->folder, sizeof place->folder, "/tmp/hsim-test-XXXXXX");
  if (mkdtemp(place->folder) == NULL)
    return -1;
  snprintf(place->path, sizeof place->path, "%s/out.csv", place->folder);
  *state = place;
  return 0;
}

/* Names in the folder, joined by blanks, "." and ".." left out. */
static char *names_in(const char *folder) {
  char *names = mem_zero(4096, 1);
  struct dirent **entries;
  int n = scandir(folder, &entries, NULL, alphasort);
  assert_true(n >= 0);
  for (int i = 0; i < n; i++) {
    if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0)
      snprintf(names + strlen(names), 4096 - strlen(names), "%s ", entries[i]->d_name);
    free(entries[i]);
  }
  free(entries);
  return names;
}

static void holds(const struct place *place, const char *expected) {
  char *names = names_in(place->folder);
  assert_string_equal(names, expected);
  free(names);
}

static void reads(const char *path, const char *expected) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char *text = slurp(file);
  assert_string_equal(text, expected);
  free(text);
  fclose(file);
}

static int tear_down(void **state) {
  struct place *place = *state;
  char *names = names_in(place->folder), *save = NULL, path[512];
  for (char *name = strtok_r(names, " ", &save); name != NULL; name = strtok_r(NULL, " ", &save)) {
    snprintf(path, sizeof path, "%s/%s", place->folder, name);
    if (unlink(path) != 0)
      rmdir(path);
  }
  free(names);
  rmdir(place->folder);
  free(place);
  return 0;
}

static void write_file(const char *path, const char *text) {
  struct out out;
  struct hsim_error error = {0};
  assert_int_equal(out_open(&out, path, &error), HSIM_OK);
  out_text(&out, text);
  assert_int_equal(out_commit(&out, &error), HSIM_OK);
}

static void test_whole_or_nothing(void **state) {
  const struct place *place = *state;
  struct hsim_error error = {0};
  struct out out;
  write_file(place->path, "old\n");
  assert_int_equal(out_open(&out, place->path, &error), HSIM_OK);
  out_text(&out, "half");
  assert_int_equal(out_flush(&out, &error), HSIM_OK);
  reads(place->path, "old\n");
  out_discard(&out);
  out_discard(&out);
  reads(place->path, "old\n");
  holds(place, "out.csv ");
  write_file(place->path, "new\n");
  reads(place->path, "new\n");
  holds(place, "out.csv ");
}

static void test_values(void **state) {
  const struct place *place = *state;
  struct hsim_error error = {0};
  struct out out;
  assert_int_equal(out_open(&out, place->path, &error), HSIM_OK);
  out_number(&out, 0.1);
  out_char(&out, ' ');
  out_number(&out, NAN);
  out_int(&out, -9223372036854775807LL - 1);
  out_char(&out, ' ');
  out_int(&out, 0);
  out_char(&out, ' ');
  out_int(&out, 1234567890);
  assert_int_equal(out_commit(&out, &error), HSIM_OK);
  reads(place->path, "0.1 -9223372036854775808 0 1234567890");
}

/* More than the buffer, in pieces that do not divide it, and in one piece. */
static void test_large(void **state) {
  const struct place *place = *state;
  struct hsim_error error = {0};
  struct out out;
  size_t n = 700001;
  char *text = mem_zero(n + 1, 1);
  for (size_t i = 0; i < n; i++)
    text[i] = (char)('a' + i % 23);
  for (int piece = 0; piece < 3; piece++) {
    assert_int_equal(out_open(&out, place->path, &error), HSIM_OK);
    size_t size = piece == 0 ? 1 : piece == 1 ? 977 : n;
    for (size_t i = 0; i < n; i += size)
      out_bytes(&out, text + i, i + size < n ? size : n - i);
    assert_int_equal(out_commit(&out, &error), HSIM_OK);
    reads(place->path, text);
  }
  int fd = open(place->path, O_RDONLY);
  assert_int_equal(out_open(&out, place->path, &error), HSIM_OK);
  out_text(&out, "head\n");
  out_append_fd(&out, fd);
  close(fd);
  assert_int_equal(out_commit(&out, &error), HSIM_OK);
  char *joined = mem_alloc(n + 6, 1);
  snprintf(joined, n + 6, "head\n%s", text);
  reads(place->path, joined);
  free(joined);
  free(text);
}

static void test_modes(void **state) {
  const struct place *place = *state;
  struct stat status;
  mode_t old = umask(027);
  write_file(place->path, "x");
  assert_int_equal(stat(place->path, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0640);
  assert_int_equal(umask(old), 027); /* it was only looked at */
  chmod(place->path, 0604);
  write_file(place->path, "y");
  assert_int_equal(stat(place->path, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0604);
}

/* The link stays, what it points to is replaced. */
static void test_link(void **state) {
  const struct place *place = *state;
  char link[96];
  struct stat status;
  snprintf(link, sizeof link, "%s/link", place->folder);
  write_file(place->path, "old");
  assert_int_equal(symlink("out.csv", link), 0);
  write_file(link, "new");
  assert_int_equal(lstat(link, &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  reads(place->path, "new");
}

static void refuses(const char *path, const char *text) {
  struct hsim_error error = {0};
  struct out out;
  assert_int_equal(out_open(&out, path, &error), HSIM_FAILED);
  if (strstr(error.text, text) == NULL || strstr(error.text, path) == NULL)
    fail_msg("%s", error.text);
  out_discard(&out);
}

static void test_refusals(void **state) {
  const struct place *place = *state;
  char path[128];
  refuses(place->folder, "Is a directory");
  snprintf(path, sizeof path, "%s/none/out.csv", place->folder);
  refuses(path, "No such file or directory");
  snprintf(path, sizeof path, "%s/out.csv/x", place->folder);
  write_file(place->path, "");
  refuses(path, "Not a directory");
  refuses("", "No such file or directory");
  refuses("/dev/fd/999", "Bad file descriptor");
}

static void test_full(void **state) {
  (void)state;
  struct hsim_error error = {0};
  struct out out;
  assert_int_equal(out_open(&out, "/dev/full", &error), HSIM_OK);
  for (int i = 0; i < 300000; i++)
    out_char(&out, 'x');
  assert_int_equal(out_commit(&out, &error), HSIM_FAILED);
  assert_string_equal(error.text, "/dev/full: cannot write: No space left on device");
}

/* A file that may not grow: the error is reported, the old file stays, no other is left. */
static void test_limit(void **state) {
  const struct place *place = *state;
  struct rlimit before, small;
  struct hsim_error error = {0};
  struct out out;
  write_file(place->path, "old");
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  small = before;
  small.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &small);
  assert_int_equal(out_open(&out, place->path, &error), HSIM_OK);
  for (int i = 0; i < 300000; i++)
    out_char(&out, 'x');
  enum hsim_status status = out_commit(&out, &error);
  setrlimit(RLIMIT_FSIZE, &before);
  assert_int_equal(status, HSIM_FAILED);
  assert_non_null(strstr(error.text, "out.csv: cannot write: File too large"));
  reads(place->path, "old");
  holds(place, "out.csv ");
}

/* The target's place is taken by a folder while it is written. */
static void test_rename_fails(void **state) {
  const struct place *place = *state;
  struct hsim_error error = {0};
  struct out out;
  assert_int_equal(out_open(&out, place->path, &error), HSIM_OK);
  out_text(&out, "x");
  assert_int_equal(mkdir(place->path, 0700), 0);
  assert_int_equal(out_commit(&out, &error), HSIM_FAILED);
  assert_non_null(strstr(error.text, "Is a directory"));
  holds(place, "out.csv ");
}

static void test_pipe(void **state) {
  const struct place *place = *state;
  struct hsim_error error = {0};
  struct out out;
  char text[8] = {0};
  assert_int_equal(mkfifo(place->path, 0600), 0);
  int reader = open(place->path, O_RDONLY | O_NONBLOCK);
  assert_int_equal(out_open(&out, place->path, &error), HSIM_OK);
  out_text(&out, "hello");
  assert_int_equal(out_commit(&out, &error), HSIM_OK);
  assert_int_equal(read(reader, text, sizeof text - 1), 5);
  assert_string_equal(text, "hello");
  assert_int_equal(out_open(&out, place->path, &error), HSIM_OK);
  close(reader);
  signal(SIGPIPE, SIG_IGN);
  out_text(&out, "hello");
  assert_int_equal(out_commit(&out, &error), HSIM_FAILED);
  assert_non_null(strstr(error.text, "Broken pipe"));
}

/* Standard output that is a file keeps its position: what others wrote there stays. */
static void test_stdout(void **state) {
  const struct place *place = *state;
  static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1"};
  struct hsim_error error = {0};
  fflush(stdout);
  int saved = dup(STDOUT_FILENO), file = open(place->path, O_RDWR | O_CREAT, 0600);
  dup2(file, STDOUT_FILENO);
  bool good = write(STDOUT_FILENO, "table\n", 6) == 6;
  for (int i = 0; i < 3; i++) {
    struct out out;
    good = good && out_open(&out, names[i], &error) == HSIM_OK;
    out_text(&out, names[i]);
    out_text(&out, "\n");
    good = good && out_commit(&out, &error) == HSIM_OK;
  }
  good = good && write(STDOUT_FILENO, "end\n", 4) == 4;
  dup2(saved, STDOUT_FILENO);
  close(saved);
  close(file);
  assert_true(good);
  reads(place->path, "table\n-\n/dev/stdout\n/dev/fd/1\nend\n");
}

static void test_unreadable_part(void **state) {
  const struct place *place = *state;
  struct hsim_error error = {0};
  struct out out;
  assert_int_equal(out_open(&out, place->path, &error), HSIM_OK);
  out_append_fd(&out, -1);
  assert_int_equal(out_commit(&out, &error), HSIM_FAILED);
  assert_non_null(strstr(error.text, "Bad file descriptor"));
  holds(place, "");
}

#define PLACE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      PLACE_TEST(test_whole_or_nothing),
      PLACE_TEST(test_values),
      PLACE_TEST(test_large),
      PLACE_TEST(test_modes),
      PLACE_TEST(test_link),
      PLACE_TEST(test_refusals),
      PLACE_TEST(test_full),
      PLACE_TEST(test_limit),
      PLACE_TEST(test_rename_fails),
      PLACE_TEST(test_pipe),
      PLACE_TEST(test_stdout),
      PLACE_TEST(test_unreadable_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
