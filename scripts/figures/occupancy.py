# SPDX-License-Identifier: GPL-3.0-or-later
"""Kind occupancy: a row for each GPU, time to the right, a colour for each job. A small figure is made
of rectangles, a large one of dots, each in the colour of the job that had most of its time."""
import axis
import gangs
import runs
import style
from figure import Entry, Panel
from raster import paint

MAX_BOXES = 4000
COLORS = style.job_colors()


def color_of(job):
    return style.NODE_DOWN if job == gangs.DOWN else COLORS[job % len(COLORS)]


class Rows:
    """Which GPU is in which row, from the top: by type, then node, then number."""

    def __init__(self, holdings, sizes):
        """sizes: GPUs of the cluster by type; those that nobody held get rows without a name."""
        gpus = {gpu for run in holdings for gpu in run.held}
        by_node = sorted(gpus, key=lambda gpu: (gangs.natural(gpu[1]), gpu))
        order = list(dict.fromkeys([*sizes, *(gpu[0] for gpu in by_node)]))
        self.rows, self.nodes, self.types = {}, [], []
        n = 0
        for kind in order:
            first = n
            for gpu in (gpu for gpu in by_node if gpu[0] == kind):
                if not self.nodes or self.nodes[-1][0] != gpu[:2]:
                    self.nodes.append([gpu[:2], n, n])
                self.rows[gpu] = n
                n += 1
                self.nodes[-1][2] = n
            self.unused = max(0, sizes.get(kind, 0) - (n - first))
            n += self.unused
            self.types.append((kind, first, n))
        self.n = n


def lanes(spells):
    """(begin, end, job, lane, lanes) of a GPU: jobs that hold it together are above each other."""
    spells = sorted(spells)
    if all(a[1] <= b[0] for a, b in zip(spells, spells[1:])):
        return [(*spell, 0, 1) for spell in spells]
    cuts = sorted({time for spell in spells for time in spell[:2]})
    pieces = []
    first = 0
    for begin, end in zip(cuts, cuts[1:]):
        while first < len(spells) and spells[first][1] <= begin:
            first += 1
        holding = sorted(job for b, e, job in spells[first:first + 8] if b <= begin and e >= end)
        pieces += [(begin, end, job, i, len(holding)) for i, job in enumerate(holding)]
    return joined(pieces)


def joined(pieces):
    """Pieces that go on in the same lane become one."""
    result, last = [], {}
    for piece in pieces:
        key = piece[2:]
        i = last.get(key)
        if i is not None and result[i][1] == piece[0]:
            result[i] = (result[i][0], piece[1], *key)
        else:
            last[key] = len(result)
            result.append(piece)
    return result


def boxes(run, rows):
    """[(begin, end, top, bottom, job)...]: GPUs of a node that the same job holds for the same time
    are one box. None when there are too many."""
    if sum(map(len, run.held.values())) > 8 * MAX_BOXES:
        return None
    open_boxes, result = {}, []
    for gpu, row in sorted(rows.rows.items(), key=lambda item: item[1]):
        for begin, end, job, lane, of in lanes(run.held.get(gpu, ())):
            key = (gpu[:2], begin, end, job, of)
            i = open_boxes.get(key)
            if of == 1 and i is not None and result[i][3] == row:
                result[i][3] = row + 1
            else:
                open_boxes[key] = len(result)
                result.append([begin, end, row + lane / of, row + (lane + 1) / of, job])
    return result if len(result) <= MAX_BOXES else None


def draw(request):
    drawn = gangs.read(request)
    rows = Rows([run for _, run in drawn], request.gpus_by_type())
    begin, end = runs.span([run.begin for _, run in drawn], [run.now for _, run in drawn])
    word = request.unit or axis.time_unit(end - begin)
    unit = axis.UNITS[word]
    x = axis.linear(request.xlabel or f"time ({word})", begin / unit, end / unit, request.tics(), word,
                    tight=True)
    figure = request.figure()
    size = request.size
    least = 0.62 if len(drawn) == 1 else 0.34
    row_height = min(1.6 * size.font, max(least * size.font, size.panel / len(drawn) / rows.n))
    height = min(rows.n * row_height, 8 * 72)
    y = row_axis(request, rows, height, size.font)
    for i, (group, run) in enumerate(drawn):
        panel = Panel(group.label, x, y, grid=False, height=height, x_tics=i + 1 == len(drawn))
        figure.panels.append(panel)
        fill(figure, panel, group, run, rows, unit)
    legend(figure, [run for _, run in drawn])
    figure.summary = (f"Which job held which of {rows.n} GPUs over time, a panel for each of "
                      f"{len(drawn)} policies: " + ", ".join(g.label for g, _ in drawn))
    return figure


def row_axis(request, rows, height, font):
    """Names of nodes beside their rows where there is room, else of GPU types; the highest row is
    row 0, so the axis runs down."""
    least = 0.95 * font * rows.n / height
    tics = [((first + to) / 2, f"{node} {kind}") for (kind, node), first, to in rows.nodes
            if to - first >= least]
    if 2 * len(tics) < len(rows.nodes):
        tics = [((first + to) / 2, kind) for kind, first, to in rows.types]
    return axis.Axis(request.ylabel or "GPUs", rows.n, 0.0, False, tics)


def fill(figure, panel, group, run, rows, unit):
    made = boxes(run, rows)
    if made is not None:
        data = [(b / unit, (top + low) / 2, b / unit, e / unit, top, low,
                 int(color_of(job)[1:], 16)) for b, e, top, low, job in made]
        name = figure.data(f"{group.label}: begin, middle row, begin, end, top, bottom, colour", data)
        panel.plots.append(f"'{name}' using 1:2:3:4:5:6:7 with boxxyerror fc rgb variable "
                           f"fs solid border lc rgb 'white' lw {0.25 * figure.stroke:.10g} notitle")
        job_names(figure, panel, run, made, rows, unit)
    else:
        dots(figure, panel, run, rows, unit)
    rulers(figure, panel, rows)


def dots(figure, panel, run, rows, unit):
    lo, hi = panel.x.lo * unit, panel.x.hi * unit
    high = max(1, min(8, round(panel.height / rows.n)))
    width, height, pixels = paint(run, rows, (lo, hi), high, lanes, color_of)
    name = figure.blob(pixels)
    dx, dy = (hi - lo) / unit / width, rows.n / height
    panel.plots.append(f"'{name}' binary array=({width},{height}) format='%uchar' "
                       f"origin=({lo / unit + dx / 2:.10g},{dy / 2:.10g}) dx={dx:.10g} dy={dy:.10g} "
                       "using 1:2:3 with rgbimage notitle")


def rulers(figure, panel, rows):
    """Thin lines between nodes, thicker ones between types, over the data."""
    types = {first for _, first, _ in rows.types[1:]}
    for first in sorted({node[1] for node in rows.nodes[1:]} | types):
        color, lw = (style.TEXT, 0.9) if first in types else ("#FFFFFF", 0.6)
        if first not in types and len(rows.nodes) > 100:
            continue
        begin = panel.x.lo + 0.002 * (panel.x.hi - panel.x.lo)  # beside the axis
        panel.before.append(f"set arrow from {begin:.10g},{first} to {panel.x.hi:.10g},{first} "
                            f"nohead front lc rgb '{color}' lw {lw * figure.stroke:.10g} dt solid")


def job_names(figure, panel, run, made, rows, unit):
    """The job's id inside each box that is large enough for it."""
    font = 0.8 * figure.size.font
    plot_width = figure.size.width * 0.8
    names = {number: name for name, number in run.jobs.items()}
    for begin, end, top, low, job in made:
        wide = (end - begin) / unit / (panel.x.hi - panel.x.lo) * plot_width
        high = (low - top) / rows.n * panel.height
        if job == gangs.DOWN or high < 1.1 * font:
            continue
        if style.text_width(names[job], font) + font <= wide:
            panel.before.append(figure.label_at(names[job], (begin + end) / 2 / unit,
                                                (top + low) / 2, font, ink(color_of(job))))


def ink(color):
    """Black or white, whichever can be read on the colour."""
    red, green, blue = (int(color[i:i + 2], 16) / 255 for i in (1, 3, 5))
    return "#000000" if 0.2126 * red ** 2.2 + 0.7152 * green ** 2.2 + 0.0722 * blue ** 2.2 > 0.18 \
        else "#FFFFFF"


def legend(figure, holdings):
    """A job has the same number under each policy, and with it its colour."""
    names = {number: name for run in holdings for name, number in run.jobs.items()}
    held = sorted({spell[2] for run in holdings for spells in run.held.values() for spell in spells}
                  - {gangs.DOWN})
    if len(held) <= len(COLORS) and len({color_of(job) for job in held}) == len(held):
        figure.entries += [Entry(names[job], fill=color_of(job)) for job in held]
    else:
        figure.entries.append(Entry(f"each change of colour is another job ({len(held)} jobs, "
                                    f"{len(COLORS)} colours), white: free"))
    if any(spell[2] == gangs.DOWN for run in holdings for spells in run.held.values()
           for spell in spells):
        figure.entries.append(Entry("node out of service", fill=style.NODE_DOWN))
