/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/assignment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"

void lap_free(struct lap *lap) {
  free(lap->row_dual);
  free(lap->column_of);
  free(lap->visited_rows);
  free(lap->column_dual);
  free(lap->shortest);
  free(lap->row_of);
  free(lap->from);
  free(lap->unvisited);
  free(lap->costs);
  *lap = (struct lap){0};
}

static void make_room(struct lap *lap, size_t rows, size_t columns) {
  if (rows > lap->row_capacity) {
    size_t n = lap->row_capacity = rows + rows / 2;
    lap->row_dual = mem_resize(lap->row_dual, n, sizeof *lap->row_dual);
    lap->column_of = mem_resize(lap->column_of, n, sizeof *lap->column_of);
    lap->visited_rows = mem_resize(lap->visited_rows, n, sizeof *lap->visited_rows);
  }
  if (columns > lap->column_capacity) {
    size_t n = lap->column_capacity = columns + columns / 2;
    lap->column_dual = mem_resize(lap->column_dual, n, sizeof *lap->column_dual);
    lap->shortest = mem_resize(lap->shortest, n, sizeof *lap->shortest);
    lap->row_of = mem_resize(lap->row_of, n, sizeof *lap->row_of);
    lap->from = mem_resize(lap->from, n, sizeof *lap->from);
    lap->unvisited = mem_resize(lap->unvisited, n, sizeof *lap->unvisited);
    lap->costs = mem_resize(lap->costs, n, sizeof *lap->costs);
  }
}

static void begin(struct lap *lap, int rows, int columns) {
  make_room(lap, (size_t)rows, (size_t)columns);
  for (int i = 0; i < rows; i++) {
    lap->row_dual[i] = 0.0;
    lap->column_of[i] = -1;
  }
  for (int j = 0; j < columns; j++) {
    lap->column_dual[j] = 0.0;
    lap->row_of[j] = -1;
  }
}

/* A search for the shortest path from a new row to a free column. */
struct search {
  int columns, n_unvisited, n_rows; /* n_rows: visited */
  double length;                    /* of the path to what was visited last */
  int sink;                         /* the free column, -1 */
};

/* Improves the paths to the unvisited columns by way of this row; returns the place in the list of
 * the nearest. Among equally near ones a free column wins, the last of them. */
static int relax(struct lap *lap, const struct search *search, int row) {
  double nearest = INFINITY, row_dual = lap->row_dual[row];
  int place = -1;
  for (int k = 0; k < search->n_unvisited; k++) {
    int column = lap->unvisited[k];
    double length = search->length + lap->costs[column] - row_dual - lap->column_dual[column];
    if (length < lap->shortest[column]) {
      lap->shortest[column] = length;
      lap->from[column] = row;
    }
    if (lap->shortest[column] < nearest ||
        (lap->shortest[column] == nearest && lap->row_of[column] < 0)) {
      nearest = lap->shortest[column];
      place = k;
    }
  }
  return place;
}

/* False: no free column can be reached at a finite cost. Visited columns move behind the end of the
 * list of the unvisited ones. */
static bool find_path(struct lap *lap, struct search *search, lap_costs *costs, const void *context,
                      int row) {
  for (int k = 0; k < search->columns; k++) {
    lap->unvisited[k] = search->columns - 1 - k;
    lap->shortest[k] = INFINITY;
  }
  while (search->sink < 0) {
    lap->visited_rows[search->n_rows++] = row;
    costs(context, row, lap->costs);
    int place = relax(lap, search, row);
    if (place < 0 || isinf(lap->shortest[lap->unvisited[place]]))
      return false;
    int column = lap->unvisited[place];
    search->length = lap->shortest[column];
    lap->unvisited[place] = lap->unvisited[--search->n_unvisited];
    lap->unvisited[search->n_unvisited] = column;
    if (lap->row_of[column] < 0)
      search->sink = column;
    else
      row = lap->row_of[column];
  }
  return true;
}

static void update_duals(struct lap *lap, const struct search *search, int new_row) {
  lap->row_dual[new_row] += search->length;
  for (int k = 1; k < search->n_rows; k++) { /* the first is the new one */
    int row = lap->visited_rows[k];
    lap->row_dual[row] += search->length - lap->shortest[lap->column_of[row]];
  }
  for (int k = search->n_unvisited; k < search->columns; k++) {
    int column = lap->unvisited[k];
    lap->column_dual[column] -= search->length - lap->shortest[column];
  }
}

static void augment(struct lap *lap, int column, int new_row) {
  for (int row = -1; row != new_row;) {
    row = lap->from[column];
    int before = lap->column_of[row];
    lap->row_of[column] = row;
    lap->column_of[row] = column;
    column = before;
  }
}

bool lap_solve(struct lap *lap, int rows, int columns, lap_costs *costs, const void *context,
               int *column_of) {
  if (rows == 0)
    return true;
  begin(lap, rows, columns);
  for (int row = 0; row < rows; row++) {
    struct search search = {.columns = columns, .n_unvisited = columns, .sink = -1};
    if (!find_path(lap, &search, costs, context, row))
      return false;
    update_duals(lap, &search, row);
    augment(lap, search.sink, row);
  }
  memcpy(column_of, lap->column_of, (size_t)rows * sizeof *column_of);
  return true;
}
