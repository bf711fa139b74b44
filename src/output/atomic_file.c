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

static int open_temp(struct out *out, const struct stat *existing) {
  size_t size = strlen(out->target) + sizeof "..XXXXXX";
  out->temp = mem_alloc(size, 1);
  const char *slash = strrchr(out->target, '/');
  int folder = slash == NULL ? 0 : (int)(slash + 1 - out->target);
  snprintf(out->temp, size, "%.*s.%s.XXXXXX", folder, out->target, out->target + folder);
  out->fd = mkstemp(out->temp);
  if (out->fd < 0) {
    free(out->temp);
    out->temp = NULL;
    return errno;
  }
  return fchmod(out->fd, final_mode(existing)) == 0 ? 0 : errno;
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
  if (out->error == 0 && out->temp != NULL && fsync(out->fd) != 0)
    note_error(out, errno);
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
