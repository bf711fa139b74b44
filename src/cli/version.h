/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HSIM_VERSION comes from the build: the project's version. */
#ifndef HSIM_CLI_VERSION_H
#define HSIM_CLI_VERSION_H

#define HSIM_VERSION_TEXT                                                                          \
  "hsim " HSIM_VERSION "\n"                                                                        \
  "Licence GPL-3.0-or-later. There is no warranty, as far as the law permits."

#endif
