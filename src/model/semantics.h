/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules on which published simulators disagree, as one plain struct with named presets, and
 * the costs that every policy of a call shares. Each field is read in one place.
 */
#ifndef HSIM_MODEL_SEMANTICS_H
#define HSIM_MODEL_SEMANTICS_H

#include "hsim/types.h"

enum round_end { ROUND_END_GRID, ROUND_END_SLOWEST };
enum steps_rule { STEPS_REAL, STEPS_WHOLE };
enum clock_jump { JUMP_NEXT_EVENT, JUMP_NEXT_ARRIVAL };
enum charge_from { CHARGE_START, CHARGE_PREVIOUS_ROUND_END };
enum pair_finish { PAIR_OWN, PAIR_LATER };
enum missing_size { MISSING_INTERPOLATE, MISSING_REJECT };
enum spread_rule { SPREAD_TABLE, SPREAD_IGNORE, SPREAD_FILE };
enum grid_rule { GRID_RESTART, GRID_ABSOLUTE };
enum freed_rule { FREED_BY_POLICY, FREED_ROUND, FREED_EVENT };

struct semantics {
  const char *preset; /* static name: "default" or "gavel" */
  enum round_end round_end;
  enum steps_rule steps;
  enum clock_jump clock_jump;
  enum charge_from charge_from;
  int drop_after; /* 0 = never */
  enum pair_finish pair_finish;
  enum missing_size missing_size;
  enum spread_rule spread;
  char *spread_file;     /* owned, with SPREAD_FILE */
  double spread_default; /* 0 < phi <= 1 */
  enum grid_rule grid;
  enum freed_rule freed;
};

/* "PRESET[:FIELD=VALUE...]" as typed on the command line; "\:" is a colon in a value. The old
 * content is overwritten, not freed; after a failure there is nothing to free. All faults are
 * HSIM_BAD_USAGE. */
enum hsim_status semantics_parse(const char *text, struct semantics *semantics,
                                 struct hsim_error *error);
enum hsim_status semantics_preset(const char *name, struct semantics *semantics,
                                  struct hsim_error *error);
void semantics_free(struct semantics *semantics);

/* What may be typed: preset i and field i, NULL past the last; the words that a field takes, NULL
 * past the last, as for one that takes a number. */
const char *semantics_preset_name(int i);
const char *semantics_field_name(int i);
const char *semantics_field_word(int field, int i);

/* Field i as name and printed value, for the summary; false past the last one. The value is valid
 * until the next call with the same buffer. `number` tells that it is to be printed bare. */
bool semantics_field(const struct semantics *semantics, int i, const char **name,
                     const char **value, bool *number, char buffer[32]);

/* Whose steps an interruption takes back: nobody's; since the last epoch's end; since the last
 * checkpoint; the same, but only when a node fails under the job. */
enum rollback { ROLLBACK_NONE, ROLLBACK_EPOCH, ROLLBACK_INTERVAL, ROLLBACK_FAILURE };

/* Seconds without progress, charged as running time with the GPUs held. */
struct costs {
  const char *preset; /* static name, or NULL when the values were given one by one */
  double start, move, resize;
  enum rollback rollback;
  double checkpoint_s, checkpoint_interval_s; /* 0, 0: no checkpoints are written */
};

/* `default`, `none`, `gavel`, `hadar`, `voda`. */
enum hsim_status costs_preset(const char *name, struct costs *costs, struct hsim_error *error);
const char *costs_preset_name(int i); /* NULL past the last */

#endif
