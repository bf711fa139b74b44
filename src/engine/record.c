/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "engine/core.h"

void emit_record(struct hsim_core *core, const struct record *record) {
  struct record stamped = *record;
  stamped.round = core->view.round;
  if (!stamped.detail)
    stamped.detail = "";
  for (size_t i = 0; i < core->config->n_sinks; i++) {
    const struct sink *sink = &core->config->sinks[i];
    if (sink->record)
      sink->record(sink->state, &stamped);
  }
}

void emit_job(struct hsim_core *core, enum record_kind kind, const struct job *job,
              const char *detail) {
  struct record record = {.kind = kind,
                          .time = core->now,
                          .job = job->pub.index,
                          .node = -1,
                          .counts = true,
                          .detail = detail};
  emit_record(core, &record);
}

void emit_gang(struct hsim_core *core, enum record_kind kind, const struct gang *gang) {
  struct record record = {.kind = kind,
                          .time = core->now,
                          .job = gang->pub.job,
                          .gang = &gang->pub,
                          .copy = gang->pub.copy,
                          .node = -1};
  emit_record(core, &record);
}
