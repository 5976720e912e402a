# SPDX-License-Identifier: Apache-2.0
"""How good the plans are: strategies x graphs x budgets x time limits.

Usage: python3 -B bench/quality run -o FILE [SUITE ...] [--graphs FOLDER]
       python3 -B bench/quality compare BEFORE AFTER
       python3 -B bench/quality report FILE -o docs/results.md
"""

import argparse
import sys
from pathlib import Path

import comparison
import measure
import report
import suites

ROOT = Path(__file__).resolve().parents[2]


def add_run(commands):
    parser = commands.add_parser("run", help="measure, and write what was measured")
    parser.add_argument("suites", nargs="*", metavar="SUITE",
                        help=f"of {', '.join(suites.NAMES)} (default: all)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE",
                        help="JSON; rows that are there already are kept")
    parser.add_argument("--graphs", type=Path, metavar="FOLDER",
                        default=ROOT.parent / "shared/data",
                        help="the public graphs (default: ../shared/data)")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="only rows whose label contains this")
    parser.add_argument("--program", type=Path, metavar="FILE",
                        default=ROOT / "build/release/bin/rematch",
                        help="the program (default: build/release/bin/rematch)")
    parser.set_defaults(act=measure.run)


def add_compare(commands):
    parser = commands.add_parser("compare", help="what changed between two files")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--tolerance", type=float, default=1e-5, metavar="X",
                        help="ratios that differ by less are equal (default: 1e-5)")
    parser.set_defaults(act=comparison.run)


def add_report(commands):
    parser = commands.add_parser("report", help="the tables of docs/results.md")
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.set_defaults(act=report.run)


def main():
    parser = argparse.ArgumentParser(prog="bench/quality", description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_run(commands)
    add_compare(commands)
    add_report(commands)
    options = parser.parse_args()
    try:
        sys.exit(options.act(options))
    except (OSError, ValueError) as error:
        sys.exit(f"bench/quality: {error}")


if __name__ == "__main__":
    main()
