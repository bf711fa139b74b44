# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes: units for seconds, and tics at round numbers. The tics are chosen here and not by gnuplot so
that the room which their labels take is known."""
import math
from dataclasses import dataclass, field

UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "days": 86400.0}
STEPS = {"s": (1, 2, 5, 10, 15, 30, 60), "min": (1, 2, 5, 10, 15, 30, 60),
         "h": (1, 2, 3, 6, 12, 24, 48, 72, 120), "days": (1, 2, 5, 7, 14, 28)}


@dataclass
class Axis:
    label: str
    lo: float
    hi: float
    log: bool = False
    tics: list = field(default_factory=list)  # (value, text); an empty text: a small tic


def time_unit(seconds):
    """The unit in which so many seconds are a number that one can read."""
    if seconds <= 180:
        return "s"
    if seconds <= 3 * 3600:
        return "min"
    return "h" if seconds <= 5 * 86400 else "days"


def number_text(value):
    text = f"{value:.10g}"
    if "e" in text and abs(value) < 1e15 and value == int(value):
        text = str(int(value))
    return text.replace("-", "\u2212")


def span_text(seconds):
    """A span of time with two digits and its unit."""
    word = time_unit(seconds)
    return f"{number_text(float(f'{seconds / UNITS[word]:.2g}'))} {word}"


def round_step(span, count, unit):
    """The step that makes at most about `count` tics."""
    least = span / max(count, 1)
    for step in STEPS.get(unit, ()):
        if step >= least:
            return step
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * m for m in (1, 2, 5, 10) if power * m >= least * (1 - 1e-9))


def linear(label, lo, hi, count, unit=None, tight=False, whole=False):
    """An axis from lo to hi or a little beyond, up to the next tic; `tight`: not beyond."""
    if not hi > lo:
        lo, hi = lo - (abs(lo) * 0.05 or 0.5), hi + (abs(hi) * 0.05 or 0.5)
    step = round_step(hi - lo, count, unit)
    if whole:
        step = max(1.0, step)
    first, last = math.floor(lo / step + 1e-9), math.ceil(hi / step - 1e-9)
    if not tight:
        lo, hi = first * step, last * step
    values = [i * step for i in range(first, last + 1)]
    slack = (hi - lo) * 1e-9
    tics = [(v, number_text(round(v, 12))) for v in values if lo - slack <= v <= hi + slack]
    return Axis(label, lo, hi, False, tics)


def logarithmic(label, lo, hi, count):
    """lo and hi above 0. Whole decades get a text, and 2 and 5 between them where there is room."""
    if not hi > lo:
        lo, hi = lo / 2, hi * 2
    first, last = math.floor(math.log10(lo) + 1e-12), math.ceil(math.log10(hi) - 1e-12)
    marks = [(m * 10.0 ** e, m) for e in range(first, last + 1) for m in range(1, 10)]
    bounds = [v for v, m in marks if m in (1, 2, 5)]
    lo = max((v for v in bounds if v <= lo * (1 + 1e-9)), default=bounds[0])
    hi = min((v for v in bounds if v >= hi * (1 - 1e-9)), default=bounds[-1])
    marks = [(v, m) for v, m in marks if lo * (1 - 1e-9) <= v <= hi * (1 + 1e-9)]
    decades = sum(m == 1 for _, m in marks)
    every = max(1, math.ceil(decades / max(count, 1)))
    shown = (1, 2, 5) if 3 * decades <= count or decades < 2 else (1,)
    tics = []
    for v, m in marks:
        decade = round(math.log10(v / m))
        text = m in shown and (m > 1 or decade % every == 0)
        tics.append((v, number_text(float(f"{v:.6g}")) if text else ""))
    return Axis(label, lo, hi, True, tics)
