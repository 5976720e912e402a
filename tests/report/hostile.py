# SPDX-License-Identifier: Apache-2.0
"""A graph whose names come from somebody who means harm."""

NAMES = {
    "markup": "<script>window.harmed = true</script>",
    "image": "<img src=x onerror=\"window.harmed = true\">",
    "end_of_data": "</script><script>window.harmed = true</script>",
    "comment": "<!-- --><!--<script>",
    "entity": "&lt;b&gt; &amp;",
    "right_to_left": "\u202egnp.txt\u2066\u200f",
    "line_separator": "two\u2028lines\u2029more",
    "escape": "\x1b[31mred\x07\x00",
    "newline": "two\nlines\r\nand\ta tab",
    "long": "x" * 10_000,
    "long_emoji": "a" + "🙂" * 3000,
    "emoji": "🧠👩‍👩‍👧",
    "quotes": "\"'`$(ls) \\ %s {} {0} ${x}",
    "prototype": "__proto__",
    "template": "{{data}}{{style}}",
    "formula": "=1+1,\"x\"",
}


def hostile_graph():
    """A chain in which everything has such a name."""
    ops = []
    for at, (key, name) in enumerate(NAMES.items()):
        ops.append({
            "name": name,
            "kind": name,
            "inputs": [ops[-1]["name"]] if ops else [],
            "bytes": 1 << 20,
            "cost": at + 1,
            "phase": "forward" if at < 8 else "backward",
        })
    return {
        "format": "rematch.graph",
        "version": 1,
        "name": NAMES["end_of_data"],
        "description": NAMES["image"] + NAMES["right_to_left"],
        "cost_unit": NAMES["markup"],
        "ops": ops,
    }
