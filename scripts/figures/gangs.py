# SPDX-License-Identifier: GPL-3.0-or-later
"""From the rows of the events CSV to who held which GPU when."""
import re

import runs
from problem import NothingToDraw

WHAT = "an events CSV (hsim --events-out)"
SHARE = re.compile(r"(.+?):([^:;]+):([0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*)(?:;|$)")
EVENTS = ("arrive", "start", "resize", "migrate", "preempt", "finish", "reject", "drop", "cancel",
          "node_down", "node_up")
ENDS = ("preempt", "finish", "reject", "drop", "cancel")
DOWN = -1  # stands for a job where a node is out of service


def parse_placement(text):
    """[((type, node), GPU number)...], or None when it is no placement."""
    gpus, at = [], 0
    while at < len(text):
        share = SHARE.match(text, at)
        if share is None:
            return None
        node = (share[2], share[1])
        for part in share[3].split(","):
            first, _, last = part.partition("-")
            gpus += [(*node, i) for i in range(int(first), int(last or first) + 1)]
        at = share.end()
    return gpus


class Holdings:
    """Of one run: for each GPU the times in which jobs held it."""

    def __init__(self):
        self.held = {}  # (type, node, number): [(begin, end, job)...] by begin
        self.jobs = {}  # id: number in the order of arrival, the same under each policy
        self.gangs = {}  # job number: {gang: (begin, GPUs)}
        self.down = {}  # node's placement: since when
        self.begin = self.now = None

    def let_go(self, since, gpus, job):
        if self.now > since:
            for gpu in gpus:
                self.held.setdefault(gpu, []).append((since, self.now, job))

    def end_gang(self, job, gang):
        ended = self.gangs.get(job, {}).pop(gang, None)
        if ended is not None:
            self.let_go(*ended, job)

    def end_job(self, job):
        for gang in list(self.gangs.get(job, ())):
            self.end_gang(job, gang)
        self.gangs.pop(job, None)

    def begin_gang(self, job, gang, gpus):
        gangs = self.gangs.setdefault(job, {})
        # A gang and copies exclude each other.
        for other in [g for g in gangs if g == gang or (g == "0") != (gang == "0")]:
            self.end_gang(job, other)
        gangs[gang] = (self.now, gpus)

    def finish(self):
        for job in list(self.gangs):
            self.end_job(job)
        for since, gpus in self.down.values():
            self.let_go(since, gpus, DOWN)
        self.down.clear()


def columns(table):
    time, event, job, gang, placement = map(table.column, ("time_s", "event", "job_id", "gang",
                                                           "placement"))
    cache = {}

    def gpus_of(row):
        text = row[placement]
        gpus = cache.get(text)
        if gpus is None:
            gpus = parse_placement(text)
            if gpus is None:
                raise table.bad(placement, text, "NODE:TYPE:GPUS joined by ;")
            cache[text] = gpus
        return gpus

    def take(table, row, run):
        now, what = table.number(row, time), row[event]
        if what not in EVENTS:
            raise table.bad(event, what, "one of " + ", ".join(EVENTS))
        if run.now is None:
            run.begin = now
        elif now < run.now:
            raise table.bad(time, row[time], "times that ascend (is this run twice in the file?)")
        run.now = now
        if what == "arrive":
            run.jobs.setdefault(row[job], len(run.jobs))
        elif what == "node_down":
            run.down.setdefault(row[placement], (now, gpus_of(row)))
        elif what == "node_up":
            ended = run.down.pop(row[placement], None)
            if ended is not None:
                run.let_go(*ended, DOWN)
        elif what in ENDS:
            if row[job] in run.jobs:
                run.end_job(run.jobs[row[job]])
        else:
            number = run.jobs.setdefault(row[job], len(run.jobs))
            if row[placement] == "":
                run.end_gang(number, row[gang])
            else:
                run.begin_gang(number, row[gang], gpus_of(row))
    return take


def read(request):
    """[(group, holdings)...]"""
    drawn = runs.one_seed(request, runs.read(request, WHAT, columns, Holdings))
    for _, run in drawn:
        run.finish()
    if not any(run.held for _, run in drawn):
        raise NothingToDraw(f"{request.files[0]}: no job starts")
    return drawn


def natural(text):
    """Sorts n2 before n10."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part)
            for part in re.split("([0-9]+)", text)]
