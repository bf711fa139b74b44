# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands points to what distributes them: GNU parallel or Slurm. How a run ended, the files of its
point say, not the engine."""
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys

from hsim_sweep.folder import write

HERE = os.path.dirname(os.path.realpath(__file__))


class EngineError(Exception):
    """The engine is not there, or refused."""


def output_of(command):
    """What a command prints."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
    except FileNotFoundError as error:
        raise EngineError(f"{command[0]} is not installed (scripts/setup sweep)") from error
    if done.returncode != 0:
        raise EngineError(f"{shlex.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Parallel:
    """GNU parallel, on this machine or on those of a file for --sshloginfile. Machines share the
    folder, the program and the traces under the same names."""
    name = "parallel"

    def __init__(self, jobs, hosts, options, quiet):
        self.options = options
        if jobs is not None:
            self.options = ["--jobs", jobs] + self.options
        if hosts is not None:
            self.options = ["--sshloginfile", hosts] + self.options
        if sys.stderr.isatty() and not quiet:
            self.options = ["--bar"] + self.options

    def check(self, _folder):
        """Before anything is touched."""
        if shutil.which("parallel") is None:
            raise EngineError("GNU parallel is not installed (scripts/setup sweep)")

    def run(self, folder, points):
        """Runs the points; each line of input is a whole command, which keeps names out of
        parallel's own replacement strings."""
        lines = [shlex.join(["bash", os.path.join(HERE, "point"), folder.place(point)])
                 for point in points]
        tasks = os.path.join(folder.path, "engine", "commands")
        write(tasks, "".join(line + "\0" for line in lines))
        command = ["parallel", "--null", "--ungroup"] + self.options
        if shutil.which("setpriv"):
            # When this process is killed, parallel ends what runs and itself.
            command = ["setpriv", "--pdeathsig", "TERM"] + command
        with open(tasks, "rb") as stdin:
            code = subprocess.Popen(command, stdin=stdin, stdout=sys.stderr, pass_fds=[folder.lock],
                                    env=dict(os.environ, PARALLEL_SHELL="/bin/sh")).wait()
        if code == 0:
            return None
        # moreutils has another program of this name.
        if not output_of(["parallel", "--version"]).startswith("GNU parallel"):
            raise EngineError("the program `parallel` is not GNU parallel (scripts/setup sweep)")
        return f"parallel ended with exit {code}"


class Slurm:
    """A job array, waited for. Nodes share the folder, the program and the traces."""
    name = "slurm"

    def __init__(self, jobs, chunk, options):
        self.jobs = jobs
        self.chunk = chunk
        self.options = options

    @staticmethod
    def job_name(folder):
        """By which the array of a folder is known to Slurm."""
        return "hsim-sweep-" + hashlib.sha256(os.fsencode(folder.path)).hexdigest()[:12]

    def check(self, folder):
        """No second array while one of an earlier call is still there."""
        name = self.job_name(folder)
        found = output_of(["squeue", "--noheader", "--name", name, "--format", "%A"]).split()
        if found:
            raise EngineError(f"an earlier call's job is still queued or running: wait for it, or "
                              f"scancel --name {name}")

    def size(self, count):
        """Points for each task: as few as the largest array that Slurm takes allows."""
        if self.chunk is not None:
            return self.chunk
        match = re.search(r"MaxArraySize\s*=\s*(\d+)", output_of(["scontrol", "show", "config"]))
        most = max(int(match[1]) if match else 1001, 2)
        return -(-count // (most - 1))

    def run(self, folder, points):
        """Submits the points and waits."""
        size = self.size(len(points))
        listed = os.path.join(folder.path, "engine", "slurm.points")
        write(listed, "".join(point.name + "\n" for point in points))
        last = -(-len(points) // size) - 1
        printed = os.path.join(folder.path, "engine", "slurm").replace("%", "%%") + ".%a.out"
        command = ["sbatch", "--wait", "--parsable", "--job-name", self.job_name(folder),
                   f"--array=0-{last}" + (f"%{self.jobs}" if self.jobs else ""),
                   "--ntasks=1", "--cpus-per-task=1", "--output", printed] + self.options
        command += [os.path.join(HERE, "slurm-task"), os.path.join(HERE, "point"),
                    os.path.join(folder.path, "points"), listed, str(size)]
        code = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr,
                                pass_fds=[folder.lock]).wait()
        return None if code == 0 else f"sbatch ended with exit {code}"
