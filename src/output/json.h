/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON texts out of cJSON trees. cJSON's own printing rounds numbers; here they get as many digits
 * as reading the same double back needs. An object or array of plain values that fits in a line
 * stays on it, the others have a member a line, indented by 2.
 */
#ifndef HSIM_OUTPUT_JSON_H
#define HSIM_OUTPUT_JSON_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

/* Building. Each ends the process when out of memory, like model/memory.h. */
/* Once, first of all: cJSON, too, ends the process when memory runs out. A text that cannot be kept
 * would be taken for one that is not JSON. */
void json_prepare(void);

cJSON *json_object(void);
cJSON *json_array(void);
void json_add(cJSON *object, const char *name, cJSON *item);
void json_add_number(cJSON *object, const char *name, double value);  /* NaN, infinity: null */
void json_add_count(cJSON *object, const char *name, uint64_t value); /* all digits */
void json_add_int(cJSON *object, const char *name, int64_t value);    /* all digits */
void json_add_bool(cJSON *object, const char *name, int value);
void json_add_text(cJSON *object, const char *name, const char *text); /* NULL: null */
void json_append(cJSON *array, cJSON *item);
cJSON *json_text_item(const char *text);
cJSON *json_number_item(double value); /* NaN, infinity: null */
/* Printed as it is: the text of a JSON value, already indented for its place. */
cJSON *json_raw_item(const char *text);

/* The tree as text, to be freed by the caller, without a final newline. `depth` is how many levels
 * of indent its lines after the first have in front. */
char *json_print(const cJSON *item, int depth);

/* `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
char *json_quote(const char *text);

/* A copy of `text` in which bytes that are not UTF-8 have become U+FFFD. */
char *json_utf8(const char *text);

/* Reading: member by name, NULL when absent or `object` is NULL. */
const cJSON *json_get(const cJSON *object, const char *name);
/* The number, NaN when absent, null, or no number. */
double json_number(const cJSON *object, const char *name);
/* The text, `fallback` when absent or no text. */
const char *json_text(const cJSON *object, const char *name, const char *fallback);

#endif
