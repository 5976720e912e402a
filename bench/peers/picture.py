# SPDX-License-Identifier: Apache-2.0
"""Rows of bench/peers as a picture: time against peak, one curve for each way.

Usage: python3 bench/peers/picture.py ROWS.json ... > picture.svg

Of rows without a time of steps one after the other, as those of rows_waited.json, it shows
that of steps that each begin when the GPU is idle.
"""

import json
import sys
from html import escape
from pathlib import Path

GIB = 2**30
WIDTH, HEIGHT = 360, 250  # Of one model's panel.
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 34, 40
COLUMNS = 3
# By how the way is called: colour, shape of its points, whether they are joined.
STYLES = {
    "ours": ("#0b6e4f", "circle", True),
    "compiled every block": ("#c2410c", "square", False),
    "compiled": ("#2563eb", "circle", True),
    "every block": ("#6d28d9", "square", False),
    "eager": ("#475569", "square", False),
}
NAMES = {"ours": "Rematch", "compiled": "torch.compile, its budgets",
         "compiled every block": "torch.compile, every block checkpointed",
         "every block": "eager, every block checkpointed", "eager": "eager"}


def style_of(way):
    return next(name for name in STYLES if way.startswith(name))


def ticks(low, high, count=5):
    """Round numbers that span the values."""
    rough = (high - low) / count or 1
    power = 10 ** (len(str(int(rough))) - 1) if rough >= 1 else 0.1
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough)
    first = int(low / step) * step
    return [first + step * k for k in range(int((high - first) / step) + 2)]


def point(shape, x, y, colour, title):
    title = f"<title>{escape(title)}</title>"
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}">{title}</circle>'
    return (f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" '
            f'fill="{colour}">{title}</rect>')


def panel(model, rows):
    """One model's, at the origin."""
    peaks = [row["peak"] / GIB for row in rows]
    across = ticks(0, max(peaks))
    up = ticks(min(row["ms"] for row in rows) * 0.9, max(row["ms"] for row in rows))
    inner_width, inner_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(peak, ms):
        return (LEFT + inner_width * (peak - across[0]) / (across[-1] - across[0]),
                TOP + inner_height * (up[-1] - ms) / (up[-1] - up[0]))

    out = [f'<text x="{LEFT}" y="20" font-weight="600">{escape(model)}</text>']
    for value in across:
        x, bottom = place(value, up[0])
        out.append(f'<text x="{x:.1f}" y="{bottom + 16:.1f}" text-anchor="middle" '
                   f'class="tick">{value:g}</text>')
    for value in up:
        x, y = place(across[0], value)
        out.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" '
                   f'class="grid"/><text x="{x - 6:.1f}" y="{y + 4:.1f}" '
                   f'text-anchor="end" class="tick">{value:g}</text>')
    out.append(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 6}" text-anchor="end" '
               'class="tick">peak, GiB</text>')
    out.append(f'<text x="{WIDTH - RIGHT}" y="20" text-anchor="end" '
               'class="tick">ms a step</text>')
    for name, (colour, shape, is_joined) in STYLES.items():
        found = sorted((row["peak"] / GIB, row["ms"], row["way"]) for row in rows
                       if style_of(row["way"]) == name)
        if is_joined and len(found) > 1:
            line = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y, _ in found)
            out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" '
                       'stroke-width="1.5"/>')
        for x, y, way in found:
            out.append(point(shape, *place(x, y), colour,
                             f"{way}: {x:.3f} GiB, {y:.1f} ms"))
    return "\n".join(out)


def picture(rows):
    rows = [{"ms": row.get("waited_ms"), **row} for row in rows
            if "peak" in row and "as" not in row]
    models = list(dict.fromkeys(row["model"] for row in rows))
    lines = -(-len(models) // COLUMNS)
    columns = min(COLUMNS, len(models))
    width, height = columns * WIDTH, lines * HEIGHT + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           f'width="{width}" height="{height}" font-family="system-ui, sans-serif" '
           'font-size="13">',
           "<style>text{fill:#1e293b}.tick{font-size:11px;fill:#475569}"
           ".grid{stroke:#cbd5e1;stroke-width:.6}</style>",
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for index, model in enumerate(models):
        x, y = index % COLUMNS * WIDTH, index // COLUMNS * HEIGHT
        mine = [row for row in rows if row["model"] == model]
        out.append(f'<g transform="translate({x} {y})">\n{panel(model, mine)}\n</g>')
    x = 16
    for name, (colour, shape, _) in STYLES.items():
        if any(style_of(row["way"]) == name for row in rows):
            out.append(point(shape, x, height - 14, colour, NAMES[name]))
            out.append(f'<text x="{x + 10}" y="{height - 10}" class="tick">'
                       f"{escape(NAMES[name])}</text>")
            x += 40 + 5.8 * len(NAMES[name])
    return "\n".join([*out, "</svg>"])


def main():
    rows = [row for path in sys.argv[1:]
            for row in json.loads(Path(path).read_text(encoding="utf-8"))]
    print(picture(rows))


if __name__ == "__main__":
    main()
