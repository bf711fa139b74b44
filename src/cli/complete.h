/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command `hsim complete WORD...`, for a shell's completion: given the words behind the
 * program's name, the last one unfinished, it prints what that one may become, one whole word a
 * line. Lines that begin with a colon tell the shell more: ":files" names of files may stand here,
 * too; ":nospace" what is completed may go on.
 */
#ifndef HSIM_CLI_COMPLETE_H
#define HSIM_CLI_COMPLETE_H

#include "hsim/types.h"

/* argv[0] is the command's name. */
enum hsim_status cli_complete(int argc, char **argv, struct hsim_error *error);

#endif
