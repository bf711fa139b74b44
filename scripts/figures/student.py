# SPDX-License-Identifier: GPL-3.0-or-later
"""Student's t distribution, for confidence intervals of a mean."""
import functools
import math


def within(t, freedom):
    """The probability that |T| is at most t; freedom is whole (Abramowitz and Stegun 26.7.3, .4)."""
    angle = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return (angle + sine * total) * 2.0 / math.pi if odd else sine * total


@functools.cache
def quantile(confidence, freedom):
    """t such that |T| is at most t with this probability."""
    low, high = 0.0, 1.0
    while within(high, freedom) < confidence:
        high *= 2.0
    for _ in range(80):
        middle = (low + high) / 2.0
        if within(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return high


def interval(values, confidence=0.95):
    """(mean, half the width of its confidence interval); None for the width of a single value."""
    n = len(values)
    mean = math.fsum(values) / n
    if n < 2:
        return mean, None
    variance = math.fsum((v - mean) ** 2 for v in values) / (n - 1)
    return mean, quantile(confidence, n - 1) * math.sqrt(variance / n)
