# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a page of the results in a folder: options and contents of scripts/report."""
import argparse
import os
import shlex
import subprocess

import page
import plot
import problem
import render
import settings
import summary
import tables
from problem import BAD_DATA, BAD_USAGE, FAILED, NothingToDraw, Problem, cannot_write
from table import NUMBER, Table

SUMMARY, JOBS, EVENTS, SERIES = "summary.json", "jobs.csv", "events.csv", "series.csv"
RESULTS, COMMAND = "results.csv", "command.txt"
OURS = ("--json", "--jobs-out", "--events-out", "--series-out")

FIGURES = [  # kind, file, title, axis that is logarithmic
    ("jct", JOBS, "Job completion times: the part of the jobs that took at most so long", "x"),
    ("slowdown", JOBS, "Slowdown: completion time over the time alone on the best GPU type", "x"),
    ("rho", JOBS, "Finish-time fairness: above 1 (the dotted line) an app took longer than on its fair "
                  "share. It does not compare policies, slowdown does", "x"),
    ("queue", SERIES, "Jobs in the queue over time", ""),
    ("gpus", SERIES, "GPUs in use by type over time", ""),
    ("occupancy", EVENTS, "Which job held which GPU when", ""),
]


def parser():
    p = plot.Parser(prog="scripts/report", add_help=False, allow_abbrev=False,
                    usage="scripts/report DIR [options]\n"
                          "       scripts/report --run DIR [options] -- HSIM-OPTIONS...",
                    formatter_class=argparse.RawDescriptionHelpFormatter,
                    description="Makes one HTML page, with everything inside, of the results in a "
                                "folder:\nsummary.json (hsim --json), and jobs.csv, events.csv, "
                                "series.csv (--jobs-out and so on)\nand results.csv (a row a run), "
                                "whichever are there. With --run it calls hsim first.")
    p.add_argument("folder", metavar="DIR", nargs="?", help=argparse.SUPPRESS)
    p.add_argument("--run", metavar="DIR", help="run hsim with what stands behind -- and keep its "
                                                "results in DIR")
    p.add_argument("-o", "--out", metavar="FILE",
                   help="where to, - for standard output (default: DIR/report.html)")
    p.add_argument("--title", metavar="TEXT", help="of the page (default: names the trace)")
    p.add_argument("--sweep", metavar="X:Y[:BY,...]", action="append", default=[],
                   help="a figure of results.csv: columns as for scripts/plot sweep; may be repeated")
    p.add_argument("-h", "--help", action="store_true", help="print this and exit")
    return p


def parse(arguments):
    """(options, hsim's options behind --)"""
    own, rest = arguments, None
    if "--" in arguments:
        cut = arguments.index("--")
        own, rest = arguments[:cut], arguments[cut + 1:]
    options = parser().parse_args(own)
    if (options.run is None) == (options.folder is None):
        raise Problem(BAD_USAGE, "needs a folder: DIR or --run DIR")
    if (options.run is None) != (rest is None):
        raise Problem(BAD_USAGE, "--run DIR and -- HSIM-OPTIONS... go together")
    for word in rest or ():
        if word.split("=")[0] in OURS:
            raise Problem(BAD_USAGE, f"{word.split('=')[0]} is set by --run")
    for text in options.sweep:
        if len(text.split(":", 2)) < 2:
            raise plot.bad_option("--sweep", text, "X:Y or X:Y:BY,... with names of columns")
    return options, rest


def run_hsim(program, folder, words):
    """Fills the folder. Returns hsim's exit code and whether there are results: some codes have."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from None
    outputs = [word for option, name in (("--jobs-out", JOBS), ("--events-out", EVENTS),
                                         ("--series-out", SERIES))
               for word in (option, os.path.join(folder, name))]
    try:
        done = subprocess.run([program, *words, "--json", *outputs], stdin=None,
                              stdout=subprocess.PIPE, check=False)
    except OSError as error:
        raise Problem(FAILED, f"{program}: {os.strerror(error.errno)}") from None
    if not done.stdout.startswith(b"{"):
        return done.returncode or BAD_USAGE, False  # hsim has said why, or printed --help
    render.write(os.path.join(folder, SUMMARY), done.stdout)
    render.write(os.path.join(folder, COMMAND), (shlex.join(["hsim", *words]) + "\n").encode())
    return done.returncode, True


class Report:
    def __init__(self, folder, options):
        self.folder = folder
        self.options = options
        self.document = summary.read(self.path(SUMMARY))
        self.count = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def has(self, name):
        return os.path.exists(self.path(name))

    def command(self):
        if not self.has(COMMAND):
            return ""
        try:
            with open(self.path(COMMAND), encoding="utf-8", errors="replace") as file:
                return file.read().strip()
        except OSError as error:
            raise problem.cannot_read(self.path(COMMAND), error) from None

    # ---- names ----

    def csv_names(self):
        """Policies as the CSV files call them, with their options as typed."""
        for name in (JOBS, SERIES, EVENTS):
            if self.has(name):
                with Table(self.path(name), "a CSV output of hsim") as table:
                    policy = table.column("policy")
                    return list(dict.fromkeys(row[policy] for row in table.rows()))
        return []

    def rows(self):
        """What the tables have a row for: the runs, or with several seeds their comparison."""
        return self.document.get("comparison") or self.document["runs"]

    def named(self, runs):
        """[(label, run)...]: labels are the names of the CSV files where they match the runs."""
        names = self.csv_names()
        worked = (own_name(run) for run in self.document["runs"] if "error" not in run)
        order = list(dict.fromkeys(worked))
        labels = {}
        if len(names) == len(order):
            labels = {own: name for own, name in zip(order, names) if name.startswith(own[0])}
        result = []
        for run in runs:
            label = labels.get(own_name(run)) or spelled(run, runs)
            if run.get("failed"):
                label += f" ({run['failed']} of {len(self.document['seeds'])} seeds failed)"
            result.append((label, run))
        return result

    def one_each(self):
        """The first run of each policy."""
        first = {}
        for run in self.document["runs"]:
            first.setdefault(own_name(run), run)
        return list(first.values())

    # ---- figures ----

    def figure(self, caption, kind, file, **more):
        request = plot.Request(kind=kind, files=[self.path(file)], summary=self.path(SUMMARY),
                               first_seed=True, **more)
        try:
            drawn = plot.draw(request)
        except NothingToDraw as nothing:
            return page.note(str(nothing))
        svg = render.draw(drawn).decode()
        self.count += 1
        return "\n".join([page.figure(self.count, svg, caption, drawn.summary),
                          *map(page.note, request.notes)])

    def figures(self):
        parts = []
        for kind, file, caption, log in FIGURES:
            if not self.has(file):
                continue
            if kind == "occupancy":
                parts += [self.figure(f"{caption}: {name}", kind, file, policies=[name])
                          for name in self.csv_names()]
            else:
                parts.append(self.figure(caption, kind, file, log=frozenset(log)))
        missing = [name for name in (JOBS, SERIES, EVENTS) if not self.has(name)]
        if missing:
            parts.append(page.note(f"The folder has no {', '.join(missing)}: figures of it are "
                                   "left out."))
        return parts

    def sweeps(self):
        if not self.has(RESULTS):
            if self.options.sweep:
                raise Problem(BAD_DATA, f"{self.path(RESULTS)}: cannot be read: no such file, but "
                                        "option --sweep asks for it")
            return []
        wanted = [text.split(":", 2) for text in self.options.sweep] or self.guess()
        parts = [self.figure(f"{y} against {x}", "sweep", RESULTS, x=x, y=y,
                             by=(by[0].split(",") if by and by[0] else []) if by else ["policy"])
                 for x, y, *by in wanted]
        return parts or [page.note("results.csv: no column of numbers varies that could be the x axis; "
                                   "--sweep X:Y chooses one.")]

    def guess(self):
        """The first column of numbers that varies against mean JCT and makespan, without --sweep."""
        with Table(self.path(RESULTS), "a table with a row a run") as table:
            end = table.find("schema")
            values = [set() for _ in table.header]
            for row in table.rows():
                for seen, cell in zip(values, row):
                    seen.add(cell)
            ys = [y for y in ("jct_s.mean", "makespan_s") if table.find(y) is not None]
            by = "label" if table.find("label") is not None else "policy"
            for name, seen in list(zip(table.header, values))[:end]:
                if name not in ("seed", "point") and len(seen) > 1 and all(map(NUMBER, seen)):
                    return [[name, y, by] for y in ys]
        return []

    # ---- the page ----

    def html(self):
        named = self.named(self.rows())
        title = self.options.title or f"hsim: {os.path.basename(str(self.document['trace']['file']))}"
        intro = ["<p>\u2605 marks the best of the policies, among those that finished the most jobs. "
                 "Times are simulated hours. rho and counts are not ranked.</p>"]
        if self.document.get("comparison"):
            intro.append(f"<p>Means over {len(self.document['seeds'])} seeds \u00b1 half of their 95 % "
                         "confidence intervals.</p>")
        if not all(tables.comparable([run for _, run in named])):
            intro.append("<p>* Over fewer jobs than other policies finished: not compared.</p>")
        sections = [page.section("Results", [*intro, tables.main_table(named)])]
        figures = self.figures()
        if figures:
            sections.append(page.section("Figures", figures))
        sweeps = self.sweeps()
        if sweeps:
            sections.append(page.section("Sweep", sweeps))
        sections.append(page.section("All figures of the summary", [tables.full_table(named)]))
        sections.append(page.section("Settings", [
            tables.pairs("Input and rules", settings.rows(self.document, self.command())),
            tables.pairs("Policies", settings.run_rows(self.named(self.one_each())))]))
        return page.page(title, sections)


def own_name(run):
    """What tells a policy's runs apart in the summary: hashable, the same for all seeds."""
    return run["policy"], settings.text(run.get("options", {}))


def spelled(run, runs):
    """The policy with the options in which it differs from others of its name."""
    others = [other for other in runs if other["policy"] == run["policy"]]
    differing = [f"{key}={settings.text(value)}" for key, value in run.get("options", {}).items()
                 if any(other.get("options", {}).get(key) != value for other in others)]
    return ":".join([run["policy"], *differing])


def main(program, arguments):
    if {"--help", "-h"} & set(arguments[:arguments.index("--")] if "--" in arguments else arguments):
        print(parser().format_help(), end="")
        return 0
    options, words = parse(arguments)
    code, results = run_hsim(program, options.run, words) if options.run else (0, True)
    if not results:
        return code
    folder = options.run or options.folder
    out = options.out or os.path.join(folder, "report.html")
    render.write(out, Report(folder, options).html().encode())
    return code
