# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the files of --batsim-out as tools for Batsim's do, and compares them with the jobs CSV of
the same call: usage: check_batsim.py PREFIX JOBS.csv. Says what is wrong and exits 1."""

import csv
import math
import sys

COLUMNS = ("job_id,workload_name,profile,submission_time,requested_number_of_resources,"
           "requested_time,success,final_state,starting_time,execution_time,finish_time,"
           "waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata")
STATES = {"COMPLETED_SUCCESSFULLY": {"finished"}, "COMPLETED_KILLED": {"dropped", "cancelled"},
          "REJECTED": {"rejected", "dropped", "cancelled"}, "RUNNING": {"unfinished"},
          "SUBMITTED": {"unfinished"}, "NOT_SUBMITTED": {"unfinished"}}


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def resources(text):
    """An interval set: `0-3 7`."""
    found = set()
    for part in text.split(" ") if text else []:
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-6)


def main():
    prefix, jobs_path = sys.argv[1:]
    wrong = []

    def expect(truth, what):
        if not truth:
            wrong.append(what)

    with open(prefix + "_jobs.csv", encoding="utf-8") as file:
        expect(file.readline() == COLUMNS + "\n", "header")
    jobs, ours = rows(prefix + "_jobs.csv"), rows(jobs_path)
    segments, machines = rows(prefix + "_segments.csv"), rows(prefix + "_resources.csv")
    expect([int(m["resource"]) for m in machines] == list(range(len(machines))), "resources")
    expect(len({(m["node"], m["index"]) for m in machines}) == len(machines), "nodes and indices")
    expect([j["job_id"] for j in jobs] == [j["job_id"] for j in ours], "jobs in arrival order")

    held, used, pieces = {}, {}, {}
    for s in segments:
        name, begin, end = s["job_id"], float(s["starting_time"]), float(s["finish_time"])
        gpus = resources(s["allocated_resources"])
        expect(gpus and gpus <= set(range(len(machines))), "%s: resources" % name)
        expect(close(end - begin, float(s["execution_time"])), "%s: execution_time" % name)
        expect(close(float(s["submission_time"]) + float(s["waiting_time"]), begin), name)
        pieces[name] = pieces.get(name, 0) + 1
        expect(int(s["segment"]) == pieces[name] - 1, "%s: number of the segment" % name)
        held[name] = held.get(name, set()) | gpus
        for gpu in gpus:
            used.setdefault(gpu, []).append((begin, end, name))
        used.setdefault(name, []).append((begin, end, len(gpus)))

    seen = set()
    for job, our in zip(jobs, ours):
        name = job["job_id"]
        started, ended = job["starting_time"] != "", job["finish_time"] != ""
        seen.add(job["final_state"])
        expect(our["state"] in STATES[job["final_state"]], "%s: %s" % (name, job["final_state"]))
        expect(job["success"] == str(int(our["state"] == "finished")), "%s: success" % name)
        expect(job["starting_time"] == our["first_start_s"], "%s: starting_time" % name)
        expect(job["submission_time"] == our["arrival_s"], "%s: submission_time" % name)
        expect(job["profile"] == our["model"], "%s: profile" % name)
        expect(job["requested_number_of_resources"] == our["workers"], "%s: workers" % name)
        expect(job["consumed_energy"] == ("-1" if started else ""), "%s: energy" % name)
        expect(resources(job["allocated_resources"]) == held.get(name, set()), "%s: GPUs" % name)
        expect(started == (name in held), "%s: segments" % name)
        if not ended:
            continue
        submit, start, end = (float(job[k]) for k in ("submission_time", "starting_time", "finish_time"))
        expect(close(float(job["execution_time"]), end - start), "%s: execution_time" % name)
        expect(close(float(job["waiting_time"]), start - submit), "%s: waiting_time" % name)
        expect(close(float(job["turnaround_time"]), end - submit), "%s: turnaround_time" % name)
        expect(close(float(job["stretch"]), (end - submit) / (end - start)), "%s: stretch" % name)
        # The GPUs of a finished job stay with the round, and with the last segments.
        seconds = sum((min(stop, end) - begin) * n for begin, stop, n in used[name])
        expect(close(seconds, float(our["gpu_s"])), "%s: GPU-seconds" % name)

    # On one resource, one job after the other.
    for gpu in [g for g in used if isinstance(g, int)]:
        for (_, end, a), (begin, _, b) in zip(sorted(used[gpu]), sorted(used[gpu])[1:]):
            expect(begin >= end, "resource %d: %s and %s at %r" % (gpu, a, b, begin))
    for line in wrong[:20]:
        print(line)
    print("states: " + " ".join(sorted(seen)))
    sys.exit(bool(wrong))


main()
