# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure: a title, a legend above the data, and panels one below the other, as a gnuplot script with
data files. All room is worked out here, so that no text is cut off and nothing overlaps."""
import re
from dataclasses import dataclass, field

import style
from problem import BAD_USAGE, Problem

PAD = 6.0  # points at the edges of the figure


def printable(text):
    """Without what neither a line of a figure nor XML can hold."""
    return re.sub("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)


def quoted(text):
    """For gnuplot: in single quotes nothing has a meaning but the quote itself."""
    return "'" + printable(text).replace("'", "''") + "'"


def num(value):
    return f"{value:.10g}"


def dash_words(dash):
    return "dt solid" if dash is None else f"dt ({','.join(map(str, dash))})"


@dataclass
class Entry:
    """Of the legend: a line's look, or a fill; None for both: text alone."""
    text: str
    line: style.Line | None = None
    fill: str | None = None


@dataclass
class Panel:
    title: str
    x: object  # axis.Axis
    y: object
    grid: bool = True
    height: float | None = None  # points; None: the size's
    before: list = field(default_factory=list)  # gnuplot lines in front of the plot
    plots: list = field(default_factory=list)  # parts of the plot command
    x_tics: bool = True


# What a terminal counts as one point: (widths of lines, sizes of fonts). A line of width 1 is one
# pixel of 96 an inch, in PDF half a point; fonts of SVG are in pixels.
DEVICES = {"svg": (96 / 72, 96 / 72), "png": (96 / 72, 1.0), "pdf": (2.0, 1.0)}


class Figure:
    def __init__(self, size, fmt, title=""):
        self.size = size
        self.format = fmt
        self.stroke, self.letters = DEVICES[fmt]
        self.title = title
        self.entries = []
        self.panels = []
        self.files = {}  # name: bytes
        self.summary = ""  # what it shows, for those who cannot see it

    def data(self, comment, rows):
        """Keeps rows of numbers as a data file of gnuplot; an empty row breaks a curve. Its name."""
        name = f"data{len(self.files) + 1}.txt"
        lines = [f"# {printable(comment)}\n"]
        lines += [" ".join(map(num, row)) + "\n" for row in rows]
        self.files[name] = "".join(lines).encode()
        return name

    def blob(self, content):
        name = f"data{len(self.files) + 1}.rgb"
        self.files[name] = bytes(content)
        return name

    # ---- room ----

    def left_margin(self):
        font = self.size.font
        tics = max(style.text_width(text, font) for p in self.panels for _, text in p.y.tics)
        return PAD + 1.6 * font + tics + 0.9 * font

    def text_room(self):
        return self.size.width - 2 * PAD

    def legend_rows(self):
        """Rows of (x, entry, lines): x in points from the left edge."""
        font = self.size.font
        rows, row, x = [], [], PAD
        for entry in self.entries:
            sample = 0 if entry.line is None and entry.fill is None else self.sample() + 0.5 * font
            lines = style.wrap(entry.text, font, self.text_room() - sample)
            width = sample + max(style.text_width(line, font) for line in lines) + 1.6 * font
            if row and x + width - 1.6 * font > self.size.width - PAD:
                rows.append(row)
                row, x = [], PAD
            row.append((x, entry, lines))
            x += width
        return rows + [row] if row else rows

    def sample(self):
        return 3.2 * self.size.font

    def head_height(self, legend):
        font = self.size.font
        height = PAD
        if self.title:
            height += len(self.title_lines()) * 1.5 * font + 0.3 * font
        for row in legend:
            height += max(len(lines) for _, _, lines in row) * 1.45 * font
        return height + (0.4 * font if legend else 0)

    def title_lines(self):
        return style.wrap(self.title, 1.15 * self.size.font, self.text_room())

    def panel_title(self, panel, left):
        if not panel.title:
            return []
        return style.wrap(panel.title, self.size.font, self.size.width - left - PAD)

    def label_lines(self, text, room):
        return style.wrap(text, self.size.font, room) if text else []

    def foot(self, panel, plot_width):
        """Below a panel: its tics' texts and its label."""
        font = self.size.font
        if not panel.x_tics:
            return 0.8 * font
        return 2.3 * font + 1.35 * font * len(self.label_lines(panel.x.label, plot_width))

    def layout(self):
        """(height of the figure, legend, [(panel, title lines, left, right, bottom, top)])."""
        font, width = self.size.font, self.size.width
        legend = self.legend_rows()
        head = self.head_height(legend)
        left = self.left_margin()
        last = max(style.text_width(text, font) for p in self.panels for _, text in p.x.tics)
        right = width - PAD - max(0.5 * last, font)
        if right - left < 6 * font:
            raise Problem(BAD_USAGE, "option --size: too narrow for the texts of this figure")
        extra = [1.4 * font * len(self.panel_title(p, left)) + 0.6 * font +
                 self.foot(p, right - left) for p in self.panels]
        heights = [p.height or self.size.panel for p in self.panels]
        total = head + sum(extra) + sum(heights) + PAD
        if self.size.height is not None:
            each = sum(heights) + self.size.height - total
            heights = [h / sum(heights) * each for h in heights]
            total = self.size.height
            if min(heights) < 3 * font:
                raise Problem(BAD_USAGE, "option --size: too low for the texts of this figure")
        places = []
        y = total - head
        for panel, room, height in zip(self.panels, extra, heights):
            titles = self.panel_title(panel, left)
            top = y - 1.4 * font * len(titles) - 0.6 * font
            places.append((panel, titles, left, right, top - height, top))
            y -= room + height
        return total, legend, places

    # ---- the script ----

    def script(self):
        """Lines for gnuplot after `set terminal` and `set output`. Sets self.height."""
        self.height, legend, places = self.layout()
        lines = ["set encoding utf8", "unset key", "set tics nomirror",
                 f"set linetype 1 lc rgb '{style.TEXT}'", "set multiplot"]
        for i, place in enumerate(places):
            lines += self.panel_script(*place, self.head_script(legend) if i == 0 else [])
        return lines + ["unset multiplot"]

    def at(self, x, y):
        return f"screen {num(x / self.size.width)},screen {num(y / self.height)}"

    def text(self, text, x, y, how="left", font=None):
        """y is the middle of the line."""
        font = f" font ',{num(font * self.letters)}'" if font else ""
        return f"set label {quoted(text)} at {self.at(x, y)} {how}{font} tc rgb '{style.TEXT}'"

    def label_at(self, text, x, y, font, color):
        """Centred on a point of a panel's own axes."""
        return (f"set label {quoted(text)} at {num(x)},{num(y)} center front "
                f"font ',{num(font * self.letters)}' tc rgb '{color}'")

    def head_script(self, legend):
        font = self.size.font
        y = self.height - PAD
        lines = []
        if self.title:
            for text in self.title_lines():
                y -= 1.5 * font
                lines.append(self.text(text, PAD, y + 0.75 * font, font=1.15 * font))
            y -= 0.3 * font
        for row in legend:
            for x, entry, texts in row:
                lines += self.entry_script(x, y, entry, texts)
            y -= max(len(texts) for _, _, texts in row) * 1.45 * font
        return lines

    def entry_script(self, x, y, entry, texts):
        font, end = self.size.font, x + self.sample()
        middle = y - 0.7 * font
        lines = []
        if entry.line:
            lines.append(f"set arrow from {self.at(x, middle)} to {self.at(end, middle)} nohead "
                         f"{self.look(entry.line)}")
            lines.append(f"set label '' at {self.at((x + end) / 2, middle)} "
                         f"point {self.points(entry.line)}")
        elif entry.fill:
            low, high = self.at(x, middle - 0.45 * font), self.at(end, middle + 0.45 * font)
            lines.append(f"set object rectangle from {low} to {high} fc rgb '{entry.fill}' "
                         f"fs solid border lc rgb '{style.TEXT}' lw {num(0.5 * self.stroke)}")
        if entry.line or entry.fill:
            x = end + 0.5 * font
        return lines + [self.text(text, x, middle - 1.45 * font * i) for i, text in enumerate(texts)]

    def look(self, line):
        return f"lc rgb '{line.color}' lw {num(self.size.stroke * self.stroke)} {dash_words(line.dash)}"

    def points(self, line):
        """For `with points` and, after the word point, for labels."""
        # In SVG they grow with the font by themselves. Discs look smaller than other marks.
        scale = 0.65 if self.format == "svg" else self.size.font / 14
        scale *= 1.1 if line.marker in (6, 7) else 1.0
        return (f"pt {line.marker} ps {num(scale)} lc rgb '{line.color}' "
                f"lw {num(0.7 * self.size.stroke * self.stroke)}")

    def panel_script(self, panel, titles, left, right, bottom, top, head):
        font, width, height = self.size.font, self.size.width, self.height
        lines = [f"set lmargin at screen {num(left / width)}",
                 f"set rmargin at screen {num(right / width)}",
                 f"set bmargin at screen {num(bottom / height)}",
                 f"set tmargin at screen {num(top / height)}",
                 f"set border 3 lc rgb '{style.TEXT}' lw {num(0.8 * self.stroke)}"]
        lines += self.axis_script("x", panel.x) + self.axis_script("y", panel.y)
        grid = f"lt 1 lc rgb '{style.GRID}' lw {num(0.6 * self.stroke)} {dash_words(None)}"
        lines.append(f"set grid xtics ytics nomxtics nomytics back {grid}" if panel.grid
                     else "unset grid")
        lines += head
        for i, text in enumerate(titles):
            y = top + 1.4 * font * (len(titles) - i) - 0.35 * font
            lines.append(self.text(text, left, y))
        for value, text in panel.y.tics:
            lines.append(self.tic_text(text, f"screen {num((left - 0.7 * font) / width)}",
                                       f"first {num(value)}", "right"))
        if panel.x_tics:
            for value, text in panel.x.tics:
                lines.append(self.tic_text(text, f"first {num(value)}",
                                           f"screen {num((bottom - 1.4 * font) / height)}", "center"))
            for i, text in enumerate(self.label_lines(panel.x.label, right - left)):
                y = bottom - 2.9 * font - 1.35 * font * i
                lines.append(self.text(text, (left + right) / 2, y, "center"))
        labels = self.label_lines(panel.y.label, (top - bottom) * 1.15)[:1 + (len(self.panels) == 1)]
        for i, text in enumerate(labels):
            x = PAD + 0.6 * font + 1.2 * font * i
            lines.append(self.text(text, x, (top + bottom) / 2, "center rotate by 90"))
        lines += panel.before
        plots = panel.plots or ["NaN notitle"]
        lines.append("plot " + ", \\\n     ".join(plots))
        return lines + ["unset label", "unset arrow", "unset object"]

    def tic_text(self, text, x, y, how):
        """gnuplot's own stand elsewhere with each terminal."""
        return f"set label {quoted(text)} at {x},{y} {how} tc rgb '{style.TEXT}'" if text else ""

    def axis_script(self, name, axis):
        places = ", ".join(f"'' {num(value)} {0 if text else 1}" for value, text in axis.tics)
        log = f"set logscale {name}" if axis.log else f"unset logscale {name}"
        return [log, f"set {name}range [{num(axis.lo)}:{num(axis.hi)}]",
                f"set {name}tics nomirror out scale 0.6,0.3 ({places})"]
