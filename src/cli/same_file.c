/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/same_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Where a file is or would be: its folder without links, and its name. False when there is no such
 * folder. */
static bool place_of(const char *path, char place[PATH_MAX]) {
  if (realpath(path, place))
    return true;
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) : 1;
  if (n + 1 > sizeof folder)
    return false;
  snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)n, slash ? path : ".");
  if (!realpath(folder, place))
    return false;
  size_t used = strlen(place);
  snprintf(place + used, PATH_MAX - used, "/%s", slash ? slash + 1 : path);
  return true;
}

bool same_file(const char *a, const char *b) {
  if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
    return false;
  struct stat at_a, at_b;
  bool there = stat(a, &at_a) == 0, there_b = stat(b, &at_b) == 0;
  if (there && there_b)
    return S_ISREG(at_a.st_mode) && at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
  char place_a[PATH_MAX], place_b[PATH_MAX];
  return !there && !there_b && place_of(a, place_a) && place_of(b, place_b) &&
         strcmp(place_a, place_b) == 0;
}
