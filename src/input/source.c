/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/source.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "input/builtin.h"
#include "model/memory.h"

enum { BLOCK = 1 << 16, GZIP_WINDOW = 15 + 16 /* zlib: gzip members only */ };

struct source {
  char *name;
  int fd;                /* -1 over memory */
  size_t size;           /* of the whole, 0 when unknown */
  const uint8_t *memory; /* what is left of it */
  size_t memory_left;
  struct sha256_ctx sha;
  uint8_t *raw; /* [BLOCK], the last bytes as they stand in the input */
  size_t raw_n;
  bool peeked; /* raw or plain holds a block that nobody has taken */
  size_t peeked_n;
  bool is_gzip;
  bool in_member; /* a gzip member has begun and not ended */
  uint8_t *plain; /* [BLOCK], inflated bytes */
  z_stream inflater;
};

static enum hsim_status cannot_read(const struct source *s, struct hsim_error *error) {
  return hsim_fail(error, HSIM_BAD_INPUT, "%s: cannot be read: %s", s->name, strerror(errno));
}

/* Fills `raw` as far as the input goes: pipes hand out short pieces, but a first block that is
 * short only at the end of the input lets its readers look at the first line. */
static enum hsim_status read_raw(struct source *s, struct hsim_error *error) {
  size_t n = 0;
  if (s->fd < 0) {
    n = s->memory_left < BLOCK ? s->memory_left : BLOCK;
    if (n > 0)
      memcpy(s->raw, s->memory, n);
    s->memory += n;
    s->memory_left -= n;
  }
  while (s->fd >= 0 && n < BLOCK) {
    ssize_t got = read(s->fd, s->raw + n, BLOCK - n);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return cannot_read(s, error);
    if (got == 0)
      break;
    n += (size_t)got;
  }
  sha256_update(&s->sha, n, s->raw);
  s->raw_n = n;
  return HSIM_OK;
}

static enum hsim_status start_inflater(struct source *s, struct hsim_error *error) {
  s->inflater = (z_stream){.next_in = s->raw, .avail_in = (uInt)s->raw_n};
  if (inflateInit2(&s->inflater, GZIP_WINDOW) != Z_OK)
    return hsim_fail(error, HSIM_FAILED, "%s: zlib cannot start", s->name);
  s->is_gzip = true;
  s->in_member = true;
  s->plain = mem_alloc(BLOCK, 1);
  return HSIM_OK;
}

static enum hsim_status read_gzip_bytes(struct source *s, struct hsim_error *error) {
  if (s->inflater.avail_in > 0)
    return HSIM_OK;
  enum hsim_status status = read_raw(s, error);
  s->inflater.next_in = s->raw;
  s->inflater.avail_in = (uInt)s->raw_n;
  return status;
}

/* Behind a member: another member, padding of zero bytes (which gzip itself passes over), or the
 * end. */
static enum hsim_status next_member(struct source *s, struct hsim_error *error) {
  z_stream *z = &s->inflater;
  for (;;) {
    enum hsim_status status = read_gzip_bytes(s, error);
    if (status != HSIM_OK || z->avail_in == 0)
      return status;
    if (*z->next_in != 0)
      break;
    z->next_in++;
    z->avail_in--;
  }
  if (*z->next_in != 0x1f)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: bytes after the end of the gzip data", s->name);
  inflateReset(z);
  s->in_member = true;
  return HSIM_OK;
}

static enum hsim_status inflate_step(struct source *s, struct hsim_error *error) {
  enum hsim_status status = read_gzip_bytes(s, error);
  if (status != HSIM_OK)
    return status;
  if (s->inflater.avail_in == 0)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: truncated gzip data", s->name);
  int result = inflate(&s->inflater, Z_NO_FLUSH);
  if (result == Z_STREAM_END)
    s->in_member = false;
  else if (result == Z_MEM_ERROR)
    return hsim_fail(error, HSIM_FAILED, "%s: zlib is out of memory", s->name);
  else if (result != Z_OK && result != Z_BUF_ERROR)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: corrupt gzip data (%s)", s->name,
                     s->inflater.msg != NULL ? s->inflater.msg : "no dictionary");
  return HSIM_OK;
}

static enum hsim_status read_inflated(struct source *s, size_t *n, struct hsim_error *error) {
  s->inflater.next_out = s->plain;
  s->inflater.avail_out = BLOCK;
  while (s->inflater.avail_out > 0) {
    enum hsim_status status = s->in_member ? HSIM_OK : next_member(s, error);
    if (status == HSIM_OK && !s->in_member)
      break;
    if (status == HSIM_OK)
      status = inflate_step(s, error);
    if (status != HSIM_OK)
      return status;
  }
  *n = BLOCK - s->inflater.avail_out;
  return HSIM_OK;
}

static enum hsim_status first_block(struct source *s, struct hsim_error *error) {
  enum hsim_status status = read_raw(s, error);
  s->peeked_n = s->raw_n;
  if (status == HSIM_OK && s->raw_n >= 2 && s->raw[0] == 0x1f && s->raw[1] == 0x8b) {
    status = start_inflater(s, error);
    if (status == HSIM_OK)
      status = read_inflated(s, &s->peeked_n, error);
  }
  s->peeked = true;
  return status;
}

static struct source *new_source(const char *name) {
  struct source *s = mem_zero(1, sizeof *s);
  s->name = mem_text(name);
  s->fd = -1;
  s->raw = mem_alloc(BLOCK, 1);
  sha256_init(&s->sha);
  return s;
}

static enum hsim_status open_file(struct source *s, const char *path, struct hsim_error *error) {
  if (strcmp(path, "-") == 0) {
    s->fd = STDIN_FILENO;
    return HSIM_OK;
  }
  s->fd = open(path, O_RDONLY | O_CLOEXEC);
  if (s->fd < 0)
    return cannot_read(s, error);
  struct stat about;
  if (fstat(s->fd, &about) != 0)
    return cannot_read(s, error);
  if (S_ISREG(about.st_mode))
    s->size = (size_t)about.st_size;
  if (S_ISDIR(about.st_mode))
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: is a directory: expected a file", s->name);
  return HSIM_OK;
}

static enum hsim_status open_builtin(struct source *s, const char *path, struct hsim_error *error) {
  struct builtin builtin;
  if (!builtin_find(path + strlen(BUILTIN_PREFIX), &builtin))
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: no such built-in file: expected one of %s", path,
                     BUILTIN_NAMES);
  s->memory = (const uint8_t *)builtin.bytes;
  s->memory_left = builtin.n;
  return HSIM_OK;
}

/* Takes a source that is open (or could not be opened) to its first block. */
static enum hsim_status begin(struct source *s, enum hsim_status status, struct source **source,
                              struct hsim_error *error) {
  if (status == HSIM_OK)
    status = first_block(s, error);
  if (status != HSIM_OK) {
    source_close(s);
    return status;
  }
  *source = s;
  return HSIM_OK;
}

enum hsim_status source_open(const char *path, struct source **source, struct hsim_error *error) {
  struct source *s = new_source(strcmp(path, "-") == 0 ? "stdin" : path);
  bool is_builtin = strncmp(path, BUILTIN_PREFIX, strlen(BUILTIN_PREFIX)) == 0;
  enum hsim_status status = is_builtin ? open_builtin(s, path, error) : open_file(s, path, error);
  return begin(s, status, source, error);
}

enum hsim_status source_open_memory(const char *name, const void *bytes, size_t n,
                                    struct source **source, struct hsim_error *error) {
  struct source *s = new_source(name);
  s->memory = bytes;
  s->memory_left = s->size = n;
  return begin(s, HSIM_OK, source, error);
}

const char *source_name(const struct source *source) {
  return source->name;
}

enum hsim_status source_read(struct source *s, const char **block, size_t *n,
                             struct hsim_error *error) {
  enum hsim_status status = HSIM_OK;
  if (s->peeked) {
    s->peeked = false;
    *n = s->peeked_n;
  } else if (s->is_gzip) {
    status = read_inflated(s, n, error);
  } else {
    status = read_raw(s, error);
    *n = s->raw_n;
  }
  *block = (const char *)(s->is_gzip ? s->plain : s->raw);
  return status;
}

const char *source_peek(const struct source *s, size_t *n) {
  *n = s->peeked_n;
  return (const char *)(s->is_gzip ? s->plain : s->raw);
}

size_t source_expected_lines(const struct source *s) {
  if (s->is_gzip || s->peeked_n == 0)
    return 0;
  size_t lines = 1;
  for (size_t i = 0; i < s->peeked_n; i++)
    lines += s->raw[i] == '\n';
  return (size_t)((double)s->size / (double)s->peeked_n * (double)lines);
}

enum hsim_status source_read_all(struct source *s, size_t limit, char **text, size_t *n,
                                 struct hsim_error *error) {
  size_t used = 0, capacity = s->size < limit ? s->size + 1 : BLOCK;
  char *all = mem_alloc(capacity, 1);
  for (;;) {
    const char *block;
    size_t got;
    enum hsim_status status = source_read(s, &block, &got, error);
    if (status == HSIM_OK && got > limit - used)
      status = hsim_fail(error, HSIM_BAD_INPUT, "%s: larger than %zu bytes", s->name, limit);
    if (status != HSIM_OK) {
      free(all);
      return status;
    }
    if (got == 0)
      break;
    all = mem_grow(all, used + got + 1, &capacity, 1);
    memcpy(all + used, block, got);
    used += got;
  }
  all[used] = '\0';
  *text = all;
  *n = used;
  return HSIM_OK;
}

enum hsim_status source_digest(struct source *s, char sha256[65], struct hsim_error *error) {
  const char *block;
  size_t n;
  do {
    enum hsim_status status = source_read(s, &block, &n, error);
    if (status != HSIM_OK)
      return status;
  } while (n > 0);
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&s->sha, sizeof digest, digest);
  for (size_t i = 0; i < sizeof digest; i++) {
    sha256[2 * i] = "0123456789abcdef"[digest[i] >> 4];
    sha256[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
  }
  sha256[64] = '\0';
  return HSIM_OK;
}

void source_close(struct source *s) {
  if (s == NULL)
    return;
  if (s->fd > STDIN_FILENO)
    close(s->fd);
  if (s->is_gzip)
    inflateEnd(&s->inflater);
  free(s->plain);
  free(s->raw);
  free(s->name);
  free(s);
}
