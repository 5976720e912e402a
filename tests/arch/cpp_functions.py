# SPDX-License-Identifier: Apache-2.0
"""Finds where functions begin and end in C++ text.

A heuristic by matching braces. It knows our style, not the language: a brace
outside of any function opens a scope (namespace, class, ...), an initializer,
or else a function.
"""

import re

# Comments, strings and characters. `1'000` is no character: the quote follows
# a digit.
SKIPPED = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'
    """,
    re.VERBOSE | re.DOTALL,
)
# Also access labels, which would count as the start of what follows.
DIRECTIVE = re.compile(
    r"^[ \t]*(?:#(?:[^\n]*\\\n)*[^\n]*|(?:public|private|protected):)", re.MULTILINE
)
TEMPLATE = re.compile(r"^template\s*<.*?>\s*(?=class|struct|union|concept)")
SCOPE = re.compile(
    r"^(?:inline\s+)?(?:namespace|class|struct|union|enum|extern)\b(?!.*\()"
)


def functions(text):
    """Yields (first line, last line) of each function, counted from 1.

    A lambda or a local class is part of the function around it. Member
    initializers with braces count apart from the constructor's body.
    """
    code = DIRECTIVE.sub(blank, SKIPPED.sub(blank, text))
    kinds = []  # Of the open braces, outermost first.
    starts = []  # The first lines of the open functions: none or one.
    head = 0  # Where the text that leads to the next brace begins.
    for match in re.finditer(r"[{};]", code):
        at = match.start()
        if match[0] == "{":
            kind = kind_of(kinds, code[head:at])
            if kind == "function":
                starts.append(line_of(code, first_word(code, head, at)))
            kinds.append(kind)
        elif match[0] == "}" and kinds and kinds.pop() == "function":
            yield starts.pop(), line_of(code, at)
        head = at + 1


def kind_of(kinds, head):
    """What a brace opens, given the open ones and the text before it."""
    if kinds and kinds[-1] != "scope":
        return "block"
    head = TEMPLATE.sub("", " ".join(head.split()))
    if SCOPE.match(head):
        return "scope"
    # Nothing before it: the body after a member initializer `: a_{1} {`.
    if head == "" or (")" in head and not head.endswith("=")):
        return "function"
    return "block"


def blank(match):
    """Spaces in place of a match, so that offsets and lines stay."""
    return re.sub(r"[^\n]", " ", match[0])


def first_word(code, begin, end):
    """Where the first character between `begin` and `end` is, or `end`."""
    word = re.compile(r"\S").search(code, begin, end)
    return word.start() if word else end


def line_of(code, at):
    return code.count("\n", 0, at) + 1
