/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output_files.h"

#include "output/batsim.h"
#include "output/events_csv.h"
#include "output/gavel_log.h"
#include "output/jobs_csv.h"
#include "output/policy_log.h"
#include "output/result_swf.h"
#include "output/series_csv.h"
#include "output/timeline.h"

const struct output_file output_files[N_OUTPUT_FILES] = {
    {"jobs-out", OUT_JOBS, NULL, false, jobs_csv_header, "", "", jobs_csv_sink},
    {"events-out", OUT_EVENTS, NULL, false, events_csv_header, "", "", events_csv_sink},
    {"series-out", OUT_SERIES, NULL, false, series_csv_header, "", "", series_csv_sink},
    {"policy-log", OUT_POLICY_LOG, NULL, false, NULL, "", "", policy_log_sink},
    {"timeline", OUT_TIMELINE, NULL, false, timeline_header, TIMELINE_BETWEEN, TIMELINE_FOOTER,
     timeline_sink},
    {"batsim-out", OUT_BATSIM, "_jobs.csv", true, batsim_jobs_header, "", "", batsim_jobs_sink},
    {"batsim-out", OUT_BATSIM, "_segments.csv", true, batsim_segments_header, "", "",
     batsim_segments_sink},
    {"batsim-out", OUT_BATSIM, "_resources.csv", true, batsim_resources, "", "", NULL},
    {"swf-out", OUT_SWF, NULL, true, NULL, "", "", result_swf_sink},
    {"gavel-log", OUT_GAVEL_LOG, NULL, true, NULL, "", "", gavel_log_sink},
};
