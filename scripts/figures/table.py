# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads CSV files of hsim, or made like them, row by row. Each error says file, line, column, value
and what was expected."""
import csv
import math
import re
import sys

from problem import BAD_DATA, Problem, cannot_read, did_you_mean

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch


class Table:
    """A file with a header. Use:

        with Table(path, "a jobs CSV (hsim --jobs-out)") as table:
            policy = table.column("policy")
            for row in table.rows():
                row[policy], table.number(row, jct)

    `line` is the line on which the row at hand begins.
    """

    def __init__(self, path, what):
        self.path = path
        self.what = what
        self.line = 1

    def __enter__(self):
        csv.field_size_limit(sys.maxsize)
        try:
            if self.path == "-":
                self.file = open(0, encoding="utf-8-sig", errors="replace", newline="", closefd=False)
            else:
                self.file = open(self.path, encoding="utf-8-sig", errors="replace", newline="")
            self.reader = csv.reader(self.file, strict=True)
            self.header = next(self.reader, None)
        except OSError as error:
            raise cannot_read(self.path, error) from None
        except csv.Error as error:
            raise self.broken(error) from None
        if not self.header:
            raise Problem(BAD_DATA, f"{self.path}: is empty: expected {self.what}")
        for i, name in enumerate(self.header):
            if name in self.header[:i]:
                raise Problem(BAD_DATA, f'{self.path}:1: column "{name}" twice')
        return self

    def __exit__(self, *unused):
        self.file.close()

    def broken(self, error):
        line = max(1, self.reader.line_num)
        return Problem(BAD_DATA, f"{self.path}:{line}: not CSV: {error}")

    def find(self, name):
        """The column's place, None when the file has none of that name."""
        return self.header.index(name) if name in self.header else None

    def column(self, name):
        place = self.find(name)
        if place is None:
            hint = did_you_mean(name, self.header) or f": expected {self.what}"
            raise Problem(BAD_DATA, f'{self.path}:1: no column "{name}"{hint}')
        return place

    def rows(self):
        """Each data row, a list with as many cells as the header. At least one."""
        n = len(self.header)
        self.line = self.reader.line_num + 1
        seen = False
        try:
            for row in self.reader:
                if len(row) != n:
                    raise Problem(BAD_DATA, f"{self.path}:{self.line}: a row of {len(row)} cells: "
                                            f"expected {n}, as in the header")
                seen = True
                yield row
                self.line = self.reader.line_num + 1
        except OSError as error:
            raise cannot_read(self.path, error) from None
        except csv.Error as error:
            raise self.broken(error) from None
        if not seen:
            raise Problem(BAD_DATA, f"{self.path}: has no rows: expected {self.what}")

    def bad(self, column, value, expected):
        return Problem(BAD_DATA, f'{self.path}:{self.line}: column {self.header[column]}: '
                                 f'value "{value}": expected {expected}')

    def number(self, row, column, expected="a number"):
        text = row[column]
        if NUMBER(text):
            value = float(text)
            if math.isfinite(value):
                return value
        raise self.bad(column, text, expected)

    def number_or_none(self, row, column):
        """None for an empty cell: hsim's sign that the figure does not exist."""
        if row[column] == "":
            return None
        return self.number(row, column, "a number or an empty cell")
