# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of a sweep: what ran, with which program and files, and what is left to run.

  manifest.json        the last call: grid, program, files with their checksums, points in order
  results.csv          one row a run
  points/NAME/         command, point.json (program and files), summary.json, stderr, status,
                       outputs
  traces/HSIM/         traces that the grid asked to generate, by the program that made them
  engine/              what Slurm is given and prints

The file status is written last: a point without it has not ended.
"""
import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil

from hsim_sweep.grid import digest, option_words, slug


class Busy(Exception):
    """Another sweep works in the folder."""


def write(path, content):
    """A file that is there with all of its content or not at all."""
    beside = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{os.getpid()}")
    with open(beside, "w", encoding="utf-8", newline="") as file:
        file.write(content)
    os.replace(beside, path)


def to_json(document):
    """A document for people and programs."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def read(path):
    """The text of a file, None if there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return None


def sha256(path):
    """Checksum of a file's bytes."""
    total = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()


class Program:
    """hsim: path as called, version, checksum."""

    def __init__(self, path, version):
        self.path = path
        self.version = version
        self.sha256 = sha256(path)

    def as_json(self):
        """What is recorded of it."""
        return {"file": self.path, "version": self.version, "sha256": self.sha256}


class Folder:
    """A folder and the points of a grid in it. outputs: hsim's options for what to keep of each run
    besides its summary -> names of the files."""

    def __init__(self, path, program, points, outputs):
        self.path = os.path.abspath(path)
        self.program = program
        self.points = points
        self.outputs = outputs
        self.sums = {}
        self.lock = None

    def open(self):
        """Makes the folder and takes its lock, which what is started inherits: it is held for as
        long as anything of this sweep runs on this machine, even if the sweep itself was killed."""
        for part in ("points", "traces", "engine"):
            os.makedirs(os.path.join(self.path, part), exist_ok=True)
        self.lock = os.open(os.path.join(self.path, ".lock"), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Busy(f"{self.path}: another sweep, or what a killed one left running, works here"
                       ) from error

    def place(self, point, *names):
        """The folder of a point, or a file in it."""
        return os.path.join(self.path, "points", point.name, *names)

    def trace(self, point):
        """The trace that a point's options generate; another program may make another."""
        words = point.generate_words()
        name = slug("_".join(word.lstrip("-") for word in words)) + "-" + digest("\0".join(words))
        return os.path.join(self.path, "traces", self.program.sha256[:12], name + ".csv")

    def generate_command(self, point):
        """The command that makes a point's trace."""
        return ([self.program.path, "generate"] + point.generate_words()
                + ["--out", self.trace(point)])

    def command(self, point):
        """The command line of a point."""
        trace = self.trace(point) if point.generate is not None else ""
        kept = {option: self.place(point, name) for option, name in self.outputs.items()}
        return ([self.program.path] + point.words(trace) + ["--jobs", "1", "--json"]
                + option_words(kept))

    def files(self, point):
        """Checksums of the files that a point's command line names: whole values, and parts such as
        those of NAME:KEY=VALUE that look like a file."""
        found = {}
        options = dict(point.options)
        if point.generate is not None:
            options["trace"] = self.trace(point)
        for value in list(options.values()) + list((point.generate or {}).values()):
            if value is True:
                continue
            parts = [re.sub(r"\\([:,])", r"\1", part) for part in re.split(r"(?<!\\)[:,=]", value)]
            for name in [value] + [part for part in parts if "/" in part or "." in part]:
                if name not in self.sums:
                    self.sums[name] = sha256(name) if os.path.isfile(name) else None
                if self.sums[name] is not None:
                    found[name] = self.sums[name]
        return found

    def result(self, point):
        """The text of a summary if the point is done, else None."""
        if (read(self.place(point, "status")) or "").strip() != "0":
            return None
        if not all(os.path.isfile(self.place(point, name)) for name in self.outputs.values()):
            return None
        summary = read(self.place(point, "summary.json"))
        try:
            json.loads(summary or "")
        except ValueError:
            return None
        return summary

    def changes(self, point):
        """What a point that is done ran with and is different now, as texts."""
        stored = json.loads(read(self.place(point, "point.json")) or "{}")
        before, found = stored.get("hsim", {}), []
        total = before.get("sha256", "unknown")
        if total != self.program.sha256:
            found.append(f"hsim: was {before.get('version')} ({total[:12]}), is "
                         f"{self.program.version} ({self.program.sha256[:12]})")
        now = self.files(point)
        generated = self.trace(point) if point.generate is not None else None
        for name, total in stored.get("files", {}).items():
            if name.startswith(os.path.join(self.path, "traces", "")) and name != generated:
                continue
            if now.get(name) != total:
                found.append(f"{name}: was {total[:12]}, is {(now.get(name) or 'gone')[:12]}")
        return found

    def prepare(self, point):
        """An empty folder with the point's command in it."""
        place = self.place(point)
        if os.path.isdir(place):
            status = os.path.join(place, "status")
            if os.path.exists(status):
                os.remove(status)
            shutil.rmtree(place)
        os.makedirs(place)
        command = shlex.join(self.command(point))
        write(os.path.join(place, "point.json"), to_json({
            "command": command, "folder": os.getcwd(), "parameters": point.columns,
            "hsim": self.program.as_json(), "files": self.files(point)}))
        write(os.path.join(place, "command"),
              f"cd -- {shlex.quote(os.getcwd())} || exit\nexec {command}\n")

    def manifest(self, grid_path, grid_text, engine):
        """Records the call."""
        files = {}
        for point in self.points:
            files.update(self.files(point))
        write(os.path.join(self.path, "grid.json"), grid_text)
        write(os.path.join(self.path, "manifest.json"), to_json({
            "schema": "hsim.sweep/1",
            "grid": {"file": grid_path, "sha256": hashlib.sha256(grid_text.encode()).hexdigest()},
            "folder": os.getcwd(), "hsim": self.program.as_json(), "engine": engine,
            "outputs": self.outputs, "files": dict(sorted(files.items())),
            "points": [point.name for point in self.points]}))

    def moved(self):
        """The program and files that changed since they were read."""
        found = [name for name, total in self.sums.items()
                 if total is not None and not (os.path.isfile(name) and sha256(name) == total)]
        if sha256(self.program.path) != self.program.sha256:
            found.insert(0, self.program.path)
        return found
