# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds jct, slowdown and rho: distributions over the rows of jobs CSV files, a curve a policy."""
import math

import axis
import runs
import style
import thin
from figure import Entry, Panel
from problem import NothingToDraw

WHAT = "a jobs CSV (hsim --jobs-out)"
KINDS = {  # column, what it is, of what
    "jct": ("jct_s", "job completion time", "jobs"),
    "slowdown": ("slowdown", "slowdown (completion time \u00f7 time alone on the best GPU type)",
                 "jobs"),
    "rho": ("rho", "finish-time fairness rho (time taken \u00f7 time on a fair share)", "apps"),
}
MARKERS = 8  # on each curve


class Values:
    def __init__(self):
        self.values = []
        self.seen = set()  # jobs, so that none counts twice
        self.apps = set()
        self.missing = 0


def reader(column, per_app, log):
    def columns(table):
        job = table.column("job_id")
        value = table.column(column)
        app = table.column("app") if per_app else None

        def take(table, row, run):
            if row[job] in run.seen:
                raise table.bad(job, row[job], "each job once a policy and seed")
            run.seen.add(row[job])
            if per_app and row[app] != "":
                if row[app] in run.apps:
                    return
                run.apps.add(row[app])
            number = table.number_or_none(row, value)
            if number is None:
                run.missing += 1
                return
            if log and number <= 0:
                raise table.bad(value, row[value], "a number above 0 on a logarithmic axis")
            run.values.append(number)
        return take
    return columns


def describe(group, things):
    """The legend's text; it tells how many values are missing, and how many seeds are pooled."""
    n = sum(len(run.values) for run in group.seeds.values())
    of = n + sum(run.missing for run in group.seeds.values())
    remarks = [f"{n} of {of} {things}"] if n < of else []
    if len(group.seeds) > 1:
        remarks.append(f"{len(group.seeds)} seeds")
    return f"{group.label} ({', '.join(remarks)})" if remarks else group.label


def curve(figure, panel, group, look, unit, index, count):
    values = sorted(v / unit for run in group.seeds.values() for v in run.values)
    lo, hi, log = panel.x.lo, panel.x.hi, panel.x.log

    def place(v):
        return math.log(v / lo) / math.log(hi / lo) if log else (v - lo) / (hi - lo)
    name = figure.data(f"{group.label}: value, fraction of values at or below it",
                       thin.distribution(values, place))
    panel.plots.append(f"'{name}' with lines {figure.look(look)} notitle")
    marks = []
    for m in range(MARKERS):
        level = (m + (index + 0.5) / count) / MARKERS
        rank = min(len(values), int(level * len(values)) + 1)
        marks.append((values[rank - 1], rank / len(values)))
    name = figure.data(f"{group.label}: markers", marks)
    panel.plots.append(f"'{name}' with points {figure.points(look)} notitle")


def draw(request):
    column, what, things = KINDS[request.kind]
    log = "x" in request.log
    groups = runs.read(request, WHAT, reader(column, things == "apps", log), Values)
    for group in groups:
        group.text = describe(group, things)
        missing = sum(run.missing for run in group.seeds.values())
        if missing:
            total = missing + sum(len(run.values) for run in group.seeds.values())
            request.notes.append(f"{group.label}: left out, since without {column}: "
                                 f"{missing} of {total} {things}")
    drawn = [g for g in groups if any(run.values for run in g.seeds.values())]
    if not drawn:
        raise NothingToDraw(f"{request.files[0]}: no row has a {column}")
    everything = [v for g in drawn for run in g.seeds.values() for v in run.values]
    unit, word, name = 1.0, None, what
    if column.endswith("_s"):
        typical = sorted(everything)[len(everything) // 2] if log else max(everything)
        word = request.unit or axis.time_unit(typical)
        unit, name = axis.UNITS[word], f"{what} ({word})"
    lo, hi = min(everything) / unit, max(everything) / unit
    count = request.tics()
    x = (axis.logarithmic(request.xlabel or name, lo, hi, count) if log
         else axis.linear(request.xlabel or name, 0.0, hi, count, word))
    y = axis.linear(request.ylabel or f"fraction of {things}", 0.0, 1.0, 5)
    figure = request.figure()
    panel = Panel("", x, y)
    if request.kind == "rho" and x.lo < 1 < x.hi:
        panel.before.append("set arrow from 1,0 to 1,1 nohead "
                            f"lc rgb '{style.NODE_DOWN}' lw {figure.stroke:.10g} dt (3,3)")
    figure.panels.append(panel)
    for i, group in enumerate(groups):
        look = style.line(i)
        figure.entries.append(Entry(group.text, look))
        if group in drawn:
            curve(figure, panel, group, look, unit, i, len(groups))
    figure.summary = (f"Distribution of {what} over {things}, a curve for each of "
                      f"{len(groups)} policies: " + ", ".join(g.text for g in groups))
    return figure
