/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy that does what its option says, so that the program's answer can be tested. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hsim/policy.h"

enum deed {
  DO_NOTHING,
  DO_CRASH,
  DO_SEGV,
  DO_FAIL,
  DO_FAIL_ODDLY,
  DO_BREAK_PLAN,
  DO_PRINT,
  DO_HANG,
  DO_HANG_CREATE,
  DO_HANG_DESTROY,
  DO_EAT,
  DO_EXIT,
  DO_EXIT_LATE,
  DO_CLOSE,
  DO_CLOSE_HANG,
  DO_SCRIBBLE,
  DO_HELPER
};

static const struct hsim_option options[] = {
    {.name = "do",
     .kind = HSIM_OPTION_CHOICE,
     .fallback = "nothing",
     .choices = "nothing|crash|segv|fail|fail_oddly|break_plan|print|hang|hang_create|hang_destroy|"
                "eat|exit|exit_late|close|close_hang|scribble|helper",
     .help = "what goes wrong"}};

struct misbehaves {
  enum deed deed;
  bool helped;
};

/* Says so, since others may want to wait for it. */
static void hang(void) {
  fputs("misbehaves: hangs\n", stderr);
  for (volatile unsigned turns = 0;; turns++)
    if (turns % 1024 == 0)
      usleep(1000);
}

/* Up to 4 GiB, which should be stopped long before. */
static void eat(void) {
  for (int i = 0; i < 256; i++) {
    volatile char *eaten = malloc(1 << 24);
    if (eaten == NULL)
      abort();
    for (size_t at = 0; at < 1 << 24; at += 4096)
      eaten[at] = 1;
  }
}

/* All descriptors but the standard ones. */
static void close_all(void) {
  for (int fd = 3; fd < 256; fd++)
    close(fd);
}

static void scribble(void) {
  for (int fd = 3; fd < 256; fd++)
    if (write(fd, "scribble\n", 9) < 0)
      continue;
}

/* A process of its own that outlives the policy and holds its descriptors. */
static void leave_helper(struct misbehaves *misbehaves) {
  if (misbehaves->helped)
    return;
  pid_t helper = fork();
  if (helper == 0) {
    sleep(60);
    _exit(0);
  }
  printf("helper %ld\n", (long)helper);
  misbehaves->helped = true;
}

static enum hsim_status create(void *state, const struct hsim_view *view,
                               const struct hsim_value *values, struct hsim_error *error) {
  (void)view;
  (void)error;
  struct misbehaves *misbehaves = state;
  misbehaves->deed = (enum deed)values[0].as.i;
  if (misbehaves->deed == DO_HANG_CREATE)
    hang();
  return misbehaves->deed == DO_FAIL_ODDLY ? (enum hsim_status)HSIM_BUG : HSIM_OK;
}

static void destroy(void *state) {
  switch (((struct misbehaves *)state)->deed) {
  case DO_HANG_DESTROY:
    hang();
    break;
  case DO_EXIT_LATE:
    exit(0);
  default:
    break;
  }
}

/* Whether it goes on to place jobs after that. */
static bool misbehave(struct misbehaves *misbehaves) {
  switch (misbehaves->deed) {
  case DO_CRASH:
    abort();
  case DO_SEGV:
    raise(SIGSEGV);
    return false;
  case DO_PRINT:
    puts("this is no result");
    fflush(stdout);
    return true;
  case DO_HANG:
    hang();
    return false;
  case DO_EAT:
    eat();
    return true;
  case DO_EXIT:
    exit(0);
  case DO_CLOSE:
    close_all();
    return true;
  case DO_CLOSE_HANG:
    close_all();
    hang();
    return false;
  case DO_SCRIBBLE:
    scribble();
    return true;
  case DO_HELPER:
    leave_helper(misbehaves);
    return true;
  default:
    return misbehaves->deed == DO_HANG_DESTROY || misbehaves->deed == DO_EXIT_LATE;
  }
}

static enum hsim_status schedule(void *state, const struct hsim_view *view, struct hsim_plan *plan,
                                 struct hsim_error *error) {
  struct misbehaves *misbehaves = state;
  if (misbehaves->deed == DO_FAIL)
    return hsim_fail(error, HSIM_FAILED, "it will not");
  if (misbehaves->deed == DO_BREAK_PLAN) {
    hsim_plan_place(plan, view->first->index, &(struct hsim_share){0, 1000}, 1);
    return HSIM_OK;
  }
  if (!misbehave(misbehaves))
    return HSIM_OK;
  for (const struct hsim_active *job = view->first; job; job = job->next) {
    const struct hsim_share *shares;
    int n = job->n_gangs ? 0 : hsim_find_gpus(plan, 0, job->job->workers, HSIM_PACK_ANY, &shares);
    if (n > 0)
      hsim_plan_place(plan, job->index, shares, n);
  }
  return HSIM_OK;
}

HSIM_API const struct hsim_policy hsim_policy = {
    .version = HSIM_POLICY_VERSION,
    .size = sizeof(struct hsim_policy),
    .name = "misbehaves",
    .summary = "Does what its option says",
    .mode = HSIM_MODE_EVENT,
    .state_size = sizeof(struct misbehaves),
    .options = options,
    .n_options = 1,
    .create = create,
    .destroy = destroy,
    .schedule = schedule,
};
