# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the summary that hsim prints with --json."""
import json

from problem import BAD_DATA, Problem, cannot_read

SCHEMA = "hsim.summary/"


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except OSError as error:
        raise cannot_read(path, error) from None
    except UnicodeDecodeError as error:
        raise Problem(BAD_DATA, f"{path}: not JSON: {error}") from None
    except json.JSONDecodeError as error:
        raise Problem(BAD_DATA, f"{path}:{error.lineno}: not JSON: {error.msg}") from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, str) or not schema.startswith(SCHEMA):
        raise Problem(BAD_DATA, f"{path}: schema: expected {SCHEMA}1, a summary of hsim --json")
    if not isinstance(document.get("runs"), list):
        raise Problem(BAD_DATA, f"{path}: runs: expected an array")
    return document


def gpus_by_type(document):
    gpus = document.get("cluster", {}).get("gpus", {})
    return {name: int(count) for name, count in gpus.items()}
