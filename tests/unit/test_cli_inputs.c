/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a call reads, and what another seed makes of it. */
#include "cli/inputs.h"

#include <math.h>

#include "input_fixture.h"

static const char named[] = "job_id,arrival_s,model,workers,steps\na,0,A3C,1,10\nb,5,A3C,1,10\n";

/* 40 jobs without models, which the seed assigns. */
static void write_unnamed(const char *path) {
  FILE *file = fopen(path, "w");
  fputs("job_id,arrival_s,workers,duration_s\n", file);
  for (int i = 0; i < 40; i++)
    fprintf(file, "%d,%d,1,%d\n", i, i, 200000 + i); /* long: one of two models by a coin */
  fclose(file);
}

/* Words split at blanks; *text holds them. */
static void load(char *text, struct cli_options *options, struct inputs *inputs) {
  char *argv[20] = {(char[]){"hsim"}};
  int argc = 1;
  struct hsim_error error = {.text = ""};
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
    argv[argc++] = word;
  if (cli_options_parse(argc, argv, options, &error) != HSIM_OK ||
      inputs_load(options, inputs, &error) != HSIM_OK)
    fail_msg("%s", error.text);
}

static void unload(struct cli_options *options, struct inputs *inputs) {
  inputs_free(inputs);
  cli_options_free(options);
}

static void test_nothing_depends_on_the_seed(void **state) {
  (void)state;
  struct cli_options o;
  struct inputs in;
  struct hsim_error error;
  write_text("t", named);
  char text[] = "--policy las,gavel --trace t --semantics gavel";
  load(text, &o, &in);
  assert_int_equal(in.n_runs, 2);
  assert_string_equal(in.runs[1].semantics.preset, "gavel");
  assert_false(inputs_depend_on_seed(&o, &in));
  const struct hsim_job *jobs = in.trace.jobs;
  assert_int_equal(inputs_reseed(&o, &in, 5, &error), HSIM_OK);
  assert_ptr_equal(in.trace.jobs, jobs); /* not read again */
  assert_true(in.seed == 5);
  unload(&o, &in);
  unlink("t");
}

static void test_assigned_models(void **state) {
  (void)state;
  struct cli_options o, fresh;
  struct inputs in, direct;
  struct hsim_error error;
  write_unnamed("t");
  char text[] = "--policy las --trace t --assign uniform",
       five[] = "--policy las --trace t --assign uniform --seed 5";
  load(text, &o, &in);
  load(five, &fresh, &direct);
  assert_true(inputs_depend_on_seed(&o, &in));
  int first[40], differ = 0;
  for (int j = 0; j < 40; j++)
    first[j] = in.trace.jobs[j].model;
  assert_int_equal(inputs_reseed(&o, &in, 5, &error), HSIM_OK);
  for (int j = 0; j < 40; j++) {
    differ += in.trace.jobs[j].model != first[j];
    assert_int_equal(in.trace.jobs[j].model, direct.trace.jobs[j].model);
    assert_true(in.trace.jobs[j].steps == direct.trace.jobs[j].steps);
  }
  assert_true(differ > 10);
  unload(&fresh, &direct);
  write_text("t", named);
  assert_int_equal(inputs_reseed(&o, &in, 6, &error), HSIM_BAD_INPUT);
  assert_non_null(strstr(error.text, "t: it is read again for each of --seeds, and has changed"));
  unload(&o, &in);
  unlink("t");
}

static int slow_nodes(const struct inputs *in, uint64_t *which) {
  int n = 0;
  *which = 0;
  for (int i = 0; i < in->cluster.view.n_nodes; i++)
    if (in->outages.node_speed[i] < 1) {
      assert_true(in->outages.node_speed[i] == 0.5);
      *which |= UINT64_C(1) << i;
      n++;
    }
  return n;
}

static void test_stragglers(void **state) {
  (void)state;
  struct cli_options o;
  struct inputs in;
  struct hsim_error error;
  write_text("t", named);
  char text[] = "--policy las --trace t --stragglers 0.4:0.5 --events-in e";
  write_text("e", "time_s,event,target\n1,node_down,n3\n2,node_up,n3\n6,cancel,b\n");
  load(text, &o, &in);
  assert_true(inputs_depend_on_seed(&o, &in));
  uint64_t before, after;
  assert_int_equal(slow_nodes(&in, &before), 6); /* of 15 */
  assert_int_equal(inputs_reseed(&o, &in, 1, &error), HSIM_OK);
  assert_int_equal(slow_nodes(&in, &after), 6);
  assert_true(before != after);
  assert_true(in.outages.n_nodes == 2 && in.outages.n_cancels == 1);
  unload(&o, &in);
  unlink("t");
  unlink("e");
}

static void test_window_beyond_the_trace(void **state) {
  (void)state;
  write_text("t", named);
  struct cli_options o;
  struct inputs in;
  struct hsim_error error = {.text = ""};
  char *argv[] = {(char[]){"hsim"}, (char[]){"--policy"},  (char[]){"las"}, (char[]){"--trace"},
                  (char[]){"t"},    (char[]){"--measure"}, (char[]){"0:3"}};
  assert_int_equal(cli_options_parse(7, argv, &o, &error), HSIM_OK);
  assert_int_equal(inputs_load(&o, &in, &error), HSIM_BAD_USAGE);
  assert_string_equal(error.text, "option --measure: job 2, but the trace has 2 jobs");
  cli_options_free(&o);
  unlink("t");
}

int main(void) {
  char folder[64];
  enter_folder(folder);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nothing_depends_on_the_seed), cmocka_unit_test(test_assigned_models),
      cmocka_unit_test(test_stragglers), cmocka_unit_test(test_window_beyond_the_trace)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (chdir("/") == 0)
    rmdir(folder);
  return failed;
}
