/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preloaded into the program (LD_PRELOAD), makes one of its calls to the system fail, to see what
 * it makes of that.
 *
 *   HSIM_FAIL=KIND:N[:ERRNO]     the Nth call of that kind in a process fails, from 1; 0: all
 *   HSIM_FAIL=KIND:N+[:ERRNO]    the Nth and all later ones
 *   HSIM_FAIL_COUNTS=FILE        at the end of a process, append its calls by kind: "KIND N"
 *
 * Allocations of the GNU Scientific Library do not fail: it does not look whether it got any, so
 * that the program sees to it beforehand that there is room.
 *
 * A child goes on counting where its parent was. Kinds: memory (malloc, calloc, realloc), open,
 * read, write, fsync, close (it closes all the same), rename, seek, temp (mkstemp, tmpfile), status
 * (stat, fstat, fchmod), process (fork), pipe, map (mmap), signals (signalfd), poll, and short: a
 * read or write does only a part of what was asked.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind {
  MEMORY,
  OPEN,
  READ,
  WRITE,
  FSYNC,
  CLOSE,
  RENAME,
  SEEK,
  TEMP,
  STATUS,
  PROCESS,
  PIPE,
  MAP,
  SIGNALS,
  POLL,
  SHORT,
  N_KINDS
};
static const char *const names[N_KINDS] = {
    [MEMORY] = "memory", [OPEN] = "open",       [READ] = "read",       [WRITE] = "write",
    [FSYNC] = "fsync",   [CLOSE] = "close",     [RENAME] = "rename",   [SEEK] = "seek",
    [TEMP] = "temp",     [STATUS] = "status",   [PROCESS] = "process", [PIPE] = "pipe",
    [MAP] = "map",       [SIGNALS] = "signals", [POLL] = "poll",       [SHORT] = "short"};
static const int usual[N_KINDS] = {
    [MEMORY] = ENOMEM,  [OPEN] = EMFILE, [READ] = EIO,    [WRITE] = ENOSPC,   [FSYNC] = EIO,
    [CLOSE] = EIO,      [RENAME] = EIO,  [SEEK] = EINVAL, [TEMP] = ENOSPC,    [STATUS] = EIO,
    [PROCESS] = EAGAIN, [PIPE] = EMFILE, [MAP] = ENOMEM,  [SIGNALS] = EMFILE, [POLL] = ENOMEM};

static struct {
  bool read, wanted, onward;
  enum kind kind;
  long n;
  int error;
} order;
static long counts[N_KINDS];

static void *next_of(const char *name) {
  return dlsym(RTLD_NEXT, name);
}
#define NEXT(name) (__extension__(__typeof__(&name)) next_of(#name))

/* KIND:N[+][:ERRNO], without any call that could come back here. */
static void read_order(void) {
  order.read = true;
  const char *text = getenv("HSIM_FAIL");
  if (!text)
    return;
  size_t length = strcspn(text, ":");
  for (int k = 0; k < N_KINDS; k++)
    if (strlen(names[k]) == length && strncmp(names[k], text, length) == 0) {
      order.kind = (enum kind)k;
      order.wanted = text[length] == ':';
    }
  if (!order.wanted) {
    static const char complaint[] = "fail_nth: HSIM_FAIL: expected KIND:N[+][:ERRNO]\n";
    if (NEXT(write)(2, complaint, sizeof complaint - 1) < 0)
      _exit(98);
    _exit(99);
  }
  char *end;
  order.n = strtol(text + length + 1, &end, 10);
  order.onward = *end == '+';
  end += order.onward;
  order.error = *end == ':' ? atoi(end + 1) : usual[order.kind];
}

static bool fails(enum kind kind) {
  if (!order.read)
    read_order();
  counts[kind]++;
  if (!order.wanted || order.kind != kind)
    return false;
  if (order.n != 0 && counts[kind] != order.n && !(order.onward && counts[kind] > order.n))
    return false;
  errno = order.error;
  return true;
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("HSIM_FAIL_COUNTS");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file)
    return;
  long now[N_KINDS];
  memcpy(now, counts, sizeof now);
  for (int k = 0; k < N_KINDS; k++)
    fprintf(file, "%s %ld\n", names[k], now[k]);
  fclose(file);
}

/* ---- memory ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);

static bool no_memory(const void *caller) {
  Dl_info info;
  if (!fails(MEMORY))
    return false;
  return dladdr(caller, &info) == 0 || !strstr(info.dli_fname, "libgsl.");
}

void *malloc(size_t size) {
  return no_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}
void *calloc(size_t n, size_t size) {
  return no_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}
void *realloc(void *block, size_t size) {
  return no_memory(__builtin_return_address(0)) ? NULL : __libc_realloc(block, size);
}

/* ---- files ---- */

static mode_t mode_of(int flags, va_list args) {
  return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}
int open(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  mode_t mode = mode_of(flags, args);
  va_end(args);
  return fails(OPEN) ? -1 : NEXT(open)(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  mode_t mode = mode_of(flags, args);
  va_end(args);
  return fails(OPEN) ? -1 : NEXT(open64)(path, flags, mode);
}
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags) {
  return fails(OPEN) ? -1 : NEXT(open)(path, flags);
}
FILE *fopen(const char *path, const char *mode) {
  return fails(OPEN) ? NULL : NEXT(fopen)(path, mode);
}
ssize_t read(int fd, void *bytes, size_t n) {
  if (fails(READ))
    return -1;
  return NEXT(read)(fd, bytes, fails(SHORT) ? (n + 1) / 2 : n);
}
ssize_t write(int fd, const void *bytes, size_t n) {
  if (fails(WRITE))
    return -1;
  return NEXT(write)(fd, bytes, fails(SHORT) ? (n + 1) / 2 : n);
}
int fsync(int fd) {
  return fails(FSYNC) ? -1 : NEXT(fsync)(fd);
}
int close(int fd) {
  int result = NEXT(close)(fd);
  return fails(CLOSE) ? -1 : result;
}
int rename(const char *from, const char *to) {
  return fails(RENAME) ? -1 : NEXT(rename)(from, to);
}
off_t lseek(int fd, off_t offset, int whence) {
  return fails(SEEK) ? -1 : NEXT(lseek)(fd, offset, whence);
}
int mkstemp(char *path) {
  return fails(TEMP) ? -1 : NEXT(mkstemp)(path);
}
FILE *tmpfile(void) {
  return fails(TEMP) ? NULL : NEXT(tmpfile)();
}
int stat(const char *path, struct stat *status) {
  return fails(STATUS) ? -1 : NEXT(stat)(path, status);
}
int fstat(int fd, struct stat *status) {
  return fails(STATUS) ? -1 : NEXT(fstat)(fd, status);
}
int fchmod(int fd, mode_t mode) {
  return fails(STATUS) ? -1 : NEXT(fchmod)(fd, mode);
}

/* ---- processes ---- */

pid_t fork(void) {
  return fails(PROCESS) ? -1 : NEXT(fork)();
}
int pipe2(int ends[2], int flags) {
  return fails(PIPE) ? -1 : NEXT(pipe2)(ends, flags);
}
void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset) {
  return fails(MAP) ? MAP_FAILED : NEXT(mmap)(at, size, protection, flags, fd, offset);
}
int signalfd(int fd, const sigset_t *set, int flags) {
  return fails(SIGNALS) ? -1 : NEXT(signalfd)(fd, set, flags);
}
int poll(struct pollfd *fds, nfds_t n, int timeout) {
  return fails(POLL) ? -1 : NEXT(poll)(fds, n, timeout);
}
