/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output_files.h"

#include "output/events_csv.h"
#include "output/jobs_csv.h"
#include "output/policy_log.h"
#include "output/series_csv.h"
#include "output/timeline.h"

const struct output_file output_files[N_OUTPUT_FILES] = {
    {OUT_JOBS, jobs_csv_header, "", "", jobs_csv_sink},
    {OUT_EVENTS, events_csv_header, "", "", events_csv_sink},
    {OUT_SERIES, series_csv_header, "", "", series_csv_sink},
    {OUT_POLICY_LOG, NULL, "", "", policy_log_sink},
    {OUT_TIMELINE, timeline_header, TIMELINE_BETWEEN, TIMELINE_FOOTER, timeline_sink},
};
