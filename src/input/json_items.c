/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/json_items.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

enum { LONGEST_ITEM = 16 << 20, SHOWN_BYTES = 24 };
enum { END = -1 }; /* of the input, among characters */

static enum hsim_status fail(const struct json_items *items, struct hsim_error *error,
                             const char *what) {
  return hsim_fail(error, HSIM_BAD_INPUT, "%s:%d: not valid JSON: %s", source_name(items->source),
                   items->now, what);
}

/* The next character or END, without taking it. */
static enum hsim_status peek(struct json_items *items, int *c, struct hsim_error *error) {
  if (items->left == 0) {
    enum hsim_status status = source_read(items->source, &items->block, &items->left, error);
    if (status != HSIM_OK)
      return status;
  }
  *c = items->left == 0 ? END : (unsigned char)*items->block;
  if (*c == '\0')
    return fail(items, error, "a zero character");
  return HSIM_OK;
}

static void take(struct json_items *items) {
  items->now += *items->block == '\n';
  items->block++;
  items->left--;
}

/* The next character that is no blank, without taking it. */
static enum hsim_status peek_token(struct json_items *items, int *c, struct hsim_error *error) {
  for (;;) {
    enum hsim_status status = peek(items, c, error);
    if (status != HSIM_OK || (*c != ' ' && *c != '\t' && *c != '\n' && *c != '\r'))
      return status;
    take(items);
  }
}

static enum hsim_status begin(struct json_items *items, struct hsim_error *error) {
  int c;
  size_t n;
  const char *text = source_peek(items->source, &n);
  bool mark = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
  items->begun = true;
  items->index = -1;
  items->now = 1;
  enum hsim_status status = peek(items, &c, error);
  for (int i = 0; mark && i < 3; i++)
    take(items);
  if (status == HSIM_OK)
    status = peek_token(items, &c, error);
  if (status != HSIM_OK)
    return status;
  if (c == END)
    return hsim_fail(error, HSIM_BAD_INPUT, "%s: is empty: expected a JSON array",
                     source_name(items->source));
  if (c != '[')
    return fail(items, error, "expected an array of jobs, which begins with [");
  take(items);
  return HSIM_OK;
}

static enum hsim_status finish(struct json_items *items, struct hsim_error *error) {
  int c;
  take(items);
  enum hsim_status status = peek_token(items, &c, error);
  if (status == HSIM_OK && c != END)
    return fail(items, error, "expected nothing behind the array");
  return status;
}

/* Where in an element the reader is. */
struct scan {
  int depth;
  bool quoted, escaped;
};

/* How much of the text belongs to the element; *ended when the comma or bracket behind it, or a
 * zero, stands there. */
static size_t scan_text(struct scan *scan, const char *text, size_t n, int *lines, bool *ended) {
  size_t i = 0;
  for (; i < n && text[i] != '\0'; i++) {
    char c = text[i];
    *lines += c == '\n';
    if (scan->quoted) {
      scan->quoted = scan->escaped || c != '"';
      scan->escaped = !scan->escaped && c == '\\';
      continue;
    }
    if (scan->depth == 0 && (c == ',' || c == ']'))
      break;
    scan->depth += c == '{' || c == '[';
    scan->depth -= c == '}' || c == ']';
    scan->quoted = c == '"';
  }
  *ended = i < n;
  return i;
}

/* Takes an element's text up to the comma or bracket behind it. */
static enum hsim_status take_text(struct json_items *items, struct hsim_error *error) {
  struct scan scan = {0};
  bool ended = false;
  items->length = 0;
  while (!ended) {
    int c;
    enum hsim_status status = peek(items, &c, error);
    if (status == HSIM_OK && c == END)
      return fail(items, error, "it ends too early");
    if (status != HSIM_OK)
      return status;
    size_t n = scan_text(&scan, items->block, items->left, &items->now, &ended);
    if (n > LONGEST_ITEM - items->length)
      return fail(items, error, "a job of more than 16 MiB");
    items->text = mem_grow(items->text, items->length + n + 1, &items->capacity, 1);
    memcpy(items->text + items->length, items->block, n);
    items->length += n;
    items->block += n;
    items->left -= n;
  }
  return peek(items, &(int){0}, error); /* a zero */
}

/* An escaped zero would end the string in memory. */
static bool has_zero(const char *text) {
  return strstr(text, "\\u0000") != NULL;
}

static enum hsim_status parse(const struct json_items *items, cJSON **item,
                              struct hsim_error *error) {
  const char *end = NULL, *file = source_name(items->source);
  int line = items->line;
  if (has_zero(items->text))
    return hsim_fail(error, HSIM_BAD_INPUT, "%s:%d: a zero character: expected text without one",
                     file, line);
  *item = cJSON_ParseWithLengthOpts(items->text, items->length + 1, &end, true);
  if (*item != NULL)
    return HSIM_OK;
  end = end == NULL ? items->text : end;
  for (const char *at = items->text; at < end; at++)
    line += *at == '\n';
  return hsim_fail(error, HSIM_BAD_INPUT, "%s:%d: not valid JSON near \"%.*s\"", file, line,
                   (int)(strcspn(end, "\r\n") < SHOWN_BYTES ? strcspn(end, "\r\n") : SHOWN_BYTES),
                   end);
}

enum hsim_status json_items_next(struct json_items *items, cJSON **item, struct hsim_error *error) {
  int c;
  *item = NULL;
  enum hsim_status status = items->begun ? HSIM_OK : begin(items, error);
  if (status == HSIM_OK)
    status = peek_token(items, &c, error);
  if (status != HSIM_OK)
    return status;
  if (c == ']')
    return finish(items, error);
  if (items->index >= 0) {
    if (c != ',')
      return fail(items, error, c == END ? "it ends too early" : "expected , or ] behind a job");
    take(items);
    status = peek_token(items, &c, error);
    if (status != HSIM_OK)
      return status;
  }
  if (items->index == INT_MAX - 1 || items->now > INT_MAX - LONGEST_ITEM)
    return fail(items, error, "too many jobs");
  items->index++;
  items->line = items->now;
  status = take_text(items, error);
  if (status != HSIM_OK)
    return status;
  if (items->length == 0)
    return fail(items, error, "expected a job before , or ]");
  items->text[items->length] = '\0';
  return parse(items, item, error);
}

void json_items_free(struct json_items *items) {
  free(items->text);
  *items = (struct json_items){0};
}
