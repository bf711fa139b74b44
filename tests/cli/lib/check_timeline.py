# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a timeline against the rules of the trace event format, and against the summary (--json) of
the same call: usage: check_timeline.py TIMELINE SUMMARY. Says what is wrong and exits 1."""

import collections
import json
import sys

NAMES = {"process_name": "name", "thread_name": "name",
         "process_sort_index": "sort_index", "thread_sort_index": "sort_index"}


def whole(value):
    return not isinstance(value, bool) and isinstance(value, (int, float)) and value == int(value)


def number(value):
    return not isinstance(value, bool) and isinstance(value, (int, float))


def rules(event, expect):
    """What each kind of event must have."""
    phase = event.get("ph")
    expect(phase in ("M", "X", "i", "C"), "ph %r" % phase)
    expect(whole(event.get("pid")) and event["pid"] > 0, "pid")
    expect(isinstance(event.get("name"), str) and event["name"], "name")
    expect("tid" not in event or whole(event["tid"]), "tid")
    if phase == "M":
        expect(event["name"] in NAMES, "metadata %r" % event["name"])
        value = event["args"][NAMES[event["name"]]]
        expect(isinstance(value, str) if NAMES[event["name"]] == "name" else whole(value), "args")
        expect(event["name"].startswith("process") or "tid" in event, "tid of a track's name")
        return
    expect(whole(event.get("ts")) and event["ts"] >= 0, "ts")
    if phase == "X":
        expect("tid" in event, "tid of a slice")
        expect(whole(event.get("dur")) and event["dur"] >= 0, "dur")
        expect(set(event["args"]) == {"job", "model", "workers", "copy"}, "args of a slice")
    elif phase == "i":
        expect(event.get("s") in ("t", "p", "g") and "tid" in event, "scope of an instant")
    else:
        expect(event["args"] and all(number(v) for v in event["args"].values()), "counter")


def covered(slices, end):
    """Microseconds up to `end` in which at least one of the slices lasts."""
    total, reached = 0, -1
    for begin, stop in sorted(slices):
        begin, stop = max(begin, reached), min(stop, end)
        if stop > begin:
            total += stop - begin
            reached = stop
    return total


def main():
    timeline = json.load(open(sys.argv[1], encoding="utf-8"))
    summary = json.load(open(sys.argv[2], encoding="utf-8"))
    wrong = []

    def expect(truth, what):
        if not truth:
            wrong.append(what)

    expect(isinstance(timeline, dict) and isinstance(timeline.get("traceEvents"), list), "document")
    processes, tracks = {}, {}
    slices = collections.defaultdict(list)
    instants = collections.Counter()
    levels = {}
    highest = collections.Counter()
    for event in timeline["traceEvents"]:
        rules(event, lambda truth, what: expect(truth, "%s of %s" % (what, json.dumps(event))))
        pid, tid = event["pid"], event.get("tid")
        if event["name"] == "process_name":
            expect(pid not in processes, "two names of process %d" % pid)
            processes[pid] = event["args"]["name"]
        elif event["name"] == "thread_name":
            expect(tid not in tracks, "two names of track %d" % tid)
            tracks[tid] = (pid, event["args"]["name"])
        if event["ph"] in "Xi":
            expect(tracks.get(tid, (None,))[0] == pid, "track %r has no name" % tid)
        if event["ph"] == "X":
            slices[tid].append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] == "i":
            instants[pid, event["name"]] += 1
        elif event["ph"] == "C":
            value = levels[pid, event["name"]] = sum(v for v in event["args"].values() if number(v))
            highest[pid, event["name"]] = max(highest[pid, event["name"]], value)
        expect(pid in processes, "process %d has no name" % pid)
    expect(len(set(processes.values())) == len(processes), "two processes of one name")
    for tid, list_ in slices.items():
        list_.sort()
        for (_, end), (begin, _) in zip(list_, list_[1:]):
            expect(begin >= end, "slices of track %d overlap at %d" % (tid, begin))

    # Run by run against the summary: the clusters' processes are in the order of the runs that ended.
    runs = [run for run in summary["runs"] if "error" not in run]
    clusters = sorted(pid for pid, name in processes.items() if name.endswith(": cluster"))
    expect(len(clusters) == len(runs), "%d runs, %d of them in the file" % (len(runs), len(clusters)))
    for index, (run, cluster) in enumerate(zip(runs, clusters)):
        after = clusters[index + 1] if index + 1 < len(clusters) else float("inf")
        nodes = [pid for pid in processes if cluster < pid < after]
        expect(processes[cluster].startswith(run["policy"]), "name of process %d" % cluster)
        expect(len(nodes) == summary["cluster"]["nodes"], "nodes of %s" % run["policy"])
        gpus = collections.defaultdict(list)
        for tid, (pid, name) in tracks.items():
            if pid in nodes:
                gpus[pid, name.replace(" (shared)", "")] += slices[tid]
        capacity = sum(summary["cluster"]["gpus"].values())
        expect(len(gpus) == capacity, "%d tracks of GPUs" % len(gpus))
        begin = summary["trace"]["first_arrival_s"]
        end = (begin + run["makespan_s"]) * 1e6
        seconds = sum(covered(s, end) for s in gpus.values()) / 1e6
        held = (run["utilisation"]["held"] * capacity * run["makespan_s"]
                * run["faults"]["availability"])
        expect(abs(seconds - held) <= 1e-6 * held + 1e-3,
               "%s: slices of %r GPU-seconds, %r are held" % (run["policy"], seconds, held))
        expect(seconds > 0, "no slices of %s" % run["policy"])
        jobs, counts = run["jobs"], run["counts"]
        for name, wanted in (("arrive", sum(jobs.values())), ("reject", jobs["rejected"]),
                             ("drop", jobs["dropped"]), ("cancel", jobs["cancelled"]),
                             ("migrate", counts["migrations"])):
            expect(instants[cluster, name] == wanted, "%d %s" % (instants[cluster, name], name))
        expect(levels[cluster, "queued jobs"] <= jobs["unfinished"], "jobs queued at the end")
        for gpu_type, n in summary["cluster"]["gpus"].items():
            name = "held GPUs: " + gpu_type
            expect(levels[cluster, name] == 0, "%s at the end" % name)
            expect(highest[cluster, name] <= n, "%s: %d" % (name, highest[cluster, name]))
    for line in wrong[:20]:
        print(line)
    sys.exit(bool(wrong))


main()
