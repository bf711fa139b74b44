/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times auctions of the policy themis: participants that hold nothing, of about ROWS rows in all,
 * bid for what is free of 38 nodes of 8 GPUs: 0 to 8 each, 152 on average. Each wants 2, 4, 8, ...
 * or 2 to the power of SIZES, as likely: with 24 of them 180 GPUs in all for 4 sizes, twice what
 * there is (298) for 5, three and a half times (504) for 6. Prints these numbers, mean and longest
 * processor time of one solve and of a whole auction with its payments, and how many solves hit the
 * limit on nodes.
 *
 * usage: themis_auction [PARTICIPANTS [ROWS [AUCTIONS [SIZES]]]]     (24, 750, 20, 5)
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model/cluster.h"
#include "model/memory.h"
#include "policy/themis/auction.h"

enum { NODES = 38, GPUS = 8, PARTICIPANTS_MAX = 256 };

struct job {
  double work;
  const double *efficiency;
};

static double seconds(const void *context, int task, int workers, enum hsim_span span) {
  const struct job *job = context;
  (void)task;
  return job->work / (workers * job->efficiency[span]);
}

/* Of the processor, so that others on the machine do not count. */
static double processor_seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

/* Bids of an app of one job for the offer. */
static void bid(struct themis_table *table, struct themis_agent *agent,
                const struct hsim_cluster *cluster, const struct themis_offer *offer, int app,
                int rows, uint64_t sizes, struct hsim_rng *rng) {
  static const double kinds[3][4] = {{1, 1, 0.72, 0.52}, {1, 1, 0.98, 0.96}, {1, 1, 0.8, 0.64}};
  struct job job = {600 + 60 * (double)hsim_rng_below(rng, 600), kinds[hsim_rng_below(rng, 3)]};
  themis_agent_begin(agent, cluster, seconds, &job);
  agent->app = app;
  agent->elapsed_s = 60 * (double)hsim_rng_below(rng, 300);
  agent->ideal_s = 3600;
  themis_agent_task(agent, app, 1, 2 << hsim_rng_below(rng, sizes), NULL, 0);
  themis_agent_finish(agent);
  themis_bid(table, agent, offer, &(struct themis_bid_rules){rows, 4, 0.01});
}

static void build(struct cluster *cluster, struct hsim_error *error) {
  for (int n = 0; n < NODES; n++) {
    char rack[16];
    snprintf(rack, sizeof rack, "r%d", n / 8);
    if (cluster_add_node(cluster, NULL, rack, 4, error) != HSIM_OK ||
        cluster_add_bay(cluster, "gpu", GPUS, error) != HSIM_OK)
      exit(1);
  }
  if (cluster_finish(cluster, "bench", error) != HSIM_OK)
    exit(1);
}

int main(int argc, char **argv) {
  int participants = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 24,
      rows = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 750;
  int auctions = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 20,
      sizes = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 5;
  int room[NODES], row[PARTICIPANTS_MAX];
  if (participants < 1 || participants > PARTICIPANTS_MAX || rows < participants || auctions < 1 ||
      sizes < 1 || sizes > 8) {
    fputs("usage: themis_auction [PARTICIPANTS [ROWS [AUCTIONS [SIZES]]]]\n", stderr);
    return 2;
  }
  struct hsim_error error;
  struct cluster cluster = {0};
  build(&cluster, &error);
  struct themis_table *tables = mem_zero((size_t)participants, sizeof *tables);
  struct themis_agent agent = {0};
  struct themis_solver solver;
  themis_solver_init(&solver, THEMIS_MILP, 2000, 0);
  double c[PARTICIPANTS_MAX], solve_s = 0, solve_max = 0, all_s = 0, all_max = 0, n_rows = 0,
                              wanted = 0, offered = 0;
  struct hsim_rng rng;
  hsim_rng_init(&rng, 1, "themis bench");
  for (int a = 0; a < auctions; a++) {
    struct hsim_share free_gpus[NODES];
    struct themis_offer offer = {.free = free_gpus};
    for (int n = 0; n < NODES; n++) {
      room[n] = (int)hsim_rng_below(&rng, GPUS + 1);
      if (room[n] > 0)
        free_gpus[offer.n++] = (struct hsim_share){n, room[n]};
      offer.gpus += room[n];
    }
    offered += offer.gpus;
    for (int i = 0; i < participants; i++) {
      bid(&tables[i], &agent, &cluster.view, &offer, i, rows / participants, (uint64_t)sizes, &rng);
      wanted += agent.most;
      n_rows += tables[i].n;
    }
    struct themis_program program = {
        .n = participants, .tables = tables, .room = room, .n_bays = NODES};
    struct themis_answer answer = {.row = row};
    int nodes = 0;
    double began = processor_seconds();
    themis_solver_load(&solver, &program);
    themis_solve(&solver, &program, -1, NULL, &answer);
    double solved = processor_seconds() - began;
    themis_payments(&solver, &program, &answer, c, &nodes);
    double all = processor_seconds() - began;
    solve_s += solved;
    all_s += all;
    solve_max = solved > solve_max ? solved : solve_max;
    all_max = all > all_max ? all : all_max;
  }
  printf("%d participants, %.0f rows, %.0f GPUs wanted of %.0f: solve %.1f ms (at most %.1f), with "
         "payments %.1f ms (at most %.1f), %.0f of %.0f solves limited\n",
         participants, n_rows / auctions, wanted / auctions, offered / auctions,
         1e3 * solve_s / auctions, 1e3 * solve_max, 1e3 * all_s / auctions, 1e3 * all_max,
         solver.limited, solver.solves);
  for (int i = 0; i < participants; i++)
    themis_table_free(&tables[i]);
  free(tables);
  themis_agent_free(&agent);
  themis_solver_free(&solver);
  cluster_free(&cluster);
  return 0;
}
