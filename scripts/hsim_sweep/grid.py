# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a grid and expands it to points, each one command line of hsim. docs/sweeps.md has the
format.

Everything about a point follows from its own options: its name does not depend on the rest of the
grid, so that a grid may grow.
"""
import difflib
import hashlib
import itertools
import json
import math
import os
import re
from decimal import Decimal

from hsim_sweep.values import (MOST_VALUES, Choice, GridError, choices, is_range, known_keys,
                               listed, scalar, text, want)

# Options of hsim that the sweep gives itself, or that would make a run no result; and those that
# name a file to write, which points would have in common.
OWN = ("json", "jobs", "timeline", "check", "tolerance", "junit", "progress", "list-policies", "help",
       "version")
KEYS = ("description", "fixed", "vary", "zip", "only", "exclude", "label")
OWN_ENDS = ("-out", "-log")
OWN_GENERATE = ("out", "to", "quiet", "help")
FIRST = ("policy", "trace")


class Point:
    """One run. options: name -> text or True, without those left out; columns: what the results
    show of its parameters; generate: options of hsim generate that make its trace, or None."""

    def __init__(self, options, columns, generate):
        self.options = options
        self.columns = columns
        self.generate = generate
        if generate is not None and "seed" not in generate and "seed" in options:
            self.generate = dict(generate, seed=options["seed"])
        words = self.words("") + ["generate"] * (generate is not None) + self.generate_words()
        self.name = slug(self.named()) + "-" + digest("\0".join(words))

    def words(self, trace):
        """Arguments of hsim, in an order of their own; trace stands for one that is generated."""
        options = self.options if self.generate is None else dict(self.options, trace=trace)
        return option_words(options)

    def generate_words(self):
        """Arguments of hsim generate, without those for its output."""
        return option_words(self.generate or {})

    def named(self):
        """What a reader tells points apart by, the policy first."""
        parts = [self.options["policy"]]
        if self.generate is None:
            parts.append(os.path.basename(self.options["trace"]))
        for key, value in sorted((self.generate or {}).items()):
            if key != "seed" or value != self.options.get("seed"):
                parts.append(value if key == "preset" else f"{key}={value}")
        for key in sorted(self.options.keys() - set(FIRST), key=lambda key: (key != "seed", key)):
            value = self.options[key]
            parts.append(key if value is True else f"{key}={os.path.basename(value)}")
        return "_".join(parts)


def option_words(options):
    """--NAME VALUE for each option: policy and trace, then the others by name."""
    words = []
    names = [name for name in FIRST if name in options]
    for name in names + sorted(options.keys() - set(FIRST)):
        value = options[name]
        if value is True:
            words.append(f"--{name}")
        elif value.startswith("-"):
            words.append(f"--{name}={value}")
        else:
            words += [f"--{name}", value]
    return words


def digest(value):
    """A short checksum of a text."""
    return hashlib.sha256(value.encode()).hexdigest()[:12]


def slug(value):
    """A text as part of a file name."""
    return re.sub(r"[^A-Za-z0-9._=]+", "-", value).strip("-.")[:72].rstrip("-.")


def is_own(option):
    """Whether an option is not for a grid."""
    return option in OWN or option.endswith(OWN_ENDS)


def help_options(page):
    """The options that a page of --help lists: name -> whether it is a flag."""
    found = {}
    for match in re.finditer(r"^  --([a-z][a-z0-9-]*)( \S+)?", page, re.MULTILINE):
        found[match[1]] = match[2] is None
    return found


class Grid:
    """The points of a grid in order, and the names of their parameters' columns."""

    def __init__(self, document, run_options, generate_options):
        self.run_options = run_options
        self.generate_options = generate_options
        self.seen = {}
        want("$", document, (dict,), "an object")
        known_keys("$", document, KEYS)
        want("$.description", document.get("description", ""), (str,), "a text")
        fixed = self.fixed(document.get("fixed", {}))
        axes = self.varied(document.get("vary", {})) + self.zipped(document.get("zip", []))
        for name in FIRST:
            if name not in self.seen:
                raise GridError("$", f'no "{name}" in fixed, vary or zip')
        self.columns = []
        for column in (column for axis in axes for choice in axis for part in choice
                       for column in part[1].columns):
            if column not in self.columns:
                self.columns.append(column)
        if math.prod(len(axis) for axis in axes) > MOST_VALUES:
            raise GridError("$", f"more than {MOST_VALUES} combinations")
        combinations = [dict(itertools.chain(*parts)) for parts in itertools.product(*axes)]
        combinations = [(self.shown(parts), parts) for parts in combinations]
        combinations = self.chosen(document, combinations)
        self.points = [self.point({**fixed, **parts}, columns) for columns, parts in combinations]
        self.label(document.get("label"))
        self.refuse_twice()

    def claim(self, path, name):
        """An option may stand in one place, and must be one of hsim's."""
        known = [option for option in self.run_options if not is_own(option)]
        if is_own(name):
            raise GridError(path, f"--{name} is not for a grid: see scripts/sweep --help")
        self.known(path, name, known)
        if name in self.seen:
            raise GridError(path, f"{name} stands at {self.seen[name]} already")
        self.seen[name] = path

    @staticmethod
    def known(path, name, options, program="hsim"):
        """The option must be one of these; a near one is suggested."""
        if name not in options:
            near = difflib.get_close_matches(name, options, 1)
            hint = f'; did you mean "{near[0]}"?' if near else ""
            raise GridError(path, f"{program} has no option --{name}{hint}")

    def entry(self, path, name, value):
        """The choices of one entry for an option."""
        if name == "trace" and isinstance(value, dict) and "generate" in value:
            return self.generated(path, value)
        found = choices(path, name, value, self.run_options[name])
        for choice in found:
            if name == "trace" and choice.word in ("-", None):
                raise GridError(path, "expected the name of a file")
            if name == "policy" and choice.word is None:
                raise GridError(path, "expected a policy")
        return found

    def entries(self, path, name, value):
        """The choices of a list or range for an option."""
        if not isinstance(value, list) and not is_range(value):
            want(path, value, (list,), 'a list or a range {"from", "to"}')
        return [choice for where, one in listed(path, value)
                for choice in self.entry(where, name, one)]

    def generated(self, path, value):
        """The choices of {"generate": {OPTION: entry, list or range}, "label": L}: traces that hsim
        generate makes, all combinations."""
        known_keys(path, value, ("generate", "label"))
        made = want(f"{path}.generate", value["generate"], (dict,), "an object")
        label = want(f"{path}.label", value.get("label", "generated"), (str,), "a text")
        axes = []
        for name, entry in made.items():
            where = f"{path}.generate.{name}"
            if name in OWN_GENERATE:
                raise GridError(where, f"--{name} is not for a grid")
            self.known(where, name, self.generate_options, "hsim generate")
            flag = self.generate_options[name]
            axes.append([(name, choice) for place, one in listed(where, entry)
                         for choice in choices(place, f"generate.{name}", one, flag)])
        found = []
        for parts in itertools.product(*axes):
            columns = {"trace": label}
            for _, choice in parts:
                columns.update(choice.columns)
            options = {name: choice.word for name, choice in parts if choice.word is not None}
            found.append(Choice("", columns, options))
        return found

    def fixed(self, document):
        """Options that all points have."""
        parts = {}
        for name, value in want("$.fixed", document, (dict,), "an object").items():
            path = f"$.fixed.{name}"
            self.claim(path, name)
            found = self.entry(path, name, value)
            if len(found) != 1:
                raise GridError(path, f"expected one value, found {len(found)} (several: vary)")
            parts[name] = found[0]
        return parts

    def varied(self, document):
        """One axis an option."""
        axes = []
        for name, value in want("$.vary", document, (dict,), "an object").items():
            path = f"$.vary.{name}"
            self.claim(path, name)
            axes.append([((name, choice),) for choice in self.entries(path, name, value)])
        return axes

    def zipped(self, document):
        """One axis a group of options that change together."""
        axes = []
        for i, group in enumerate(want("$.zip", document, (list,), "a list of objects")):
            place = f"$.zip[{i}]"
            sides = []
            for name, value in want(place, group, (dict,), "an object").items():
                self.claim(f"{place}.{name}", name)
                sides.append([(name, choice) for choice in
                              self.entries(f"{place}.{name}", name, value)])
                if len(sides[-1]) != len(sides[0]):
                    raise GridError(f"{place}.{name}", f"{len(sides[-1])} values, but "
                                    f"{sides[0][0][0]} has {len(sides[0])}")
            if not sides:
                raise GridError(place, "the object is empty")
            axes.append(list(zip(*sides)))
        return axes

    def shown(self, parts):
        """What each column shows of a combination."""
        columns = dict.fromkeys(self.columns, "")
        for choice in parts.values():
            columns.update(choice.columns)
        return columns

    def chosen(self, document, combinations):
        """Those that only and exclude leave."""
        only = self.conditions("$.only", document.get("only"), combinations)
        exclude = self.conditions("$.exclude", document.get("exclude"), combinations)
        kept = [entry for entry in combinations
                if (only is None or meets_one(entry[0], only))
                and (exclude is None or not meets_one(entry[0], exclude))]
        if not kept:
            raise GridError("$", "only and exclude leave no point")
        return kept

    def conditions(self, path, document, combinations):
        """Objects COLUMN: value or list of them; each must hold for some combination."""
        if document is None:
            return None
        found = []
        for i, entry in enumerate(want(path, document, (list,), "a list of objects")):
            place = f"{path}[{i}]"
            condition = {}
            for column, value in want(place, entry, (dict,), "an object").items():
                if column not in self.columns:
                    raise GridError(f"{place}.{column}", "not a parameter that varies; there are "
                                    + ", ".join(self.columns))
                condition[column] = [text(scalar(where, one))
                                     for where, one in listed(f"{place}.{column}", value)]
            if not condition:
                raise GridError(place, "the object is empty")
            if not any(meets_one(columns, [condition]) for columns, _ in combinations):
                raise GridError(place, "no combination is like that")
            found.append(condition)
        return found

    @staticmethod
    def point(parts, columns):
        """The point of a combination."""
        options = {name: choice.word for name, choice in parts.items() if choice.word is not None}
        return Point(options, columns, parts["trace"].generate)

    def label(self, template):
        """A column of each point's own text, {COLUMN} replaced."""
        if template is None:
            return
        want("$.label", template, (str,), "a text")
        if "label" in self.columns:
            raise GridError("$.label", "a parameter has this name")

        def replaced(point, match):
            if match[1] not in self.columns:
                raise GridError("$.label", f"{{{match[1]}}} is not a parameter that varies; there "
                                "are " + ", ".join(self.columns))
            return point.columns[match[1]]
        for point in self.points:
            label = re.sub(r"\{([^{}]*)\}", lambda match, point=point: replaced(point, match),
                           template)
            point.columns = {"label": label, **point.columns}
        self.columns.insert(0, "label")

    def refuse_twice(self):
        """Each point once."""
        seen = {}
        for point in self.points:
            if point.name in seen:
                raise GridError("$", "the same run twice: " + " ".join(point.words("(generated)")))
            seen[point.name] = point


def meets_one(columns, conditions):
    """Whether a combination is like one of these."""
    return any(all(columns[column] in values for column, values in condition.items())
               for condition in conditions)


def no_repeated_key(pairs):
    """An object of the document; JSON itself would let the last of two same keys win."""
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise GridError("", f'the key "{key}" stands twice in one object')
    return dict(pairs)


def no_constant(name):
    """NaN and infinities, which Python's reader would take."""
    raise GridError("", f"{name} is no JSON number")


def parse(document, run_options, generate_options):
    """The grid of a JSON text; numbers keep their digits."""
    try:
        tree = json.loads(document, parse_float=Decimal, parse_constant=no_constant,
                          object_pairs_hook=no_repeated_key)
    except json.JSONDecodeError as error:
        raise GridError("", f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise GridError("", "nested too deeply") from error
    return Grid(tree, run_options, generate_options)
