/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/bound.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/run.h"
#include "cli/version.h"
#include "model/memory.h"
#include "output/json.h"
#include "policy/registry.h"

/* Results that could not be written are no results. */
static int finish(enum hsim_status status) {
  if (fflush(stdout) == 0 && !ferror(stdout))
    return (int)status;
  perror("hsim: standard output");
  return status == HSIM_OK ? HSIM_FAILED : (int)status;
}

/* A standard stream that is closed must not become some file that is opened later. Each is put in
 * the place by one that fails the way a closed one does: input that cannot be read, output that
 * cannot be written; messages are lost, as their reader wanted. */
static void hold_standard_streams(void) {
  static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) < 0)
      _exit(HSIM_FAILED);
}

static enum hsim_status run(int argc, char **argv, struct hsim_error *error) {
  struct cli_options options;
  enum hsim_status status = cli_options_parse(argc, argv, &options, error);
  if (status != HSIM_OK)
    return status;
  switch (options.command) {
  case COMMAND_HELP:
    commands_help(stdout);
    break;
  case COMMAND_VERSION:
    puts(HSIM_VERSION_TEXT);
    break;
  case COMMAND_LIST_POLICIES:
    status = registry_print(stdout, options.list_policy, error);
    break;
  case COMMAND_RUN:
    status = cli_run(&options);
    break;
  case COMMAND_BOUND:
    status = cli_bound(&options);
    break;
  }
  cli_options_free(&options);
  return status;
}

/* The command that is named first; NULL: the main command line, which reads its own. */
static const struct command_entry *find_command(int argc, char **argv) {
  const struct command_entry *command = argc > 1 ? command_named(argv[1]) : NULL;
  return command && command->run ? command : NULL;
}

int main(int argc, char **argv) {
  hold_standard_streams();
  /* A reader that has gone, or a file that may not grow: an output that cannot be written. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  mem_prepare_heap();
  json_prepare();
  struct hsim_error error = {.status = HSIM_OK};
  const struct command_entry *command = find_command(argc, argv);
  enum hsim_status status =
      command ? command->run(argc - 1, argv + 1, &error) : run(argc, argv, &error);
  if (status != HSIM_OK && error.status != HSIM_OK) { /* a row that was skipped leaves one, too */
    fprintf(stderr, "hsim: %s\n", error.text);
    if (status == HSIM_BAD_USAGE)
      fprintf(stderr, "Try 'hsim %s%s--help'.\n", command ? command->name : "", command ? " " : "");
  }
  return finish(status);
}
