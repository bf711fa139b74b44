/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/memory.h"

enum { BUFFER_SIZE = 1 << 17 };

static void note_error(struct out *out, int error) {
  if (out->error == 0)
    out->error = error;
}

static void release(struct out *out) {
  if (out->fd >= 0 && out->own_fd)
    close(out->fd);
  if (out->temp != NULL)
    unlink(out->temp);
  free(out->path);
  free(out->target);
  free(out->temp);
  free(out->buffer);
  *out = (struct out){.fd = -1};
}

static enum hsim_status report(struct out *out, struct hsim_error *error) {
  return hsim_fail(error, HSIM_FAILED, "%s: cannot write: %s", out->path, strerror(out->error));
}

/* The descriptor that a name stands for, -1 when it is an ordinary path. */
static int named_descriptor(const char *path) {
  if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
    return STDOUT_FILENO;
  if (strcmp(path, "/dev/stderr") == 0)
    return STDERR_FILENO;
  static const char prefix[] = "/dev/fd/";
  if (strncmp(path, prefix, sizeof prefix - 1) != 0)
    return -1;
  int64_t number = 0;
  const char *digits = path + sizeof prefix - 1;
  if (number_parse_int(digits, strlen(digits), &number) != NUMBER_OK)
    return -1;
  return number < 0 || number > 1 << 20 ? -1 : (int)number;
}

/* Mode of the finished file; the umask can only be read by setting it. */
static mode_t final_mode(const struct stat *existing) {
  if (existing != NULL)
    return existing->st_mode & 0777;
  mode_t mask = umask(077);
  umask(mask);
  return 0666 & ~mask;
}

/* Length of the target's folder with its slash, 0 when it has none. */
static int folder_length(const struct out *out) {
  const char *slash = strrchr(out->target, '/');
  return slash == NULL ? 0 : (int)(slash + 1 - out->target);
}

/* The hidden name of a file beside the target. */
static char *name_beside(const struct out *out, const char *ending) {
  size_t size = strlen(out->target) + strlen(ending) + sizeof "..";
  char *name = mem_alloc(size, 1);
  int folder = folder_length(out);
  snprintf(name, size, "%.*s.%s.%s", folder, out->target, out->target + folder, ending);
  return name;
}

enum { PROC_NAME_SIZE = 40 };
static const char *proc_name(int fd, char name[PROC_NAME_SIZE]) {
  snprintf(name, PROC_NAME_SIZE, "/proc/self/fd/%d", fd);
  return name;
}

/* A file without a name, which vanishes with the process unless it is given one; false where the
 * file system or the lack of /proc does not allow it. */
static bool open_nameless(struct out *out) {
  char *folder = mem_text_n(out->target, (size_t)folder_length(out)), proc[PROC_NAME_SIZE];
  out->fd = open(folder[0] == '\0' ? "." : folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  free(folder);
  if (out->fd >= 0 && access(proc_name(out->fd, proc), F_OK) == 0)
    return true;
  if (out->fd >= 0)
    close(out->fd);
  out->fd = -1;
  return false;
}

static int open_temp(struct out *out, const struct stat *existing) {
  if (!open_nameless(out)) {
    out->temp = name_beside(out, "XXXXXX");
    out->fd = mkstemp(out->temp);
  }
  if (out->fd < 0) {
    int failure = errno;
    free(out->temp);
    out->temp = NULL;
    return failure;
  }
  return fchmod(out->fd, final_mode(existing)) == 0 ? 0 : errno;
}

/* Gives a nameless file a hidden name, from which it can be renamed. */
static void give_name(struct out *out) {
  char ending[48], proc[PROC_NAME_SIZE];
  proc_name(out->fd, proc);
  for (int i = 0; out->temp == NULL && out->error == 0; i++) {
    snprintf(ending, sizeof ending, "%ld-%d", (long)getpid(), i);
    char *name = name_beside(out, ending);
    if (linkat(AT_FDCWD, proc, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
      out->temp = name;
      return;
    }
    if (errno != EEXIST || i == 1000) /* left by somebody with the same number */
      note_error(out, errno);
    free(name);
  }
}

static int open_path(struct out *out, const char *path) {
  int descriptor = named_descriptor(path);
  if (descriptor >= 0) {
    /* A second open of a redirected stdout would have a position of its own and overwrite. */
    out->fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    return out->fd < 0 ? errno : 0;
  }
  struct stat status;
  bool exists = stat(path, &status) == 0;
  if (!exists && errno != ENOENT)
    return errno;
  if (exists && S_ISDIR(status.st_mode))
    return EISDIR;
  if (exists && !S_ISREG(status.st_mode)) {
    out->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return out->fd < 0 ? errno : 0;
  }
  if (exists && access(path, W_OK) != 0)
    return errno; /* renaming would pass a read-only file by */
  out->target = exists ? realpath(path, NULL) : mem_text(path);
  if (out->target == NULL)
    return errno;
  return open_temp(out, exists ? &status : NULL);
}

enum hsim_status out_open(struct out *out, const char *path, struct hsim_error *error) {
  *out = (struct out){.fd = -1, .own_fd = true, .path = mem_text(path)};
  int failure = path[0] == '\0' ? ENOENT : open_path(out, path);
  if (failure != 0) {
    enum hsim_status status =
        hsim_fail(error, HSIM_FAILED, "%s: cannot open for writing: %s", path, strerror(failure));
    release(out);
    return status;
  }
  out->buffer = mem_alloc(BUFFER_SIZE, 1);
  return HSIM_OK;
}

void out_open_fd(struct out *out, int fd, const char *name) {
  *out = (struct out){.fd = fd, .path = mem_text(name), .buffer = mem_alloc(BUFFER_SIZE, 1)};
}

static void write_all(struct out *out, const char *bytes, size_t n) {
  while (n > 0 && out->error == 0) {
    ssize_t written = write(out->fd, bytes, n);
    if (written < 0) {
      if (errno != EINTR)
        note_error(out, errno);
      continue;
    }
    bytes += written;
    n -= (size_t)written;
  }
}

static void empty_buffer(struct out *out) {
  write_all(out, out->buffer, out->used);
  out->used = 0;
}

void out_bytes(struct out *out, const char *bytes, size_t n) {
  if (n > BUFFER_SIZE - out->used)
    empty_buffer(out);
  if (n > BUFFER_SIZE) {
    write_all(out, bytes, n);
    return;
  }
  memcpy(out->buffer + out->used, bytes, n);
  out->used += n;
}

void out_text(struct out *out, const char *text) {
  out_bytes(out, text, strlen(text));
}

void out_char(struct out *out, char c) {
  if (out->used == BUFFER_SIZE)
    empty_buffer(out);
  out->buffer[out->used++] = c;
}

void out_number(struct out *out, double value) {
  if (isnan(value))
    return;
  if (BUFFER_SIZE - out->used < NUMBER_SIZE)
    empty_buffer(out);
  out->used += number_print(value, out->buffer + out->used);
}

void out_int(struct out *out, long long value) {
  char digits[24];
  char *at = digits + sizeof digits;
  unsigned long long rest =
      value < 0 ? 0ULL - (unsigned long long)value : (unsigned long long)value;
  do {
    *--at = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (value < 0)
    *--at = '-';
  out_bytes(out, at, (size_t)(digits + sizeof digits - at));
}

void out_append_fd(struct out *out, int fd) {
  if (lseek(fd, 0, SEEK_SET) < 0 && errno != ESPIPE)
    note_error(out, errno);
  for (;;) {
    empty_buffer(out);
    ssize_t n = read(fd, out->buffer, BUFFER_SIZE);
    if (n > 0) {
      out->used = (size_t)n;
      continue;
    }
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      note_error(out, errno);
    return;
  }
}

enum hsim_status out_flush(struct out *out, struct hsim_error *error) {
  empty_buffer(out);
  return out->error == 0 ? HSIM_OK : report(out, error);
}

enum hsim_status out_commit(struct out *out, struct hsim_error *error) {
  if (out->fd < 0)
    return HSIM_OK;
  empty_buffer(out);
  if (out->error == 0 && out->target != NULL && fsync(out->fd) != 0)
    note_error(out, errno);
  if (out->error == 0 && out->target != NULL && out->temp == NULL)
    give_name(out);
  if (out->own_fd) {
    if (close(out->fd) != 0)
      note_error(out, errno);
    out->own_fd = false;
  }
  if (out->error == 0 && out->temp != NULL) {
    if (rename(out->temp, out->target) != 0) {
      note_error(out, errno);
    } else {
      free(out->temp);
      out->temp = NULL;
    }
  }
  enum hsim_status status = out->error == 0 ? HSIM_OK : report(out, error);
  release(out);
  return status;
}

void out_discard(struct out *out) {
  if (out->path == NULL)
    return;
  release(out);
}
