# SPDX-License-Identifier: GPL-3.0-or-later
"""Kind sweep: curves of a table with a row a run. Rows that share x and the columns of --by differ in
the seed: their mean, with a band that holds the true mean with 95 % confidence (Student's t)."""
import re

import axis
import style
from figure import Entry, Panel
from problem import BAD_USAGE, NothingToDraw, Problem
from student import interval
from table import Table

WHAT = "a table with a header and a row a run"


def read(request):
    """{curve's name: {x: [y...]}}, and how many rows have no y."""
    curves, missing = {}, {}
    log_x, log_y = "x" in request.log, "y" in request.log
    for path in request.files:
        with Table(path, WHAT) as table:
            x, y = table.column(request.x), table.column(request.y)
            by = [table.column(name) for name in request.by]
            for row in table.rows():
                name = curve_name(request, [row[column] for column in by])
                if request.policies and name not in request.policies:
                    continue
                at = number(table, row, x, log_x)
                curve = curves.setdefault(name, {})
                if row[y] == "":
                    missing[name] = missing.get(name, 0) + 1
                else:
                    curve.setdefault(at, []).append(number(table, row, y, log_y))
    return curves, missing


def number(table, row, column, log):
    value = table.number(row, column)
    if log and value <= 0:
        raise table.bad(column, row[column], "a number above 0 on a logarithmic axis")
    return value


def curve_name(request, cells):
    if len(cells) == 1:
        return cells[0]
    return ", ".join(f"{name}={cell}" if i else cell
                     for i, (name, cell) in enumerate(zip(request.by, cells)))


def draw(request):
    if request.x is None or request.y is None:
        raise Problem(BAD_USAGE, "sweep needs --x COLUMN and --y COLUMN")
    curves, missing = read(request)
    for name in request.policies:
        if name not in curves:
            known = ", ".join(f'"{k}"' for k in curves)
            raise Problem(BAD_USAGE, f'option --policy: no curve "{name}": there are {known}')
    points = {name: [(x, *interval(ys), len(ys)) for x, ys in sorted(curve.items())]
              for name, curve in curves.items()}
    if not any(points.values()):
        raise NothingToDraw(f"{request.files[0]}: no row has a {request.y}")
    for name, n in missing.items():
        total = n + sum(map(len, curves[name].values()))
        request.notes.append(f"{name}: left out, since without {request.y}: {n} of {total} rows")
    alone = sum(half is None for curve in points.values() for _, _, half, _ in curve)
    if alone:
        request.notes.append(f"{alone} points are of a single row: they have no confidence band")
    return figure_of(request, points)


def scale(column, values):
    """(divisor, label) of an axis: seconds, as in `makespan_s` or `jct_s.mean`, get a unit that
    fits."""
    if re.search(r"_s(\.|$)", column):
        word = axis.time_unit(max(map(abs, values)))
        return axis.UNITS[word], f"{re.sub('_s(?=[.]|$)', '', column)} ({word})"
    return 1.0, column


def ends(points, log):
    """Lowest and highest of all means and bands."""
    values = []
    for _, mean, half, _ in points:
        values += [mean, mean - (half or 0), mean + (half or 0)]
    if log:
        values = [v for v in values if v > 0]
    return min(values), max(values)


def figure_of(request, points):
    everything = [p for curve in points.values() for p in curve]
    x_unit, x_label = scale(request.x, [p[0] for p in everything])
    y_unit, y_label = scale(request.y, [p[1] for p in everything])
    xs = [p[0] / x_unit for p in everything]
    low, high = (v / y_unit for v in ends(everything, "y" in request.log))
    if "x" in request.log:
        x = axis.logarithmic(request.xlabel or x_label, min(xs), max(xs), request.tics())
    else:
        x = axis.linear(request.xlabel or x_label, min(xs), max(xs), request.tics())
    if "y" in request.log:
        y = axis.logarithmic(request.ylabel or y_label, low, high, 5)
    else:
        least = min(p[1] for p in everything) / y_unit
        low = 0.0 if least >= 0 and low < 0.5 * high else low  # what is never negative begins at 0
        y = axis.linear(request.ylabel or y_label, low, high, 5)
    figure = request.figure()
    panel = Panel("", x, y)
    figure.panels.append(panel)
    bands = any(half for _, _, half, _ in everything)
    for i, (name, curve) in enumerate(points.items()):
        add_curve(figure, panel, request.labels.get(name, name), curve, style.line(i),
                  (x_unit, y_unit))
    # Bands lie below all curves.
    panel.plots.sort(key=lambda plot: "filledcurves" not in plot)
    if bands:
        figure.entries.append(Entry("mean, with 95 % confidence bands"))
    figure.summary = (f"{request.y} against {request.x}, {len(points)} curves: " +
                      ", ".join(request.labels.get(name, name) for name in points))
    return figure


def add_curve(figure, panel, label, curve, look, units):
    x_unit, y_unit = units
    figure.entries.append(Entry(label or "all rows", look))
    rows = [(x / x_unit, mean / y_unit, (mean - (half or 0)) / y_unit,
             (mean + (half or 0)) / y_unit, n) for x, mean, half, n in curve]
    if not rows:
        return
    name = figure.data(f"{label}: x, mean, lower and upper end of the band, rows", rows)
    if any(half for _, _, half, _ in curve):
        lower = f"($3 > {panel.y.lo:.10g} ? $3 : {panel.y.lo:.10g})"  # cut at the edge of the axis
        panel.plots.append(f"'{name}' using 1:{lower}:4 with filledcurves fc rgb '{look.color}' "
                           "fs transparent solid 0.18 noborder notitle")
    panel.plots.append(f"'{name}' using 1:2 with lines {figure.look(look)} notitle")
    panel.plots.append(f"'{name}' using 1:2 with points {figure.points(look)} notitle")
