# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that a grid gives to an option: one, or a list or range of them.

A choice is one value of one parameter: what it puts on the command line, and what the results show
of it. Errors name the place in the grid as a JSON path such as $.vary.seed[2].
"""
import itertools
import re
from decimal import Decimal

MOST_VALUES = 1000000


class GridError(Exception):
    """Something in the grid is wrong; the text names the place and what was expected."""

    def __init__(self, path, message):
        super().__init__(f"{path}: {message}" if path else message)


class Choice:
    """word: text of the option's value, True for a flag, None where the option is left out.
    columns: column of the results -> text. generate: options of hsim generate that make the trace,
    a dict, or None."""

    def __init__(self, word, columns, generate=None):
        self.word = word
        self.columns = columns
        self.generate = generate


def text(value):
    """A scalar of the grid as hsim and the results spell it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)


def kind(value):
    """What to call a JSON value in an error."""
    if value is None:
        return "null"
    for types, name in ((bool, "a boolean"), ((int, Decimal), "a number"), (str, "a text"),
                        (list, "a list"), (dict, "an object")):
        if isinstance(value, types):
            return name
    return type(value).__name__


def want(path, value, types, what):
    """Value, which must be of one of these types (bool counts as no number)."""
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise GridError(path, f"expected {what}, found {kind(value)}")
    return value


def known_keys(path, value, allowed):
    """No key but the allowed ones."""
    for key in value:
        if key not in allowed:
            raise GridError(f"{path}.{key}", f"unknown key; known: {', '.join(allowed)}")


def scalar(path, value):
    """Text, number, boolean or null, that can be written on a command line."""
    want(path, value, (str, int, Decimal, bool, type(None)), "a text, number, boolean or null")
    if isinstance(value, str) and re.search("[\0\ud800-\udfff]", value):
        raise GridError(path, "a text with a NUL or half a surrogate pair fits no command line")
    if isinstance(value, Decimal) and abs(value.adjusted()) > 400:
        raise GridError(path, "a number beyond those that hsim can read")
    return value


def is_range(value):
    """Whether an object is a range and no value."""
    return isinstance(value, dict) and "from" in value


def span(path, value):
    """The numbers of {"from": a, "to": b, "step": s} or {..., "factor": f}, b included if hit."""
    known_keys(path, value, ("from", "to", "step", "factor"))
    number = {}
    for key, entry in value.items():
        number[key] = Decimal(want(f"{path}.{key}", entry, (int, Decimal), "a number"))
    if "to" not in number:
        raise GridError(path, 'a range needs "to"')
    if "step" in number and "factor" in number:
        raise GridError(path, 'a range has "step" or "factor", not both')
    at, last = number["from"], number["to"]
    step, factor = number.get("step", Decimal(1)), number.get("factor")
    if factor is None and step <= 0:
        raise GridError(f"{path}.step", "expected a number above 0")
    if factor is not None and (factor <= 1 or at <= 0):
        raise GridError(f"{path}.factor", 'expected a number above 1, and "from" above 0')
    found = []
    while at <= last:
        found.append(at)
        if len(found) > MOST_VALUES:
            raise GridError(path, f"a range of more than {MOST_VALUES} values")
        at = at + step if factor is None else at * factor
    if not found:
        raise GridError(path, '"to" lies below "from"')
    return found


def listed(path, value):
    """(path, entry) of each entry of a list or range; any other value is a list of one."""
    if is_range(value):
        return [(path, number) for number in span(path, value)]
    if isinstance(value, list):
        if not value:
            raise GridError(path, "the list is empty")
        return [(f"{path}[{i}]", entry) for i, entry in enumerate(value)]
    return [(path, value)]


def escaped(value):
    """A text as part of NAME:KEY=VALUE."""
    return value.replace(":", "\\:").replace(",", "\\,")


def specs(path, column, value):
    """The choices of {"name": N, "options": {KEY: value, list or range}, "label": L}:
    NAME:KEY=VALUE with all combinations of the options' values."""
    known_keys(path, value, ("name", "options", "label"))
    name = want(f"{path}.name", value["name"], (str,), "a text")
    label = want(f"{path}.label", value.get("label", name), (str,), "a text")
    options = want(f"{path}.options", value.get("options", {}), (dict,), "an object")
    axes = []
    for key, entry in options.items():
        entries = listed(f"{path}.options.{key}", entry)
        axes.append([(key, scalar(where, one)) for where, one in entries])
    found = []
    for combination in itertools.product(*axes):
        word, columns = escaped(name), {column: label}
        for key, one in combination:
            columns[f"{column}.{key}"] = text(one)
            if one is not None:
                word += f":{key}={escaped(text(one))}"
        found.append(Choice(word, columns))
    return found


def choices(path, column, value, flag):
    """The choices of one entry: a scalar, {"value", "label"} or {"name", "options", "label"}. A
    flag is an option without a value: true gives it, false and null leave it out."""
    if isinstance(value, dict) and "name" in value and not flag:
        return specs(path, column, value)
    label = None
    if isinstance(value, dict):
        if "value" not in value:
            raise GridError(path, 'expected {"value", "label"} or {"name", "options", "label"}, '
                            "found " + (", ".join(value) or "nothing"))
        known_keys(path, value, ("value", "label"))
        if "label" in value:
            label = want(f"{path}.label", value["label"], (str,), "a text")
        path, value = f"{path}.value", value["value"]
    scalar(path, value)
    if flag:
        want(path, value, (bool, type(None)), "true or false")
        word = True if value else None
    else:
        if isinstance(value, bool):
            raise GridError(path, "expected a value, found a boolean")
        word = None if value is None else text(value)
    return [Choice(word, {column: text(value) if label is None else label})]
