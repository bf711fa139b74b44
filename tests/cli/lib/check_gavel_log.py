# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a --gavel-log by the patterns that Gavel's notebooks and scripts use, and compares it with
the jobs CSV and the summary of the same call: usage: check_gavel_log.py LOG JOBS.csv SUMMARY.json.
Says what is wrong and exits 1."""

import csv
import json
import re
import sys

SCHEDULED = re.compile(r"\[([\d.e+]+)\] \[Micro-task scheduled\]\tJob ID: (\d+).*"
                       r"Worker type: (\w+)\tWorker ID\(s\): (.*)\tPriority")
SUCCEEDED = re.compile(r"\[([\d.e+]+)\] \[Micro-task succeeded\]\tJob ID: (\d+)\t"
                       r"Worker type: (\w+)\tWorker ID\(s\): \[(.*)\]$")
ENDED = re.compile(r"\[([\d.e+]+)\] \[Job (succeeded|failed)\].*Job ID: (\d+)\tStart timestamp: "
                   r"([\d.]+)\tEnd timestamp: ([\d.]+)\tDuration: ([\d.]+)$")


def main():
    log, jobs_path, summary_path = sys.argv[1:]
    lines = open(log, encoding="utf-8").read().split("\n")
    jobs = list(csv.DictReader(open(jobs_path, newline="", encoding="utf-8")))
    (run,) = json.load(open(summary_path, encoding="utf-8"))["runs"]
    wrong = []

    def expect(truth, what):
        if not truth:
            wrong.append(what)

    open_tasks, dispatched, ended, last = {}, [], {}, 0
    for line in lines:
        time = re.match(r"scheduler:INFO \[([\d.e+]+)\] ", line)
        if time is None:
            continue
        expect("." in time.group(1) or "e" in time.group(1), "a time that is no float: " + line)
        expect(float(time.group(1)) >= last, "a time before the one above: " + line)
        last = float(time.group(1))
        m = re.search(r"\[Job dispatched\]\tJob ID: (\d+)$", line)
        if m:
            dispatched.append(int(m.group(1)))
        m = SCHEDULED.search(line)
        if m:
            key = (m.group(2), m.group(3), m.group(4))
            expect(key not in open_tasks, "scheduled twice: " + line)
            open_tasks[key] = float(m.group(1))
        expect(("Micro-task scheduled" in line) == bool(m), "not understood: " + line)
        m = SUCCEEDED.search(line)
        if m:
            begin = open_tasks.pop((m.group(2), m.group(3), m.group(4).replace(" ", "")), None)
            expect(begin is not None and begin < float(m.group(1)), "never scheduled: " + line)
        m = ENDED.search(line)
        if m:
            ended[int(m.group(3))] = (m.group(2), float(m.group(6)))
    expect(not open_tasks, "still scheduled: %s" % list(open_tasks))
    arrived = [n for n, job in enumerate(jobs) if job["run_s"] != ""]
    expect(dispatched == arrived, "jobs dispatched")

    completion, collecting = {}, False
    for line in lines:
        if line == "Job completion times:":
            collecting = True
            continue
        m = re.match(r"Job (\d+)(?: \(high priority\))?: (\d+\.\d+)", line) if collecting else None
        if m:
            completion[int(m.group(1))] = float(m.group(2))
    for number, job in enumerate(jobs):
        finished = job["state"] == "finished"
        expect((number in completion) == finished, "completion time of job %d" % number)
        if finished:
            jct = float(job["jct_s"])
            expect(abs(completion[number] - jct) <= 0.0005000001, "job %d: %r" % (number, jct))
            expect(ended[number][0] == "succeeded" and abs(ended[number][1] - jct) <= 0.005000001,
                   "job %d succeeded" % number)

    def figure(pattern):
        found = [re.match(pattern, line) for line in lines[-10:]]
        return [float(m.group(1)) for m in found if m]

    def expect_figure(pattern, value):
        found = figure(pattern)
        expect(len(found) == 1 and abs(found[0] - value) <= 0.0005000001,
               "%s: %r, expected %r" % (pattern, found, value))

    expect(any(re.match(r"Total duration: %.3f seconds \(%.2f hours\)$"
                        % (run["end_s"], run["end_s"] / 3600), line) for line in lines), "duration")
    expect_figure(r"Average job completion time: (\d+\.\d+) seconds", run["jct_s"]["mean"])
    if "gavel_utilisation" in run["policy_stats"]:
        expect_figure(r"Cluster utilization: (\d+\.\d+)$", run["policy_stats"]["gavel_utilisation"])
    for line in wrong[:20]:
        print(line)
    print("utilization: %s" % figure(r"Cluster utilization: (\d+\.\d+)$"))
    sys.exit(bool(wrong))


main()
