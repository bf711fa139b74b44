# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a summary as HTML tables, policies side by side, the best marked."""
import html
import math
import re

HOURS, PERCENT, PLAIN = 3600.0, 0.01, 1.0
LOW, HIGH = "low", "high"

# (path in a run, heading, unit, what one unit is, which is better); None: says nothing of better
FIGURES = [
    ("makespan_s", "makespan", "h", HOURS, LOW),
    ("jct_s.mean", "JCT mean", "h", HOURS, LOW),
    ("jct_s.p50", "JCT p50", "h", HOURS, LOW),
    ("jct_s.p90", "JCT p90", "h", HOURS, LOW),
    ("jct_s.p99", "JCT p99", "h", HOURS, LOW),
    ("jct_s.max", "JCT max", "h", HOURS, LOW),
    ("queueing_s.mean", "queueing mean", "h", HOURS, LOW),
    ("queueing_s.p99", "queueing p99", "h", HOURS, LOW),
    ("queueing_s.max", "queueing max", "h", HOURS, LOW),
    ("slowdown.mean", "slowdown mean", "", PLAIN, LOW),
    ("slowdown.p50", "slowdown p50", "", PLAIN, LOW),
    ("slowdown.p99", "slowdown p99", "", PLAIN, LOW),
    ("slowdown.max", "slowdown max", "", PLAIN, LOW),
    ("rho.mean", "rho mean", "", PLAIN, None),
    ("rho.p50", "rho p50", "", PLAIN, None),
    ("rho.max", "rho max", "", PLAIN, None),
    ("rho.unfair_fraction", "apps with rho above 1", "%", PERCENT, None),
    ("rho.jain", "Jain\u2019s index of rho", "", PLAIN, None),
    ("utilisation.held", "GPUs held", "%", PERCENT, None),
    ("utilisation.busy", "GPUs busy", "%", PERCENT, HIGH),
    ("utilisation.productive", "GPUs productive", "%", PERCENT, HIGH),
    ("faults.availability", "GPU time that was up", "%", PERCENT, None),
    ("faults.lost_gpu_h", "work lost", "GPU-h", PLAIN, LOW),
    ("counts.rounds", "rounds", "", PLAIN, None),
    ("counts.starts", "starts", "", PLAIN, None),
    ("counts.preemptions", "preemptions", "", PLAIN, None),
    ("counts.migrations", "migrations", "", PLAIN, None),
    ("counts.resizes", "resizes", "", PLAIN, None),
]
MAIN = ["makespan_s", "jct_s.mean", "jct_s.p50", "jct_s.p99", "queueing_s.mean", "slowdown.mean",
        "slowdown.max", "utilisation.busy"]
STATES = ["finished", "rejected", "dropped", "cancelled", "unfinished"]


def escape(text):
    return html.escape(str(text))


def at(run, path):
    """The number at a.b.c of a run, or the mean over the seeds in a row of the comparison; None where
    there is none."""
    if "figures" in run:
        return run["figures"].get(path, {}).get("mean")
    for key in path.split("."):
        run = run.get(key) if isinstance(run, dict) else None
    return run if isinstance(run, (int, float)) and not isinstance(run, bool) else None


def spread(run, path):
    """Half the width of the confidence interval of a mean over seeds, else None."""
    interval = run.get("figures", {}).get(path, {}).get("ci95")
    return (interval[1] - interval[0]) / 2 if interval and None not in interval else None


def shown(value, unit):
    """Four digits, or all of those in front of the point; counts as they are."""
    value /= unit
    if value == 0 or unit == PLAIN and value == int(value):
        return str(int(value))
    digits = 3 - math.floor(math.log10(abs(float(f"{value:.4g}"))))
    return f"{value:.{min(max(digits, 0), 8)}f}"


def comparable(runs):
    """The runs that finished the most jobs: only over the same jobs do figures compare."""
    finished = [at(run, "jobs.finished") or 0 for run in runs]
    return [n == max(finished) for n in finished]


def best(runs, path, better):
    """For each run whether its figure is the best."""
    values = [at(run, path) if fair else None for run, fair in zip(runs, comparable(runs))]
    known = [v for v in values if v is not None]
    if better is None or len(known) < 2 or min(known) == max(known):
        return [False] * len(runs)
    top = min(known) if better == LOW else max(known)
    return [v == top for v in values]


def cell(run, path, unit, is_best, fair):
    value = at(run, path)
    if value is None:
        return "<td>\u2013</td>"
    text = escape(shown(value, unit))
    half = spread(run, path)
    if half is not None:
        text += f"<br>\u00b1 {escape(shown(half, unit))}"
    exact = f' title="{escape(repr(value))}"'
    if is_best:
        star = '<span role="img" aria-label="best">\u2605</span>'
        return f'<td class="best"{exact}><strong>{text}</strong> {star}</td>'
    return f"<td{exact}>{text}{'' if fair else '*'}</td>"


def name_cell(label):
    """A policy's name, which may break behind its punctuation."""
    return re.sub("([:=_,])", "\\1<wbr>", escape(label))


def heading(name, unit):
    return escape(name) + (f' <span class="unit">{unit}</span>' if unit else "")


def jobs_cell(run):
    finished, *others = (at(run, f"jobs.{state}") or 0 for state in STATES)
    return f"<td>{shown(finished, PLAIN)} of {shown(finished + sum(others), PLAIN)}</td>"


def main_table(named):
    """named: [(label, run)...]. A row a policy."""
    runs = [run for _, run in named]
    figures = [figure for figure in FIGURES if figure[0] in MAIN]
    bests = {path: best(runs, path, better) for path, _, _, _, better in figures}
    fair = comparable(runs)
    rows = ["<tr><th scope=\"col\">policy</th><th scope=\"col\">jobs finished</th>" +
            "".join(f'<th scope="col">{heading(name, unit)}</th>' for _, name, unit, _, _ in figures) +
            "</tr>"]
    for i, (label, run) in enumerate(named):
        name = f'<th scope="row" class="name">{name_cell(label)}</th>'
        if "error" in run:
            rows.append(f'<tr>{name}<td colspan="{len(figures) + 1}" class="failed">failed: '
                        f'{escape(run["error"])}</td></tr>')
            continue
        cells = "".join(cell(run, path, unit, bests[path][i], fair[i])
                        for path, _, _, unit, _ in figures)
        rows.append(f"<tr>{name}{jobs_cell(run)}{cells}</tr>")
    return table("Policies side by side", rows)


def full_table(named):
    """A column a policy, a row for each figure that some run has."""
    named = [(label, run) for label, run in named if "error" not in run]
    runs = [run for _, run in named]
    fair = comparable(runs)
    rows = ["<tr><th scope=\"col\">figure</th>" +
            "".join(f'<th scope="col" class="name">{name_cell(label)}</th>' for label, _ in named) + "</tr>"]
    for state in STATES:
        cells = "".join(f"<td>{shown(at(run, f'jobs.{state}') or 0, PLAIN)}</td>" for run in runs)
        rows.append(f'<tr><th scope="row">jobs {state}</th>{cells}</tr>')
    for path, name, unit, scale, better in FIGURES:
        if all(at(run, path) is None for run in runs):
            continue
        marks = best(runs, path, better)
        over_finished = path.startswith(("makespan_s", "jct_s", "queueing_s", "slowdown", "rho"))
        cells = "".join(cell(run, path, scale, marks[i], fair[i] or not over_finished)
                        for i, run in enumerate(runs))
        rows.append(f'<tr><th scope="row">{heading(name, unit)}</th>{cells}</tr>')
    return table("All figures", rows)


def table(caption, rows):
    head, *body = rows
    return (f'<div class="wide" role="region" aria-label="{escape(caption)}" tabindex="0">'
            f"<table><caption>{escape(caption)}</caption><thead>{head}</thead>"
            f"<tbody>{''.join(body)}</tbody></table></div>")


def pairs(caption, rows):
    """A table of names and values."""
    body = [f'<tr><th scope="row" class="name">{name_cell(name)}</th><td class="text">{escape(value)}</td></tr>'
            for name, value in rows]
    return table(caption, ['<tr><th scope="col">setting</th><th scope="col" class="text">value</th></tr>', *body])
