# SPDX-License-Identifier: GPL-3.0-or-later
"""How figures look: sizes, and colours of Okabe and Ito, which colour-blind readers can tell apart,
with dashes and markers beside them so that print in black and white can be read, too."""
from dataclasses import dataclass

FONT = "DejaVu Sans"
TEXT = "#1A1A1A"
GRID = "#DCDCDC"

BLUE, VERMILLION, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"
PURPLE, SKY, ORANGE, YELLOW = "#CC79A7", "#56B4E9", "#E69F00", "#F0E442"

LINES = [BLUE, VERMILLION, GREEN, BLACK, PURPLE, SKY, ORANGE]
DASHES = [None, (10, 4), (3, 3), (12, 3, 3, 3), (6, 3), (12, 3, 3, 3, 3, 3), (2, 2), (16, 3, 6, 3)]
MARKERS = [7, 5, 9, 13, 6, 4, 8, 12]  # gnuplot's: disc, square, triangle, diamond; then open ones
# Areas that touch: neighbours differ in lightness, not in hue alone.
AREAS = [BLUE, ORANGE, GREEN, YELLOW, VERMILLION, SKY, PURPLE, BLACK]
NODE_DOWN = "#8C8C8C"


@dataclass(frozen=True)
class Line:
    color: str
    dash: tuple | None
    marker: int


def line(i):
    """The look of curve number i: 56 different ones."""
    return Line(LINES[i % len(LINES)], DASHES[i % len(DASHES)], MARKERS[i % len(MARKERS)])


def area(i):
    return AREAS[i % len(AREAS)]


def tint(color, part):
    """The colour mixed with white: 0 is white, 1 the colour itself."""
    channels = (int(color[i:i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - c) * part):02X}" for c in channels)


def job_colors():
    """Fills for many jobs: full colours and their tints in turn, so that jobs that begin one after
    the other are far apart."""
    full = [BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILLION, YELLOW]
    light = [tint(color, 0.45) for color in full[3:] + full[:3]]
    return [color for pair in zip(full, light) for color in pair]


@dataclass(frozen=True)
class Size:
    """Points of 1/72 inch. `height` is that of the whole figure, or None: then each panel has
    `panel` and the figure is as high as it takes."""
    width: float
    height: float | None
    panel: float
    font: float
    stroke: float  # width of curves


SIZES = {
    "column": Size(3.35 * 72, None, 1.65 * 72, 7.5, 1.1),
    "page": Size(6.9 * 72, None, 2.7 * 72, 9.5, 1.4),
    "slide": Size(12 * 72, None, 4.4 * 72, 18, 2.6),
}

NARROW, SLIM, SMALL, WIDE, WIDEST = " ijlI.,:;'|!", "frt()[]{}-", '"*_sczJ/\\', "=+<>~#^", "mMwW@%&"


def char_width(c):
    """At least the width of a letter of FONT, in units of its size."""
    if c in NARROW:
        return 0.35
    if c in SLIM:
        return 0.43
    if c in SMALL:
        return 0.57
    if c in WIDE:
        return 0.84
    if c in WIDEST or ord(c) > 0x2AF:
        return 1.0
    return 0.79 if c.isupper() else 0.645


def text_width(text, font):
    return font * sum(map(char_width, text))


def wrap(text, font, width):
    """Lines that fit into the width; broken after a blank, `:` or `,` where there is one."""
    lines, rest, used = [], "", 0.0
    for c in text:
        w = font * char_width(c)
        if rest and used + w > width:
            cut = max(rest.rfind(stop) for stop in " :,") + 1
            if cut <= len(rest) // 3:
                cut = len(rest)
            lines.append(rest[:cut])
            rest = rest[cut:]
            used = text_width(rest, font)
        rest += c
        used += w
    return lines + [rest]
