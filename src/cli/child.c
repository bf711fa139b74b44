/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/child.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/memory.h"

static const double bytes_of_megabyte = 1e6;

/* Messages: this head, then `size` bytes. */
struct message {
  uint64_t mark;   /* MARK: a stray write is not taken for a message */
  uint32_t kind;   /* enum message_kind */
  uint32_t status; /* of a result */
  uint64_t size;
};
static const uint64_t MARK = UINT64_C(0x68736d2d6d736731);
enum message_kind { MESSAGE_RESULT, MESSAGE_NEWS };

/* ---- the child's end ---- */

static void write_all(int fd, const void *bytes, size_t n) {
  const char *at = bytes;
  while (n > 0) {
    ssize_t done = write(fd, at, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return; /* the parent is gone: nobody is left to tell */
    at += done;
    n -= (size_t)done;
  }
}

static void send_message(int fd, enum message_kind kind, enum hsim_status status, const void *bytes,
                         size_t size) {
  struct message head = {.mark = MARK, .kind = kind, .status = status, .size = size};
  write_all(fd, &head, sizeof head);
  write_all(fd, bytes, size);
}

void process_tell(const struct process_self *self, const void *bytes, size_t n) {
  send_message(self->fd, MESSAGE_NEWS, HSIM_OK, bytes, n);
}

void child_main(size_t i, process_work work, void *state, struct process_self *self) {
  dup2(STDERR_FILENO, STDOUT_FILENO); /* what a policy prints is no result */
  char *text = NULL;
  struct hsim_error error = {.status = HSIM_OK};
  enum hsim_status status = work(state, i, self, &text, &error);
  const char *said = status == HSIM_OK && text ? text : error.text;
  send_message(self->fd, MESSAGE_RESULT, status, said, strlen(said));
  free(text);
  exit((int)status);
}

/* ---- the parent's end ---- */

/* A message begins with MARK; so much of one as has come does, too. */
static bool marked(const struct child *child) {
  size_t n = child->n < sizeof MARK ? child->n : sizeof MARK;
  return memcmp(child->bytes, &MARK, n) == 0;
}

void child_take(struct child *child) {
  unsigned char block[CHILD_PIPE_SIZE];
  if (child->fd < 0)
    return;
  ssize_t n = read(child->fd, block, sizeof block);
  if (n < 0 && (errno == EINTR || errno == EAGAIN))
    return;
  if (n <= 0) {
    close(child->fd);
    child->fd = -1;
    return;
  }
  if (child->garbled)
    return;
  size_t needed = child->n + (size_t)n;
  child->bytes = mem_grow(child->bytes, needed, &child->capacity, 1);
  memcpy(child->bytes + child->n, block, (size_t)n);
  child->n = needed;
  child->garbled = !marked(child);
}

double child_memory(const struct child *child) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/statm", (long)child->pid);
  FILE *file = fopen(path, "re");
  if (!file)
    return 0;
  char line[128];
  char *rest = fgets(line, sizeof line, file) ? strchr(line, ' ') : NULL; /* after the size */
  fclose(file);
  double pages = rest ? (double)strtoul(rest, NULL, 10) : 0;
  return pages * (double)sysconf(_SC_PAGESIZE);
}

bool child_news(struct child *child, unsigned char bytes[PROCESS_NEWS_MAX], size_t *n) {
  struct message head;
  if (child->garbled || child->n < sizeof head)
    return false;
  memcpy(&head, child->bytes, sizeof head);
  if (head.kind != MESSAGE_NEWS || head.size > PROCESS_NEWS_MAX ||
      child->n < sizeof head + head.size)
    return false;
  *n = head.size;
  memcpy(bytes, child->bytes + sizeof head, *n);
  child->n -= sizeof head + *n;
  memmove(child->bytes, child->bytes + sizeof head + *n, child->n);
  child->garbled = !marked(child);
  return true;
}

void child_drop(struct child *child) {
  if (child->fd >= 0)
    close(child->fd);
  free(child->bytes);
  *child = (struct child){.fd = -1};
}

HSIM_PRINTF(2, 3)
static void went_wrong(struct process_result *result, const char *format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  *result = (struct process_result){HSIM_FAILED, mem_text(text)};
}

/* Whether a result has come whole, and nothing after it. Its bytes follow the head. */
static bool whole_result(const struct child *child, struct message *head) {
  if (child->n < sizeof *head)
    return false;
  memcpy(head, child->bytes, sizeof *head);
  return head->kind == MESSAGE_RESULT && child->n - sizeof *head == head->size;
}

/* It ended by itself. */
static void judge_exit(const struct child *child, int code, struct process_result *result) {
  struct message head;
  if (child->garbled) {
    went_wrong(result, "wrote to a descriptor of hsim's own, so that its result is lost");
  } else if (!whole_result(child, &head) || head.size == 0) {
    went_wrong(result, "ended without a result (exit status %d%s)", code,
               code == HSIM_FAILED ? ", as when memory runs out" : "");
  } else if (head.status == HSIM_OK && code != 0) {
    went_wrong(result, "ended with exit status %d after its result", code);
  } else {
    result->status = (enum hsim_status)head.status;
    result->text = mem_text_n((const char *)child->bytes + sizeof head, head.size);
  }
}

void child_judge(struct child *child, int wait_status, const struct rusage *usage,
                 const struct process_limits *limits, struct process_result *result) {
  /* A peak between two looks at its memory is not let pass either. */
  if ((double)usage->ru_maxrss * 1024 > limits->megabytes * bytes_of_megabyte)
    child->stop = CHILD_TOO_LARGE;
  if (child->stop == CHILD_TOO_LARGE)
    went_wrong(result, "needed more than %.15g MB (--policy-memory)", limits->megabytes);
  else if (child->stop == CHILD_TOO_LONG)
    went_wrong(result, "did not end within %.15g s (--policy-timeout)", limits->seconds);
  else if (WIFSIGNALED(wait_status))
    went_wrong(result, "crashed: signal %d (%s)%s", WTERMSIG(wait_status),
               strsignal(WTERMSIG(wait_status)),
               WTERMSIG(wait_status) == SIGKILL ? ", as when the system is out of memory" : "");
  else
    judge_exit(child, WEXITSTATUS(wait_status), result);
  child_drop(child);
}
