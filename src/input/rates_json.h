/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gavel's oracle JSON; only rates.c includes this. */
#ifndef HSIM_INPUT_RATES_JSON_H
#define HSIM_INPUT_RATES_JSON_H

#include "input/source.h"
#include "model/rates.h"

/* Adds the file's cells to *rates; does not finish it. */
enum hsim_status rates_read_json(struct source *source, struct rates *rates,
                                 struct hsim_error *error);

#endif
