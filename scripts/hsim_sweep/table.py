# SPDX-License-Identifier: GPL-3.0-or-later
"""The results as one table: a row a run, parameters first, then every scalar of its summary."""
import csv
import io
import json
import os


class Verbatim(str):
    """A number with the digits that it was printed with."""


def flat(value, prefix, found):
    """Every scalar below an object, as prefix.key; lists are left out."""
    for key, entry in value.items():
        name = f"{prefix}{key}"
        if isinstance(entry, dict):
            flat(entry, name + ".", found)
        elif isinstance(entry, bool):
            found[name] = "true" if entry else "false"
        elif entry is None:
            found[name] = ""
        elif isinstance(entry, str):
            found[name] = entry
    return found


def rows_of(point, summary):
    """One {name: text} for each run of a summary: what the document says, then what the run says. A
    name that both have is the run's. A generated trace goes by its name alone, wherever it is."""
    document = json.loads(summary, parse_float=Verbatim, parse_int=Verbatim,
                          parse_constant=Verbatim)
    runs = document.pop("runs", [])
    common = flat(document, "", {})
    if point.generate is not None:
        common["trace.file"] = os.path.basename(common.get("trace.file", ""))
    return [{**common, **flat(run, "", {})} for run in runs]


def merge(names, more):
    """Adds names to a list, each after the one before it, so that related ones stay together."""
    known = set(names)
    at = 0
    for name in more:
        if name in known:
            at = names.index(name) + 1
        else:
            names.insert(at, name)
            known.add(name)
            at += 1


def table(columns, results):
    """CSV of results [(point, summary)] in their order. columns: those of parameters. A figure with
    the name of a parameter is called run.NAME."""
    parameters = ["point"] + columns
    rows, names = [], []
    previous = None
    for point, summary in results:
        for figures in rows_of(point, summary):
            figures = {f"run.{name}" if name in parameters else name: value
                       for name, value in figures.items()}
            if list(figures) != previous:
                previous = list(figures)
                merge(names, previous)
            rows.append(({"point": point.name, **point.columns}, figures))
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(parameters + names)
    for shown, figures in rows:
        writer.writerow([shown.get(name, "") for name in parameters]
                        + [figures.get(name, "") for name in names])
    return out.getvalue()
