# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong, with hsim's exit codes: the message is one line and names the place."""
import difflib
import os
import sys

BAD_DATA = 1
BAD_USAGE = 2
FAILED = 4


class Problem(Exception):
    """Ends the program with `code`; str() is the message without the program's name."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class NothingToDraw(Problem):
    """The data is right and has nothing that this kind shows."""

    def __init__(self, message):
        super().__init__(BAD_DATA, message + ": nothing to draw")


def cannot_read(path, error):
    return Problem(BAD_DATA, f"{path}: cannot be read: {os.strerror(error.errno)}")


def cannot_write(path, error):
    return Problem(FAILED, f"{path}: cannot write: {os.strerror(error.errno)}")


def did_you_mean(name, names):
    """`; did you mean "..."?` when some of the names is near, else nothing."""
    near = difflib.get_close_matches(name, list(names), 1)
    return f'; did you mean "{near[0]}"?' if near else ""


def note(program, text):
    """For people, on stderr: what a figure leaves out."""
    print(f"{program}: {text}", file=sys.stderr)


def run(program, main):
    """Calls main() and ends the process: 0, or a problem's code with its message on stderr."""
    try:
        code = main() or 0
        sys.stdout.flush()
    except Problem as problem:
        print(f"{program}: {problem}", file=sys.stderr)
        if problem.code == BAD_USAGE:
            print(f"Try 'scripts/{program} --help'.", file=sys.stderr)
        code = problem.code
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
        # The readers check what they know of; a document that was damaged otherwise ends up here.
        print(f"{program}: the input is not what hsim writes: {type(error).__name__}: {error}",
              file=sys.stderr)
        code = BAD_DATA
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FAILED
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)
