/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "input/elastic.h"

#include <math.h>
#include <string.h>

#include "model/number.h"

static bool parse_bound(const char *text, size_t length, struct elastic_bound *bound) {
  bound->is_multiple = length > 0 && text[length - 1] == 'x';
  if (bound->is_multiple)
    return number_parse(text, length - 1, &bound->value) == NUMBER_OK && bound->value > 0;
  int64_t workers = 0;
  if (number_parse_int(text, length, &workers) != NUMBER_OK || workers < 1 || workers > INT32_MAX)
    return false;
  bound->value = (double)workers;
  return true;
}

enum hsim_status elastic_parse(const char *text, struct elastic_range *range,
                               struct hsim_error *error) {
  const char *colon = strchr(text, ':');
  if (colon == NULL || !parse_bound(text, (size_t)(colon - text), &range->min) ||
      !parse_bound(colon + 1, strlen(colon + 1), &range->max))
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "elastic range \"%.80s\": expected MIN:MAX, each a number of workers or a "
                     "multiple of the job's workers such as 0.5x; the default is 1:1x",
                     text);
  if (range->min.is_multiple == range->max.is_multiple && range->min.value > range->max.value)
    return hsim_fail(error, HSIM_BAD_USAGE,
                     "elastic range \"%.80s\": expected a minimum of at most the maximum", text);
  return HSIM_OK;
}

static int32_t within_int(double value) {
  if (value < 1)
    return 1;
  return value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

void elastic_apply(const struct elastic_range *range, int workers, int32_t *min, int32_t *max) {
  *max = within_int(range->max.is_multiple ? floor(range->max.value * workers) : range->max.value);
  *min = within_int(range->min.is_multiple ? ceil(range->min.value * workers) : range->min.value);
  if (*min > *max)
    *min = *max;
}
