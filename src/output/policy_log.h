/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What policies emit, one JSON object a line: a sink over a caller's `out`.
 *   {"policy":"hadar","time_s":360,"round":1,"record":{...}}
 * A line break inside an emitted object becomes a blank: JSON has line breaks between tokens only.
 */
#ifndef HSIM_OUTPUT_POLICY_LOG_H
#define HSIM_OUTPUT_POLICY_LOG_H

#include "model/record.h"
#include "output/atomic_file.h"

/* Both arguments must outlive the sink. */
struct sink policy_log_sink(const struct run_info *info, struct out *out);

#endif
