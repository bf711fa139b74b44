# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes long curves short without changing how they look: what is less than a dot of print apart is
one point."""

COLUMNS = 1500  # of the width of a plot; a page has 6.2 inches, so some 240 an inch
ROWS = 1000
BINS = 400  # of a curve with a band


def steps(times, values, begin, end):
    """Points of a curve that holds each value until the next time; the axis goes from begin to end. Of
    each column the first, the
    least, the greatest and the last value stay, so that the drawn columns are the same."""
    keep = range(len(times))
    if len(times) > 4 * COLUMNS:
        keep = kept_steps(times, values, begin, end)
    points, last = [], None
    for i in keep:
        if last is not None and values[i] != last:
            points.append((times[i], last))
        if last is None or values[i] != last:
            points.append((times[i], values[i]))
        last = values[i]
    if points[-1][0] < times[-1]:
        points.append((times[-1], last))
    return points


def kept_steps(times, values, begin, end):
    width = (end - begin) / COLUMNS or 1.0
    kept, first = [], 0
    while first < len(times):
        column = int((times[first] - begin) / width)
        last = first
        while last + 1 < len(times) and int((times[last + 1] - begin) / width) == column:
            last += 1
        places = range(first, last + 1)
        kept += sorted({first, last, min(places, key=values.__getitem__),
                        max(places, key=values.__getitem__)})
        first = last + 1
    return kept


def changes(values):
    return sum(a != b for a, b in zip(values, values[1:]))


def bins(times, values, begin, end):
    """(middle, mean over time, least, greatest) of each of BINS parts of the axis that the curve
    reaches."""
    width = (end - begin) / BINS
    rows, i = [], 0
    for n in range(BINS):
        left, right = begin + n * width, begin + (n + 1) * width
        if right <= times[0] or left >= times[-1]:
            continue
        left, right = max(left, times[0]), min(right, times[-1])
        while times[i + 1] <= left:
            i += 1
        area, low, high = 0.0, values[i], values[i]
        at = left
        while at < right:
            until = min(times[i + 1], right)
            area += values[i] * (until - at)
            if until > at:
                low, high = min(low, values[i]), max(high, values[i])
            at = until
            if at < right:
                i += 1
        rows.append(((left + right) / 2, area / (right - left), low, high))
    return rows


def distribution(values, place):
    """Points (value, fraction at or below it) of the sorted values, two for each step up. place(v)
    is where v stands on the axis, 0 to 1."""
    n = len(values)
    points = [(values[0], 0.0)]
    shown_place, shown_rank = place(values[0]), 0
    for i in range(n):
        rank = i + 1
        if rank < n and values[rank] == values[i]:
            continue
        here = place(values[i])
        far = here - shown_place >= 1 / COLUMNS or rank - shown_rank >= n / ROWS
        if n <= ROWS or far or rank == n:
            if points[-1][0] < values[i]:
                points.append((values[i], points[-1][1]))
            points.append((values[i], rank / n))
            shown_place, shown_rank = here, rank
    return points
