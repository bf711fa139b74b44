# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws hsim's results: options and kinds of scripts/plot."""
import argparse
import dataclasses
import re

import axis
import distribution
import figure
import levels
import occupancy
import problem
import render
import style
import summary
import sweep
from problem import BAD_USAGE, Problem

KINDS = {
    "jct": (distribution.draw, "distribution of job completion times by policy (--jobs-out)"),
    "slowdown": (distribution.draw, "distribution of slowdown by policy (--jobs-out)"),
    "rho": (distribution.draw, "distribution of finish-time fairness by policy (--jobs-out)"),
    "gpus": (levels.draw_gpus, "GPUs in use by type over time (--series-out)"),
    "queue": (levels.draw_queue, "jobs in the queue over time by policy (--series-out)"),
    "occupancy": (occupancy.draw, "which job held which GPU when (--events-out)"),
    "sweep": (sweep.draw, "a column against another, means of the rows that share --x and --by, with "
                          "95 %% confidence bands; any CSV with a row a run"),
}


@dataclasses.dataclass
class Request:
    """What to draw and how; what the kinds ask for."""
    kind: str
    files: list
    format: str = "svg"
    size: style.Size = style.SIZES["page"]
    title: str = ""
    log: frozenset = frozenset()
    policies: list = dataclasses.field(default_factory=list)
    seeds: list = dataclasses.field(default_factory=list)
    labels: dict = dataclasses.field(default_factory=dict)
    unit: str | None = None
    xlabel: str | None = None
    ylabel: str | None = None
    summary: str | None = None
    x: str | None = None
    y: str | None = None
    by: list = dataclasses.field(default_factory=lambda: ["policy"])
    first_seed: bool = False  # of several draw the first instead of asking for a choice
    notes: list = dataclasses.field(default_factory=list)  # what the figure leaves out, for people

    def figure(self):
        return figure.Figure(self.size, self.format, self.title)

    def tics(self):
        """How many texts fit beside each other below a plot."""
        return max(3, min(12, int(self.size.width / self.size.font / 6.5)))

    def gpus_by_type(self):
        """Of the cluster, as --summary says; empty without it."""
        return summary.gpus_by_type(summary.read(self.summary)) if self.summary else {}


def draw(request):
    """The figure of a request."""
    return KINDS[request.kind][0](request)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Problem(BAD_USAGE, message)


def bad_option(option, value, expected):
    return Problem(BAD_USAGE, f'option {option}: value "{value}": expected {expected}')


def parse_size(text, font):
    size = style.SIZES.get(text)
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)x([0-9]+(?:\.[0-9]+)?)", text)
    if match:
        width, height = float(match[1]), float(match[2])
        if not (1 <= width <= 100 and 1 <= height <= 100):
            raise bad_option("--size", text, "inches from 1 to 100")
        named = "column" if width < 5 else "page" if width < 9 else "slide"
        size = dataclasses.replace(style.SIZES[named], width=width * 72, height=height * 72)
    if size is None:
        raise bad_option("--size", text, "column, page, slide or WIDTHxHEIGHT in inches")
    if font is not None:
        size = dataclasses.replace(size, font=number("--font", font, 4, 72))
    return size


def number(option, text, least, most):
    try:
        value = float(text)
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        raise bad_option(option, text, f"a number from {least} to {most}")
    return value


def parser():
    kinds = "\n".join(f"  {name:10} {text.replace('%%', '%')}" for name, (_, text) in KINDS.items())
    p = Parser(prog="scripts/plot", usage="scripts/plot KIND [options] FILE...", add_help=False,
               allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
               description=f"Draws hsim's results with gnuplot.\n\nkinds:\n{kinds}\n\n"
                           "A FILE may be - for standard input. docs/figures.md shows each kind.")
    p.add_argument("kind", metavar="KIND", help=argparse.SUPPRESS)
    p.add_argument("files", metavar="FILE", nargs="+", help=argparse.SUPPRESS)
    p.add_argument("-o", "--out", metavar="FILE",
                   help="where to, - for standard output (default: KIND.svg here)")
    p.add_argument("--format", metavar="FORMAT",
                   help="svg, png or pdf (default: as OUT's name ends, else svg)")
    p.add_argument("--size", metavar="SIZE", default="page",
                   help="column (3.35 inches wide), page (6.9), slide (12), or WIDTHxHEIGHT in inches "
                        "(default: page)")
    p.add_argument("--font", metavar="POINTS", help="size of letters (default: by --size)")
    p.add_argument("--dpi", metavar="N", default="200", help="dots per inch of PNG (default: 200)")
    p.add_argument("--title", metavar="TEXT", default="", help="above the figure (default: none)")
    p.add_argument("--policy", metavar="POLICY", action="append", default=[],
                   help="only this one, named as in the file; repeat for more, in this order")
    p.add_argument("--seed", metavar="N", action="append", default=[],
                   help="only this seed, where the file has several; may be repeated")
    p.add_argument("--label", metavar=("POLICY", "TEXT"), nargs=2, action="append", default=[],
                   help="what the figure calls a policy")
    p.add_argument("--log", metavar="AXES", default="",
                   help="logarithmic axes: x (jct, slowdown, rho), x, y or x,y (sweep)")
    p.add_argument("--unit", metavar="UNIT",
                   help="of time: s, min, h or days (default: by the range; not for sweep)")
    p.add_argument("--xlabel", metavar="TEXT", help="text below the x axis")
    p.add_argument("--ylabel", metavar="TEXT", help="text beside the y axis")
    p.add_argument("--summary", metavar="FILE.json",
                   help="the run's summary (hsim --json): gpus and occupancy then know all GPUs")
    p.add_argument("--x", metavar="COLUMN", help="sweep: column of the x axis")
    p.add_argument("--y", metavar="COLUMN", help="sweep: column of the y axis")
    p.add_argument("--by", metavar="COLUMN,...", default="policy",
                   help="sweep: a curve for each combination of these (default: policy; '' for one)")
    p.add_argument("--keep", metavar="FOLDER", help="leave gnuplot's script and data there")
    p.add_argument("-h", "--help", action="store_true", help="print this and exit")
    return p


def parse(arguments):
    """(the request, the options)"""
    options = parser().parse_args(arguments)
    if options.kind not in KINDS:
        hint = problem.did_you_mean(options.kind, KINDS) or ": there are " + ", ".join(KINDS)
        raise Problem(BAD_USAGE, f'no kind "{options.kind}"{hint}')
    if options.out is None:
        options.out = f"{options.kind}.{options.format or 'svg'}"
    ending = options.out.rpartition(".")[2].lower()
    fmt = options.format or (ending if ending in render.FORMATS else None)
    if fmt is None and options.out == "-":
        fmt = "svg"
    if fmt is None:
        raise bad_option("--out", options.out, "a name that ends in .svg, .png or .pdf, or --format")
    if fmt not in render.FORMATS:
        raise bad_option("--format", fmt, "svg, png or pdf")
    if options.unit is not None and options.unit not in axis.UNITS:
        raise bad_option("--unit", options.unit, ", ".join(axis.UNITS))
    if options.files.count("-") > 1:
        raise Problem(BAD_USAGE, "standard input twice")
    options.dpi = number("--dpi", options.dpi, 30, 1200)
    request = Request(kind=options.kind, files=options.files, format=fmt,
                      size=parse_size(options.size, options.font), title=options.title,
                      log=parse_log(options), policies=options.policy, seeds=options.seed,
                      labels=dict(options.label), unit=options.unit, xlabel=options.xlabel,
                      ylabel=options.ylabel, summary=options.summary, x=options.x, y=options.y,
                      by=options.by.split(",") if options.by else [])
    return request, options


def parse_log(options):
    axes = set(filter(None, options.log.split(",")))
    allowed = {"sweep": {"x", "y"}}.get(options.kind, set())
    if options.kind in distribution.KINDS:
        allowed = {"x"}
    if not axes <= allowed:
        raise bad_option("--log", options.log, f"{','.join(sorted(allowed))} for {options.kind}"
                         if allowed else f"nothing: {options.kind} has linear axes")
    return frozenset(axes)


def main(arguments):
    if "--help" in arguments or "-h" in arguments:
        print(parser().format_help(), end="")
        return 0
    request, options = parse(arguments)
    content = render.draw(draw(request), options.dpi, options.keep)
    for text in request.notes:
        problem.note("plot", text)
    render.write(options.out, content)
    return 0
