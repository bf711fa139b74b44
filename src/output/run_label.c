/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/run_label.h"

#include <stdbool.h>
#include <string.h>

#include "output/json.h"
#include "output/pieces.h"

/* Whether another run of the same policy has another value of this option. */
static bool tells_apart(const cJSON *const *runs, size_t n, const char *policy,
                        const cJSON *option) {
  for (size_t k = 0; k < n; k++)
    if (strcmp(json_text(runs[k], "policy", "?"), policy) == 0 &&
        !cJSON_Compare(json_get(json_get(runs[k], "options"), option->string), option, 1))
      return true;
  return false;
}

char *run_label(const cJSON *const *runs, size_t n, size_t i) {
  struct pieces label = {0};
  const char *policy = json_text(runs[i], "policy", "?");
  const cJSON *option;
  pieces_add(&label, policy);
  cJSON_ArrayForEach(option, json_get(runs[i], "options")) {
    if (!tells_apart(runs, n, policy, option))
      continue;
    pieces_add(&label, ":");
    pieces_add(&label, option->string);
    pieces_add(&label, "=");
    pieces_add_value(&label, option);
  }
  return label.text;
}
