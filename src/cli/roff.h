/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text of people as input of roff with the man macros. */
#ifndef HSIM_CLI_ROFF_H
#define HSIM_CLI_ROFF_H

#include <stdio.h>

/* The text as it stands, without a newline at its end; \n begins a new line of the source, which
 * roff joins again. */
void roff_text(FILE *out, const char *text);

/* The same, as a command line is set: words in capitals in italics, others bold. */
void roff_typed(FILE *out, const char *text);

#endif
