/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file's sink writes when the stream of a world is replayed. */
#ifndef OUTPUT_TEXT_H
#define OUTPUT_TEXT_H

#include "output/atomic_file.h"
#include "output_world.h"

typedef struct sink make_sink(const struct run_info *info, struct out *out);

/* The text of one run, to be freed. */
__attribute__((unused)) static char *sink_text(const struct world *w, make_sink *make) {
  FILE *file = tmpfile();
  assert_non_null(file);
  struct out out;
  out_open_fd(&out, fileno(file), "part");
  struct sink sink = make(&w->info, &out);
  struct hsim_error error = {0};
  assert_int_equal(replay(w, sink, &error), HSIM_OK);
  sink.free(sink.state);
  out_discard(&out);
  char *text = slurp(file);
  fclose(file);
  return text;
}

/* GPU-seconds that the gangs of a stream held, of at most one gang a job at a time. */
__attribute__((unused)) static double held_gpu_s(const struct world *w) {
  double held = 0, since[64] = {0};
  for (size_t i = 0; i < w->stream.n; i++) {
    const struct record *r = &w->stream.at[i];
    if (r->kind == RECORD_GANG_BEGIN)
      since[r->job] = r->time;
    else if (r->kind == RECORD_GANG_END)
      held += (r->time - since[r->job]) * r->gang->size;
  }
  return held;
}

/* The lines of `text` that hold `part`, as one text to be freed. */
__attribute__((unused)) static char *lines_with(const char *text, const char *part) {
  char *found = mem_zero(strlen(text) + 1, 1);
  size_t used = 0;
  while (*text != '\0') {
    size_t n = strcspn(text, "\n");
    n += text[n] == '\n';
    char *line = mem_text_n(text, n);
    if (strstr(line, part) != NULL) {
      memcpy(found + used, line, n);
      used += n;
    }
    free(line);
    text += n;
  }
  found[used] = '\0';
  return found;
}

#endif
