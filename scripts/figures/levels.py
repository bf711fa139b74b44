# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds gpus and queue: what the series CSV says over time."""
import axis
import runs
import style
import thin
from figure import Entry, Panel
from problem import BAD_DATA, Problem

WHAT = "a series CSV (hsim --series-out)"
HELD = "held_"
MARKERS = 8


class Levels:
    def __init__(self):
        self.times = []
        self.values = {}  # column: a list as long as the times


def reader(names):
    """Collects the columns that names(table) gives."""
    def columns(table):
        time = table.column("time_s")
        wanted = [(name, table.column(name)) for name in names(table)]

        def take(table, row, run):
            now = table.number(row, time)
            if run.times and now < run.times[-1]:
                raise table.bad(time, row[time], "times that ascend (is this run twice in the file?)")
            run.times.append(now)
            for name, column in wanted:
                run.values.setdefault(name, []).append(table.number(row, column))
        return take
    return columns


def held_columns(table):
    names = [name for name in table.header if name.startswith(HELD)]
    if not names:
        raise Problem(BAD_DATA, f'{table.path}:1: no column "{HELD}TYPE": expected {table.what}')
    return names


def time_axis(request, all_times):
    """(axis, seconds of its unit)"""
    begin, end = runs.span([t[0] for t in all_times], [t[-1] for t in all_times])
    word = request.unit or axis.time_unit(end - begin)
    unit = axis.UNITS[word]
    label = request.xlabel or f"time ({word})"
    x = axis.linear(label, begin / unit, end / unit, request.tics(), word, tight=True)
    return x, unit


def scaled(times, unit):
    return [t / unit for t in times]


def draw_queue(request):
    groups = runs.read(request, WHAT, reader(lambda table: ["queued"]), Levels)
    drawn = runs.one_seed(request, groups)
    x, unit = time_axis(request, [run.times for _, run in drawn])
    highest = max(max(run.values["queued"]) for _, run in drawn)
    y = axis.linear(request.ylabel or "jobs in the queue", 0, highest, 5, whole=True)
    figure = request.figure()
    panel = Panel("", x, y)
    figure.panels.append(panel)
    bands = None
    for i, (group, run) in enumerate(drawn):
        look = style.line(i)
        figure.entries.append(Entry(group.label, look))
        if curve(figure, panel, group.label, look, (scaled(run.times, unit), run.values["queued"]),
                 (i + 0.5) / len(drawn)):
            bands = axis.span_text((x.hi - x.lo) / thin.BINS * unit)
    # Bands lie below all curves.
    panel.plots.sort(key=lambda plot: "filledcurves" not in plot)
    if bands:
        figure.entries.append(Entry(f"bands: lowest to highest in {bands}, the line is the mean"))
    figure.summary = ("Jobs in the queue over time, a curve for each of "
                      f"{len(drawn)} policies: " + ", ".join(g.label for g, _ in drawn))
    return figure


def curve(figure, panel, label, look, steps, offset):
    """A line of the steps, or where they are too many their mean and a band: then True."""
    x = panel.x
    banded = thin.changes(steps[1]) > 2 * thin.BINS
    if banded:
        rows = thin.bins(*steps, x.lo, x.hi)
        name = figure.data(f"{label}: time, mean, lowest, highest of the time up to the next row", rows)
        panel.plots.append(f"'{name}' using 1:3:4 with filledcurves fc rgb '{look.color}' "
                           "fs transparent solid 0.25 noborder notitle")
        steps = ([row[0] for row in rows], [row[1] for row in rows])
        panel.plots.append(f"'{name}' with lines {figure.look(look)} notitle")
    else:
        name = figure.data(f"{label}: time, value", thin.steps(*steps, x.lo, x.hi))
        panel.plots.append(f"'{name}' with lines {figure.look(look)} notitle")
    name = figure.data(f"{label}: markers", markers(*steps, x, offset))
    panel.plots.append(f"'{name}' with points {figure.points(look)} notitle")
    return banded


def markers(times, values, x, offset):
    """On the curve at evenly spaced times; offset, 0 to 1, keeps those of different curves apart."""
    points, i = [], -1
    for m in range(MARKERS):
        time = x.lo + (m + offset) / MARKERS * (x.hi - x.lo)
        while i + 1 < len(times) and times[i + 1] <= time:
            i += 1
        if i >= 0 and (i + 1 < len(times) or time <= times[-1]):
            points.append((time, values[i]))
    return points


def draw_gpus(request):
    drawn = runs.one_seed(request, runs.read(request, WHAT, reader(held_columns), Levels))
    x, unit = time_axis(request, [run.times for _, run in drawn])
    types = list(dict.fromkeys(name for _, run in drawn for name in run.values))
    stacks = [stack(run, types) for _, run in drawn]
    capacity = sum(request.gpus_by_type().values())
    highest = max([capacity] + [max(levels[-1]) for levels in stacks])
    figure = request.figure()
    for t, name in reversed(list(enumerate(types))):
        figure.entries.append(Entry(name.removeprefix(HELD), fill=style.area(t)))
    for i, ((group, run), levels) in enumerate(zip(drawn, stacks)):
        y = axis.linear(request.ylabel or "GPUs in use", 0, highest, 4, whole=True)
        panel = Panel(group.label, x, y, x_tics=i + 1 == len(drawn))
        panel.height = request.size.panel * (0.85 if len(drawn) == 1 else 0.5)
        figure.panels.append(panel)
        areas(figure, panel, group, scaled(run.times, unit), levels)
        if capacity:
            panel.plots.append(f"{capacity} with lines lc rgb '{style.TEXT}' dt (6,4) "
                               f"lw {figure.stroke:.10g} notitle")
    if capacity:
        figure.entries.append(Entry("all GPUs of the cluster", style.Line(style.TEXT, (6, 4), 0)))
    figure.summary = ("GPUs in use by type over time, a panel for each of "
                      f"{len(drawn)} policies: " + ", ".join(g.label for g, _ in drawn))
    return figure


def stack(run, types):
    """For each type the GPUs of it and of all types before it."""
    total = [0.0] * len(run.times)
    levels = []
    for name in types:
        more = run.values.get(name)
        if more is not None:
            total = [a + b for a, b in zip(total, more)]
        levels.append(total)
    return levels


def areas(figure, panel, group, times, levels):
    """The highest first; each next one covers the lower part of it."""
    for t in range(len(levels) - 1, -1, -1):
        name = figure.data(f"{group.label}: time, GPUs of the first {t + 1} types",
                           thin.steps(times, levels[t], panel.x.lo, panel.x.hi))
        panel.plots.append(f"'{name}' with filledcurves x1 fc rgb '{style.area(t)}' "
                           f"fs solid noborder notitle")
