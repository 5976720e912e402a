#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the memory of plans over their steps, next to keeping everything.

The curves are the footprints that `rematch replay --json` reports; a solution
file also brings its budget. The same input gives the same picture.

Usage: tools/memory_picture.py GRAPH PLAN [PLAN ...] -o FILE.svg [--program P]
"""

import argparse
import json
import math
import shutil
import subprocess
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 88, 52
MOST_PLANS = 3

STYLE = """
  .page { fill: #ffffff }
  text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #4d5661 }
  .halo { paint-order: stroke; stroke: #ffffff; stroke-width: 5 }
  .title { font-size: 16px; font-weight: 600; fill: #1a1f26 }
  .grid { stroke: #e3e6ea; stroke-width: 1 }
  .axis { stroke: #8a939e; stroke-width: 1 }
  .curve { fill: none; stroke-width: 2; stroke-linejoin: round }
  .c0 { stroke: #8a939e } .c1 { stroke: #1f6feb } .c2 { stroke: #b3590a } .c3 { stroke: #11805c }
  .a0 { fill: #8a939e; fill-opacity: 0.14 }
  .budget { stroke-width: 1.5; stroke-dasharray: 6 4 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #14181d }
    text { fill: #aeb7c2 }
    .halo { stroke: #14181d }
    .title { fill: #eef1f4 }
    .grid { stroke: #2a3138 }
    .axis { stroke: #77818c }
    .c0 { stroke: #98a2ad } .c1 { stroke: #6cb0ff } .c2 { stroke: #f0a35c } .c3 { stroke: #4fcf9f }
    .a0 { fill: #98a2ad; fill-opacity: 0.16 }
  }
"""


@dataclass
class Curve:
    label: str
    footprints: list  # Bytes of each compute step.
    peak: int
    cost: float
    budget: int | None = None


def fail(message):
    sys.exit(f"memory_picture: {message}")


def find_program(given):
    beside = Path(__file__).resolve().parents[1] / "build" / "rematch"
    program = given or shutil.which("rematch") or (str(beside) if beside.exists() else "")
    return program or fail("there is no program 'rematch'; run make build")


def run(program, *arguments, text=None):
    result = subprocess.run(
        [program, *arguments], input=text, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        fail(result.stderr.strip() or f"'{program} {' '.join(arguments)}' failed")
    return result.stdout


def measure(program, graph, text):
    """Replays a plan or a solution, given as text."""
    document = json.loads(text)
    steps = document.get("plan", document)["steps"]
    seen = json.loads(run(program, "replay", graph, "-", "--json", text=text))
    footprints = [
        bytes_
        for step, bytes_ in zip(steps, seen["footprint_bytes"], strict=True)
        if "compute" in step
    ]
    strategy = document.get("strategy", "plan")
    label = "keep all" if strategy == "keep_all" else strategy
    cost = seen["cost"] / seen["base_cost"] if seen["base_cost"] else 1.0
    return Curve(label, footprints, seen["peak_bytes"], cost, document.get("budget_bytes"))


def keep_all_curve(program, graph):
    text = run(program, "plan", graph, "-b", "100%", "-s", "keep_all", "-o", "-")
    curve = measure(program, graph, text)
    curve.budget = None
    return curve


def unit_for(bytes_):
    for name, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if bytes_ >= size:
            return name, size
    return "B", 1


def nice_step(span, most):
    """The least of 1, 2, 5 times a power of ten that gives at most `most` steps."""
    step = 10 ** math.floor(math.log10(max(span, 1e-9) / most))
    return next(step * m for m in (1, 2, 5, 10) if span / (step * m) <= most)


def ticks(most_value, most_ticks, least_step=0.0):
    step = max(nice_step(most_value, most_ticks), least_step)
    return [i * step for i in range(int(most_value / step + 1e-9) + 1)]


def shown(value):
    return f"{value:.4g}"


class Picture:
    def __init__(self, curves, name):
        self.curves = curves
        self.name = name
        self.steps = max(len(curve.footprints) for curve in curves)
        highest = max(max(curve.peak, curve.budget or 0) for curve in curves)
        self.unit, self.unit_bytes = unit_for(highest)
        self.highest = 1.04 * max(highest, 1)
        self.lines = []

    def x(self, step):
        return round(LEFT + (WIDTH - LEFT - RIGHT) * step / max(self.steps, 1), 1)

    def y(self, bytes_):
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * bytes_ / self.highest, 1)

    def size(self, bytes_):
        return f"{shown(bytes_ / self.unit_bytes)} {self.unit}"

    def text(self, x, y, words, css="", anchor="start"):
        css = f' class="{css}"' if css else ""
        self.lines.append(
            f'<text x="{x}" y="{y}" text-anchor="{anchor}"{css}>{escape(words)}</text>'
        )

    def line(self, css, x1, y1, x2, y2):
        self.lines.append(f'<line class="{css}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>')

    def axes(self):
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        for value in ticks(self.highest / self.unit_bytes, 8):
            y = self.y(value * self.unit_bytes)
            self.line("grid" if value else "axis", LEFT, y, right, y)
            self.text(LEFT - 8, y + 4, shown(value), anchor="end")
        for value in ticks(self.steps, 8, 1):
            x = self.x(value)
            self.line("axis", x, bottom, x, bottom + 4)
            self.text(x, bottom + 19, shown(value), anchor="middle")
        self.text(LEFT - 8, TOP - 14, self.unit, anchor="end")
        middle = (LEFT + WIDTH - RIGHT) / 2
        self.text(middle, HEIGHT - 12, "compute steps, repeats included", anchor="middle")

    def path(self, curve):
        points = []
        for step, bytes_ in enumerate(curve.footprints):
            y = self.y(bytes_)
            points.append(f"{self.x(step)},{y} {self.x(step + 1)},{y}")
        return " ".join(points)

    def curve(self, number, curve):
        points = self.path(curve)
        if number == 0:
            end = f"{self.x(len(curve.footprints))},{self.y(0)}"
            area = f"{self.x(0)},{self.y(0)} {points} {end}"
            self.lines.append(f'<polygon class="a0" points="{area}"/>')
        self.lines.append(f'<polyline class="curve c{number}" points="{points}"/>')

    def budget(self, number, curve):
        if curve.budget is None:
            return
        y = self.y(curve.budget)
        self.line(f"budget c{number}", LEFT, y, WIDTH - RIGHT, y)
        words = f"budget {self.size(curve.budget)}"
        self.text(WIDTH - RIGHT, y - 7, words, css="halo", anchor="end")

    def legend(self):
        x = LEFT
        for number, curve in enumerate(self.curves):
            self.line(f"curve c{number}", x, 50, x + 22, 50)
            words = f"{curve.label}: peak {self.size(curve.peak)}, cost {curve.cost:.4g}x"
            self.text(x + 30, 54, words)
            x += 30 + 7 * len(words) + 24

    def title(self):
        return f"Memory of one training step of {self.name}"

    def description(self):
        parts = []
        for curve in self.curves:
            part = (
                f"{curve.label}: peak {self.size(curve.peak)} over "
                f"{len(curve.footprints)} compute steps at {curve.cost:.4g} times the cost"
            )
            if curve.budget is not None:
                part += f", within a budget of {self.size(curve.budget)}"
            parts.append(part)
        return "; ".join(parts) + "."

    def svg(self):
        self.axes()
        for number, curve in enumerate(self.curves):
            self.curve(number, curve)
        for number, curve in enumerate(self.curves):
            self.budget(number, curve)
        self.legend()
        self.text(LEFT, 28, self.title(), css="title")
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="title desc">'
        )
        return "\n".join(
            [
                head,
                f'<title id="title">{escape(self.title())}</title>',
                f'<desc id="desc">{escape(self.description())}</desc>',
                f"<style>{STYLE}</style>",
                f'<rect class="page" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
                *self.lines,
                "</svg>\n",
            ]
        )


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", metavar="GRAPH")
    parser.add_argument("plans", nargs="+", metavar="PLAN", help="plan or solution file")
    parser.add_argument("-o", "--output", required=True, metavar="FILE")
    parser.add_argument("--program", help="default: rematch on PATH, else build/rematch")
    options = parser.parse_args(arguments)
    if len(options.plans) > MOST_PLANS:
        parser.error(f"{len(options.plans)} plans are given, at most {MOST_PLANS} are drawn")
    program = find_program(options.program)
    name = json.loads(run(program, "inspect", options.graph, "--json"))["name"]
    curves = [keep_all_curve(program, options.graph)]
    for path in options.plans:
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            fail(f"{path}: {error.strerror.lower()}")
        curves.append(measure(program, options.graph, text))
    svg = Picture(curves, name or options.graph).svg()
    Path(options.output).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
