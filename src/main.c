/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/run.h"
#include "cli/version.h"
#include "model/memory.h"
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

int main(int argc, char **argv) {
  hold_standard_streams();
  mem_prepare_heap();
  struct cli_options options;
  struct hsim_error error = {.status = HSIM_OK};
  enum hsim_status status = cli_options_parse(argc, argv, &options, &error);
  if (status == HSIM_OK) {
    switch (options.command) {
    case COMMAND_HELP:
      cli_help(stdout);
      break;
    case COMMAND_VERSION:
      puts(HSIM_VERSION_TEXT);
      break;
    case COMMAND_LIST_POLICIES:
      status = registry_print(stdout, options.list_policy, &error);
      break;
    case COMMAND_RUN:
      status = cli_run(&options);
      break;
    }
    cli_options_free(&options);
  }
  if (error.status != HSIM_OK) {
    fprintf(stderr, "hsim: %s\n", error.text);
    if (status == HSIM_BAD_USAGE)
      fputs("Try 'hsim --help'.\n", stderr);
  }
  return finish(status);
}
