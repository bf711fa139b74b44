/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/row.h"
#include "model/names.h"
#include "model/number.h"

/* ---- syntax ---- */

enum { LARGEST_FILE = 256 << 20, SHOWN_BYTES = 24 };

static bool only_blanks(const char *text) {
  return text[strspn(text, " \t\r\n")] == '\0';
}

/* Arrays and objects that are open there, before which the text is sound. */
static int depth_at(const char *text, const char *end) {
  int depth = 0;
  bool inside = false; /* a string */
  for (const char *at = text; at < end; at++) {
    if (inside && *at == '\\')
      at++;
    else if (*at == '"')
      inside = !inside;
    else if (!inside)
      depth += (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
  }
  return depth;
}

static enum hsim_status syntax_error(const char *file, const char *text, const char *end,
                                     struct hsim_error *error) {
  int line = 1;
  const char *start = text;
  for (const char *at = text; at < end; at++)
    if (*at == '\n') {
      line++;
      start = at + 1;
    }
  int column = (int)(end - start) + 1;
  if (only_blanks(text))
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: is empty: expected JSON", file);
  if (depth_at(text, end) >= CJSON_NESTING_LIMIT)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s:%d:%d: arrays and objects nested more than %d deep",
                     file, line, column, CJSON_NESTING_LIMIT);
  if (only_blanks(end))
    return hsim_fail(error, HSIM_BAD_INPUT, "%s:%d:%d: not valid JSON: it ends too early", file,
                     line, column);
  size_t shown = strcspn(end, "\r\n");
  return hsim_fail(error, HSIM_BAD_INPUT, "%s:%d:%d: not valid JSON near \"%.*s\"", file, line,
                   column, (int)(shown < SHOWN_BYTES ? shown : SHOWN_BYTES), end);
}

/* A zero byte, or the escape of one: it would end a C string early. NULL when there is none. */
static const char *find_nul(const char *text, size_t n) {
  const char *byte = memchr(text, '\0', n);
  if (byte)
    return byte;
  for (const char *at = strstr(text, "u0000"); at; at = strstr(at + 1, "u0000")) {
    size_t backslashes = 0;
    while (at - backslashes > text && at[-1 - (ptrdiff_t)backslashes] == '\\')
      backslashes++;
    if (backslashes % 2 == 1)
      return at;
  }
  return NULL;
}

static enum hsim_status bad_nul(const char *file, const char *text, const char *at,
                                struct hsim_error *error) {
  int line = 1;
  for (const char *c = text; c < at; c++)
    line += *c == '\n';
  return hsim_fail(error, HSIM_BAD_INPUT, "%s:%d: a zero character: expected text without one",
                   file, line);
}

enum hsim_status json_read(struct source *source, cJSON **root, struct hsim_error *error) {
  char *text;
  size_t n;
  const char *file = source_name(source), *end = NULL;
  enum hsim_status status = source_read_all(source, LARGEST_FILE, &text, &n, error);
  if (status != HSIM_OK)
    return status;
  const char *nul = find_nul(text, n);
  if (nul) {
    status = bad_nul(file, text, nul, error);
    free(text);
    return status;
  }
  /* The NUL behind the text is part of what is parsed: nothing else may follow the value. */
  *root = cJSON_ParseWithLengthOpts(text, n + 1, &end, true);
  if (*root == NULL)
    status = syntax_error(file, text, end == NULL ? text : end, error);
  free(text);
  return status;
}

/* ---- paths ---- */

static bool is_plain(const char *key) {
  return key[0] != '\0' && key[strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789_-")] == '\0';
}

/* Prints the path from the root down; returns its length so far. */
static size_t print_path(const struct json_at *at, char *out, size_t size) {
  if (at->up == NULL)
    return 0;
  size_t used = print_path(at->up, out, size);
  if (used >= size)
    return used;
  char *end = out + used;
  size_t left = size - used;
  if (at->key == NULL)
    return used + (size_t)snprintf(end, left, "[%d]", at->index);
  if (!is_plain(at->key))
    return used + (size_t)snprintf(end, left, "[\"%.60s\"]", at->key);
  return used + (size_t)snprintf(end, left, "%s%.60s", used > 0 ? "." : "", at->key);
}

static const char *file_of(const struct json_at *at) {
  while (at->up != NULL)
    at = at->up;
  return at->file;
}

static enum hsim_status fail_at(const struct json_at *at, enum hsim_status status,
                                struct hsim_error *error, const char *text) {
  char path[300] = "";
  print_path(at, path, sizeof path);
  return hsim_fail(error, status, "%s: %s%s%s", file_of(at), path, path[0] != '\0' ? ": " : "",
                   text);
}

enum hsim_status json_place(const struct json_at *at, enum hsim_status status,
                            struct hsim_error *error) {
  if (status == HSIM_OK || error == NULL)
    return status;
  char text[600];
  snprintf(text, sizeof text, "%.590s", error->text);
  return fail_at(at, status, error, text);
}

static const char *shown_value(const cJSON *value, char out[QUOTE_SIZE]) {
  if (cJSON_IsString(value))
    return quoted(out, value->valuestring, strlen(value->valuestring));
  if (cJSON_IsNumber(value)) {
    char number[NUMBER_SIZE];
    number_print(value->valuedouble, number);
    snprintf(out, QUOTE_SIZE, "%s", number);
    return out;
  }
  if (cJSON_IsBool(value))
    return cJSON_IsTrue(value) ? "true" : "false";
  if (cJSON_IsArray(value))
    return "is an array";
  return cJSON_IsObject(value) ? "is an object" : "null";
}

enum hsim_status json_bad(const struct json_at *at, const cJSON *value, struct hsim_error *error,
                          const char *expected, ...) {
  char wanted[400], text[600], shown[QUOTE_SIZE];
  va_list arguments;
  va_start(arguments, expected);
  vsnprintf(wanted, sizeof wanted, expected, arguments);
  va_end(arguments);
  snprintf(text, sizeof text, "value %s: expected %s", shown_value(value, shown), wanted);
  return fail_at(at, HSIM_BAD_INPUT, error, text);
}

/* ---- values ---- */

static enum hsim_status unknown_key(const struct json_at *at, const char *const *keys, size_t n,
                                    struct hsim_error *error) {
  char hint[HINT_SIZE], text[600];
  size_t used = (size_t)snprintf(text, sizeof text, "unknown key: expected %s", keys[0]);
  for (size_t i = 1; i < n; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i + 1 < n ? ", " : " or ",
                             keys[i]);
  snprintf(text + used, sizeof text - used, "%s", hint_near(hint, keys, n, at->key));
  return fail_at(at, HSIM_BAD_INPUT, error, text);
}

enum hsim_status json_keys(const struct json_at *at, const cJSON *object, const char *const *keys,
                           int n, struct hsim_error *error) {
  uint64_t seen = 0;
  if (!cJSON_IsObject(object))
    return json_bad(at, object, error, "an object");
  for (const cJSON *value = object->child; value != NULL; value = value->next) {
    int k = 0;
    while (k < n && strcmp(keys[k], value->string) != 0)
      k++;
    const struct json_at here = {.up = at, .key = value->string};
    if (k == n)
      return unknown_key(&here, keys, (size_t)n, error);
    if ((seen >> k & 1) != 0)
      return fail_at(&here, HSIM_BAD_INPUT, error, "the key stands there twice");
    seen |= UINT64_C(1) << k;
  }
  return HSIM_OK;
}

enum hsim_status json_whole(const struct json_at *at, const cJSON *value, int min, int max,
                            int *out, struct hsim_error *error) {
  double number = cJSON_IsNumber(value) ? value->valuedouble : NAN;
  if (!(number >= min && number <= max) || number != floor(number))
    return json_bad(at, value, error, "a whole number from %d to %d", min, max);
  *out = (int)number;
  return HSIM_OK;
}

enum hsim_status json_real(const struct json_at *at, const cJSON *value, double *out,
                           struct hsim_error *error) {
  double number = cJSON_IsNumber(value) ? value->valuedouble : NAN;
  if (!isfinite(number) || number < 0)
    return json_bad(at, value, error, "a number of at least 0");
  *out = number + 0.0;
  return HSIM_OK;
}

enum hsim_status json_string(const struct json_at *at, const cJSON *value, const char **out,
                             struct hsim_error *error) {
  if (!cJSON_IsString(value) || value->valuestring[0] == '\0')
    return json_bad(at, value, error, "a text that is not empty");
  *out = value->valuestring;
  return HSIM_OK;
}
