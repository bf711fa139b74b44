/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers at the edges. Printing gives as few digits as reading the same double back needs;
 * parsing accepts plain decimals with an optional exponent and nothing else. Neither depends on
 * the locale.
 */
#ifndef HSIM_MODEL_NUMBER_H
#define HSIM_MODEL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_SIZE 32

/* Writes `value` and a NUL; returns the length. Integers up to 2^53 print without a point. A NaN
 * or an infinity is a caller's fault and prints as "nan", "inf", "-inf". */
size_t number_print(double value, char out[NUMBER_SIZE]);

enum number_status {
  NUMBER_OK,
  NUMBER_MALFORMED, /* not a plain decimal (also empty, blanks, hex, inf, nan, 1,000) */
  NUMBER_OVERFLOW   /* a decimal, but beyond the type's range */
};

/* `text` need not end in NUL. */
enum number_status number_parse(const char *text, size_t length, double *value);
/* Whole numbers only: digits with an optional sign; "3.0" and "1e3" are malformed. */
enum number_status number_parse_int(const char *text, size_t length, int64_t *value);

#endif
