# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs gnuplot and writes the figure as SVG, PNG or PDF: the same bytes for the same figure, beside
its place first and then renamed."""
import html
import os
import re
import subprocess
import sys
import tempfile

import style
from problem import FAILED, Problem, cannot_write

FORMATS = ("svg", "png", "pdf")
FAMILIES = f"{style.FONT}, Verdana, Arial, sans-serif"


def terminal(figure, dpi):
    """gnuplot's words for `set terminal`."""
    width, height = figure.size.width / 72, figure.height / 72
    common = f"noenhanced font '{style.FONT},{figure.size.font * figure.letters:g}'"
    if figure.format == "svg":
        return f"svg size {round(width * 96)},{round(height * 96)} background rgb 'white' {common}"
    if figure.format == "png":
        scale = f"{dpi / 96:g}"
        return (f"pngcairo size {round(width * dpi)},{round(height * dpi)} background rgb 'white' "
                f"fontscale {scale} linewidth {scale} pointscale {scale} {common}")
    return f"pdfcairo size {width:.4f}in,{height:.4f}in fontscale 0.75 rounded {common}"


def script(figure, dpi):
    body = figure.script()
    head = ["# gnuplot -d plot.gp draws the figure.", f"set terminal {terminal(figure, dpi)}",
            f"set output 'figure.{figure.format}'"]
    return "\n".join(head + body) + "\n"


def tidy_svg(text, figure):
    """Says what it is instead of what drew it, and names fonts to fall back on."""
    title = html.escape(figure.title or figure.summary, quote=False)
    text = re.sub(r"<title>[^<]*</title>\s*<desc>[^<]*</desc>",
                  lambda _: f"<title>{title}</title>\n"
                            f"<desc>{html.escape(figure.summary, quote=False)}</desc>", text, count=1)
    text = re.sub(r"<title>gnuplot_plot_[0-9a-z]*</title>", "", text)
    text = text.replace(f'font-family="{style.FONT}"', f'font-family="{FAMILIES}"')
    return text.replace("<svg", '<svg role="img"', 1)


def tidy_pdf(content):
    """The date of creation, of the same length, becomes blanks."""
    return re.sub(rb"/CreationDate \([^)]*\)", lambda m: b" " * len(m[0]), content)


def run_gnuplot(folder):
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    try:
        result = subprocess.run(["gnuplot", "-d", "plot.gp"], cwd=folder, env=environment,
                                stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise Problem(FAILED, f"gnuplot: {os.strerror(error.errno)}") from None
    said = result.stderr.decode(errors="replace").strip()
    if result.returncode != 0 or said:
        raise Problem(FAILED, f"gnuplot: {said or 'ended with ' + str(result.returncode)}")


def write_files(folder, files):
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


def draw(figure, dpi=200, keep=None):
    """The figure's bytes. keep: a folder that gets gnuplot's script and data."""
    files = {"plot.gp": script(figure, dpi).encode(), **figure.files}
    if keep is not None:
        try:
            os.makedirs(keep, exist_ok=True)
            write_files(keep, files)
        except OSError as error:
            raise cannot_write(keep, error) from None
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, files)
        run_gnuplot(folder)
        try:
            with open(os.path.join(folder, f"figure.{figure.format}"), "rb") as file:
                content = file.read()
        except OSError:
            raise Problem(FAILED, "gnuplot wrote no figure") from None
    if figure.format == "svg":
        return tidy_svg(content.decode(), figure).encode()
    return tidy_pdf(content) if figure.format == "pdf" else content


def write(path, content):
    """`-` is standard output."""
    if path == "-":
        sys.stdout.buffer.write(content)
        return
    beside = f"{os.path.dirname(path) or '.'}/.{os.path.basename(path)}.{os.getpid()}"
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe
            with open(path, "wb") as file:
                file.write(content)
            return
        with open(beside, "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except OSError as error:
        if os.path.exists(beside):
            os.unlink(beside)
        raise cannot_write(path, error) from None
