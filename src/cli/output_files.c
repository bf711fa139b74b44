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
    {"jobs-out", OUT_JOBS, false, NULL, jobs_csv_header, "", "", jobs_csv_sink},
    {"events-out", OUT_EVENTS, false, NULL, events_csv_header, "", "", events_csv_sink},
    {"series-out", OUT_SERIES, false, NULL, series_csv_header, "", "", series_csv_sink},
    {"policy-log", OUT_POLICY_LOG, false, NULL, NULL, "", "", policy_log_sink},
    {"timeline", OUT_TIMELINE, false, NULL, timeline_header, TIMELINE_BETWEEN, TIMELINE_FOOTER,
     timeline_sink},
    {"batsim-out", OUT_BATSIM, true, "_jobs.csv", batsim_jobs_header, "", "", batsim_jobs_sink},
    {"batsim-out", OUT_BATSIM, true, "_segments.csv", batsim_segments_header, "", "",
     batsim_segments_sink},
    {"batsim-out", OUT_BATSIM, true, "_resources.csv", batsim_resources, "", "", NULL},
    {"swf-out", OUT_SWF, true, NULL, NULL, "", "", result_swf_sink},
    {"gavel-log", OUT_GAVEL_LOG, true, NULL, NULL, "", "", gavel_log_sink},
};
