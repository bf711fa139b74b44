/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gavel's 10 tab-separated columns. The four that say how a job is started on a real cluster are
 * filled in for the families of Gavel's own job table (as in its published traces), and hold a dash
 * for others.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/number.h"
#include "output/trace_write.h"

/* What starts the models of a family; `before` and `after` stand around the batch size. */
struct family {
  const char *name;
  const char *before, *after;
  const char *folder;
  const char *steps_argument;
  bool needs_data;
};
static const struct family families[] = {
    {"ResNet-18", "python3 main.py --data_dir=%s/cifar10 --batch_size ", "",
     "image_classification/cifar10", "--num_steps", true},
    {"ResNet-50", "python3 main.py -j 8 -a resnet50 -b ", " %s/imagenet/",
     "image_classification/imagenet", "--num_minibatches", true},
    {"Transformer", "python3 train.py -data %s/translation/multi30k.atok.low.pt -batch_size ",
     " -proj_share_weight", "translation", "-step", true},
    {"LM", "python main.py --cuda --data %s/wikitext2 --batch_size ", "", "language_modeling",
     "--steps", true},
    {"Recommendation", "python3 train.py --data_dir %s/ml-20m/pro_sg/ --batch_size ", "",
     "recommendation", "-n", true},
    {"A3C", "python3 main.py --env PongDeterministic-v4 --workers 4 --amsgrad True", "", "rl",
     "--max-steps", false},
    {"CycleGAN", "python3 cyclegan.py --dataset_path %s/monet2photo --decay_epoch 0", "",
     "cyclegan", "--n_steps", true},
};

/* The family of a model, and its batch size as it is written ("" when the name has none). */
static const struct family *family_of(const char *model, char batch[16]) {
  static const char between[] = " (batch size ";
  batch[0] = '\0';
  for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
    size_t n = strlen(families[i].name);
    if (strncmp(model, families[i].name, n) != 0)
      continue;
    if (model[n] == '\0')
      return &families[i];
    if (strncmp(model + n, between, sizeof between - 1) != 0)
      continue;
    snprintf(batch, 16, "%.*s", (int)strspn(model + n + sizeof between - 1, "0123456789"),
             model + n + sizeof between - 1);
    return &families[i];
  }
  return NULL;
}

static void put_start(const char *model, struct out *out) {
  char batch[16];
  const struct family *family = family_of(model, batch);
  if (family == NULL) {
    out_text(out, "\t-\t-\t-\t0\t");
    return;
  }
  out_char(out, '\t');
  out_text(out, family->before);
  out_text(out, batch);
  out_text(out, family->after);
  out_char(out, '\t');
  out_text(out, family->folder);
  out_char(out, '\t');
  out_text(out, family->steps_argument);
  out_text(out, family->needs_data ? "\t1\t" : "\t0\t");
}

static bool is_line_number(const char *id, int line) {
  char text[NUMBER_SIZE];
  number_print(line, text);
  return strcmp(id, text) == 0;
}

void trace_write_gavel(const struct trace_to_write *from, struct out *out, int losses[N_LOSSES]) {
  const struct trace *trace = from->trace;
  for (int i = 0; i < trace->n_jobs; i++) {
    const struct hsim_job *job = &trace->jobs[i];
    const char *model = from->models->at[job->model];
    out_text(out, model);
    put_start(model, out);
    out_int(out, (long long)fmax(trunc(job->steps), 1)); /* Gavel reads an int: no exponent */
    out_char(out, '\t');
    out_int(out, job->workers);
    out_char(out, '\t');
    out_number(out, job->weight);
    out_text(out, "\t-1.000000\t");
    out_number(out, job->arrival_s);
    out_char(out, '\n');
    trace_write_count(from, job, losses);
    losses[LOSS_ESTIMATE] += !isnan(job->estimate_s);
    losses[LOSS_ID] += !is_line_number(job->id, i);
    losses[LOSS_STEPS] += trunc(job->steps) != job->steps;
  }
}
