# SPDX-License-Identifier: GPL-3.0-or-later
"""One HTML page with everything inside: no script, nothing loaded."""
import re

from tables import escape

STYLE = """
:root { color-scheme: light; }
body { margin: 0 auto; padding: 1.5rem; max-width: 62rem; background: #fff; color: #1a1a1a;
  font: 16px/1.5 "DejaVu Sans", Verdana, Arial, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin-top: 2.2rem; border-bottom: 1px solid #767676; }
a { color: #00487a; }
.wide { overflow-x: auto; margin: 1rem 0; }
.wide:focus { outline: 2px solid #0072b2; }
table { border-collapse: collapse; font-size: 0.85rem; }
caption { text-align: left; font-weight: bold; padding-bottom: 0.3rem; }
th, td { padding: 0.25rem 0.55rem; border-bottom: 1px solid #c8c8c8; text-align: right;
  vertical-align: top; font-variant-numeric: tabular-nums; }
thead th { vertical-align: bottom; border-bottom: 2px solid #1a1a1a; }
tbody th, th:first-child { text-align: left; min-width: 7rem; max-width: 22rem; }
tbody th { font-weight: normal; }
th.name { overflow-wrap: anywhere; min-width: 4rem; }
td { white-space: nowrap; }
td.text, td.failed { white-space: normal; }
td.text, th.text, td.failed { text-align: left; overflow-wrap: anywhere; }
td.best { background: #dcedf8; }
.unit { font-weight: normal; color: #4a4a4a; }
figure { margin: 1.5rem 0; }
figure svg { display: block; width: min(100%, 50rem); height: auto; border: 1px solid #d8d8d8; }
figcaption { font-size: 0.9rem; margin-top: 0.4rem; }
.note { border-left: 4px solid #767676; padding-left: 0.8rem; }
@media print {
  @page { margin: 1.5cm; }
  body { font-size: 10pt; max-width: none; padding: 0; }
  .wide { overflow: visible; }
  table { font-size: 7.5pt; }
  th, td { padding: 0.1rem 0.25rem; }
  td.best { background: none; }
  figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
}
"""


def inline_svg(svg, prefix):
    """The drawing as an element of a page: without the XML head, its ids like no other's."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"""\bid=(["'])([^"']*)\1""", lambda m: f'id="{prefix}-{m[2]}"', svg)
    svg = re.sub(r"""\bxlink:href=(["'])#([^"']*)\1""", lambda m: f'xlink:href="#{prefix}-{m[2]}"', svg)
    return re.sub(r"url\(['\"]?#([^)'\"]*)['\"]?\)", lambda m: f"url(#{prefix}-{m[1]})", svg)


def figure(number, svg, caption, description):
    name = f"figure-{number}"
    svg = inline_svg(svg, name).replace('<svg role="img"', '<svg role="img" '
                                        f'aria-label="{escape(description)}"', 1)
    return (f'<figure id="{name}">\n{svg}\n'
            f"<figcaption>Figure {number}: {escape(caption)}</figcaption>\n</figure>")


def note(text):
    return f'<p class="note">{escape(text)}</p>'


def section(title, parts):
    return f"<section>\n<h2>{escape(title)}</h2>\n" + "\n".join(parts) + "\n</section>"


def page(title, sections):
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<link rel="icon" href="data:,">\n'
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
            f"<h1>{escape(title)}</h1>\n" + "\n".join(sections) + "\n</main>\n</body>\n</html>\n")
