/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/pieces.h"

#include <string.h>

#include "model/memory.h"
#include "model/number.h"

void pieces_add(struct pieces *p, const char *piece) {
  size_t n = strlen(piece);
  p->text = mem_grow(p->text, p->n + n + 1, &p->capacity, 1);
  memcpy(p->text + p->n, piece, n + 1);
  p->n += n;
}

void pieces_add_value(struct pieces *p, const cJSON *item) {
  char number[NUMBER_SIZE];
  if (cJSON_IsString(item)) {
    pieces_add(p, item->valuestring);
  } else if (cJSON_IsNumber(item)) {
    number_print(item->valuedouble, number);
    pieces_add(p, number);
  } else {
    pieces_add(p, cJSON_IsTrue(item) ? "1" : cJSON_IsFalse(item) ? "0" : "-");
  }
}
