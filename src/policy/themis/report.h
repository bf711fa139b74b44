/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The policy log: one JSON object an auction. Apps are named by their number in order of arrival.
 */
#ifndef HSIM_POLICY_THEMIS_REPORT_H
#define HSIM_POLICY_THEMIS_REPORT_H

#include "policy/themis/agent.h"
#include "policy/themis/auction.h"

struct themis_report {
  char *text;
  size_t length, capacity;
  bool first; /* no element of the present list has been written */
};

void themis_report_free(struct themis_report *report);

void themis_report_begin(struct themis_report *report);
/* "key":value, at any level; key NULL: an element of a list */
void themis_report_number(struct themis_report *report, const char *key, double value);
void themis_report_text(struct themis_report *report, const char *key, const char *value);
/* {"node":gpus,...} */
void themis_report_bundle(struct themis_report *report, const char *key,
                          const struct hsim_cluster *cluster, const struct hsim_share *parts,
                          int n);
void themis_report_open(struct themis_report *report, const char *key, char bracket);
void themis_report_close(struct themis_report *report, char bracket);

#endif
