# SPDX-License-Identifier: GPL-3.0-or-later
"""Who held which GPU when, as an image: a column of dots is a stretch of time, a GPU a row or more."""

COLUMNS = 1500
MAX_DOTS = 4_000_000


def rgb(color):
    return bytes.fromhex(color[1:])


class Column:
    """The time of the jobs inside the column of dots at hand."""

    def __init__(self, cells):
        self.cells = cells
        self.at = -1
        self.times = {}

    def add(self, column, seconds, job):
        if column != self.at:
            self.settle()
            self.at = column
        self.times[job] = self.times.get(job, 0.0) + seconds

    def settle(self):
        """The job with most of the time gets the dot, if jobs have half of it."""
        if self.times and 2 * sum(self.times.values()) >= 1.0 - 1e-9:
            self.cells[self.at] = max(self.times, key=lambda job: (self.times[job], -job))
        self.times = {}


def paint_row(pieces, lo, width, n):
    """The job of each of n dots, None where the GPU is free most of the time; pieces ascend."""
    cells = [None] * n
    column = Column(cells)
    for begin, end, job in pieces:
        a, b = (begin - lo) / width, (end - lo) / width
        first, last = min(int(a), n - 1), min(int(b), n - 1)
        if first == last:
            column.add(first, b - a, job)
            continue
        column.add(first, first + 1 - a, job)
        column.settle()
        cells[first + 1:last] = [job] * (last - first - 1)
        column.add(last, b - last, job)
    column.settle()
    return cells


def paint(run, rows, bounds, high, lanes, color_of):
    """(columns, rows of dots, their red, green, blue bytes from row 0 on); a GPU is `high` dots high,
    two jobs that share one have at least one each."""
    shared = any(a[1] > b[0] for spells in map(sorted, run.held.values())
                 for a, b in zip(spells, spells[1:]))
    halves = 2 if shared else 1
    high = max(1, high // halves)
    columns = min(COLUMNS, max(200, MAX_DOTS // (rows.n * halves * high)))
    width = (bounds[1] - bounds[0]) / columns
    free = b"\xff\xff\xff"
    lines = [free * columns] * (rows.n * halves)
    colors = {None: free}
    for gpu, row in rows.rows.items():
        pieces = lanes(run.held.get(gpu, ()))
        for lane in range(halves):
            mine = [p[:3] for p in pieces if p[4] == 1 or p[3] == lane]
            cells = paint_row(mine, bounds[0], width, columns)
            for job in set(cells):
                if job not in colors:
                    colors[job] = rgb(color_of(job))
            lines[row * halves + lane] = b"".join(map(colors.__getitem__, cells))
    return columns, len(lines) * high, b"".join(line * high for line in lines)
