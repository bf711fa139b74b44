/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef HSIM_CLI_SAME_FILE_H
#define HSIM_CLI_SAME_FILE_H

#include <stdbool.h>

/* Whether two paths name one regular file, there already or yet to be made. Devices and pipes may
 * be named twice: nothing is replaced there; nor is "-" a file, but a standard stream. */
bool same_file(const char *a, const char *b);

#endif
