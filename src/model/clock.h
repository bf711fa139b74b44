/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's own clock, for progress and --timing only: no result depends on it. */
#ifndef HSIM_MODEL_CLOCK_H
#define HSIM_MODEL_CLOCK_H

/* Seconds since some fixed moment; never goes back. */
double clock_seconds(void);

#endif
