/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsim/types.h"
#include "model/memory.h"
#include "model/number.h"

enum { LINE_WIDTH = 100, INDENT = 2 };

static cJSON *must(cJSON *item) {
  if (item != NULL)
    return item;
  mem_fail();
}

static void *allocate(size_t size) {
  return mem_alloc(size, 1);
}

void json_prepare(void) {
  cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate, .free_fn = free});
}

cJSON *json_object(void) {
  return must(cJSON_CreateObject());
}
cJSON *json_array(void) {
  return must(cJSON_CreateArray());
}
cJSON *json_text_item(const char *text) {
  return must(cJSON_CreateString(text));
}
cJSON *json_number_item(double value) {
  return must(isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}
cJSON *json_raw_item(const char *text) {
  return must(cJSON_CreateRaw(text));
}

void json_add(cJSON *object, const char *name, cJSON *item) {
  if (!cJSON_AddItemToObject(object, name, item))
    must(NULL);
}

void json_append(cJSON *array, cJSON *item) {
  if (!cJSON_AddItemToArray(array, item))
    must(NULL);
}

void json_add_number(cJSON *object, const char *name, double value) {
  json_add(object, name, json_number_item(value));
}

void json_add_count(cJSON *object, const char *name, uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
  json_add(object, name, json_raw_item(digits));
}

void json_add_int(cJSON *object, const char *name, int64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%lld", (long long)value);
  json_add(object, name, json_raw_item(digits));
}

void json_add_bool(cJSON *object, const char *name, int value) {
  json_add(object, name, must(cJSON_CreateBool(value)));
}

void json_add_text(cJSON *object, const char *name, const char *text) {
  json_add(object, name, text == NULL ? must(cJSON_CreateNull()) : json_text_item(text));
}

struct text {
  char *at;
  size_t n, capacity;
};

static void put(struct text *text, const char *bytes, size_t n) {
  if (text->n + n + 1 > text->capacity) {
    text->capacity = 2 * (text->n + n + 1);
    text->at = mem_resize(text->at, text->capacity, 1);
  }
  memcpy(text->at + text->n, bytes, n);
  text->n += n;
  text->at[text->n] = '\0';
}

static void put_text(struct text *text, const char *bytes) {
  put(text, bytes, strlen(bytes));
}

/* Length of the well-formed UTF-8 sequence at `s`, 0 when there is none (Unicode, table 3-7). */
static size_t utf8_length(const unsigned char *s) {
  if (s[0] < 0x80)
    return 1;
  size_t n = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 4;
  if (s[0] < 0xc2 || s[0] > 0xf4)
    return 0;
  unsigned char low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
  unsigned char high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
  if (s[1] < low || s[1] > high)
    return 0;
  for (size_t i = 2; i < n; i++) {
    if (s[i] < 0x80 || s[i] > 0xbf)
      return 0;
  }
  return n;
}

static void put_escape(struct text *out, unsigned char c) {
  char escape[8];
  switch (c) {
  case '"':
    put_text(out, "\\\"");
    break;
  case '\\':
    put_text(out, "\\\\");
    break;
  case '\n':
    put_text(out, "\\n");
    break;
  case '\r':
    put_text(out, "\\r");
    break;
  case '\t':
    put_text(out, "\\t");
    break;
  default:
    snprintf(escape, sizeof escape, "\\u%04x", c);
    put_text(out, escape);
    break;
  }
}

static void put_quoted(struct text *out, const char *text) {
  put_text(out, "\"");
  while (*text != '\0') {
    const unsigned char *c = (const unsigned char *)text;
    size_t n = utf8_length(c);
    if (n == 0) {
      put_text(out, "\xef\xbf\xbd");
      text++;
      continue;
    }
    if (*c < 0x20 || *c == '"' || *c == '\\' || *c == 0x7f) {
      put_escape(out, *c);
    } else {
      put(out, text, n);
    }
    text += n;
  }
  put_text(out, "\"");
}

char *json_quote(const char *text) {
  struct text out = {0};
  put_quoted(&out, text);
  return out.at;
}

char *json_utf8(const char *text) {
  struct text out = {0};
  put_text(&out, "");
  while (*text != '\0') {
    size_t n = utf8_length((const unsigned char *)text);
    if (n == 0)
      put_text(&out, "\xef\xbf\xbd");
    else
      put(&out, text, n);
    text += n > 0 ? n : 1;
  }
  return out.at;
}

static bool is_plain(const cJSON *item) {
  return (!cJSON_IsObject(item) && !cJSON_IsArray(item)) || item->child == NULL;
}

static void put_plain(struct text *out, const cJSON *item) {
  char number[NUMBER_SIZE];
  if (cJSON_IsObject(item)) {
    put_text(out, "{}");
  } else if (cJSON_IsArray(item)) {
    put_text(out, "[]");
  } else if (cJSON_IsString(item)) {
    put_quoted(out, item->valuestring);
  } else if (cJSON_IsRaw(item)) {
    put_text(out, item->valuestring);
  } else if (cJSON_IsNumber(item) && isfinite(item->valuedouble)) {
    put(out, number, number_print(item->valuedouble, number));
  } else {
    put_text(out, cJSON_IsTrue(item) ? "true" : cJSON_IsFalse(item) ? "false" : "null");
  }
}

static void put_name(struct text *out, const cJSON *parent, const cJSON *item) {
  if (!cJSON_IsObject(parent))
    return;
  put_quoted(out, item->string);
  put_text(out, ": ");
}

/* Everything on one line; false, with `out` as it was, when it does not fit or must not. */
static bool put_line(struct text *out, const cJSON *item, size_t room) {
  size_t begin = out->n;
  bool object = cJSON_IsObject(item);
  put_text(out, object ? "{ " : "[");
  bool fits = true;
  for (const cJSON *child = item->child; child != NULL && fits; child = child->next) {
    put_name(out, item, child);
    put_plain(out, child);
    if (child->next != NULL)
      put_text(out, ", ");
    fits = is_plain(child) && out->n - begin <= room;
  }
  put_text(out, object ? " }" : "]");
  fits = fits && out->n - begin <= room && strchr(out->at + begin, '\n') == NULL;
  if (fits)
    return true;
  out->n = begin;
  out->at[begin] = '\0';
  return false;
}

static void put_indent(struct text *out, int depth) {
  put_text(out, "\n");
  for (int i = 0; i < depth * INDENT; i++)
    put_text(out, " ");
}

/* `used`: characters already on the line. */
static void put_item(struct text *out, const cJSON *item, int depth, size_t used) {
  if (is_plain(item)) {
    put_plain(out, item);
    return;
  }
  if (put_line(out, item, used < LINE_WIDTH ? LINE_WIDTH - used : 0))
    return;
  put_text(out, cJSON_IsObject(item) ? "{" : "[");
  for (const cJSON *child = item->child; child != NULL; child = child->next) {
    put_indent(out, depth + 1);
    size_t begin = out->n;
    put_name(out, item, child);
    put_item(out, child, depth + 1, ((size_t)depth + 1) * INDENT + out->n - begin);
    if (child->next != NULL)
      put_text(out, ",");
  }
  put_indent(out, depth);
  put_text(out, cJSON_IsObject(item) ? "}" : "]");
}

char *json_print(const cJSON *item, int depth) {
  struct text out = {0};
  put(&out, "", 0);
  put_item(&out, item, depth, (size_t)depth * INDENT);
  return out.at;
}

const cJSON *json_get(const cJSON *object, const char *name) {
  return object == NULL ? NULL : cJSON_GetObjectItemCaseSensitive(object, name);
}

double json_number(const cJSON *object, const char *name) {
  const cJSON *item = json_get(object, name);
  return item != NULL && cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

const char *json_text(const cJSON *object, const char *name, const char *fallback) {
  const cJSON *item = json_get(object, name);
  return item != NULL && cJSON_IsString(item) ? item->valuestring : fallback;
}
