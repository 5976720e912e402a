# SPDX-License-Identifier: Apache-2.0
"""Runs the program `rematch`, which is part of the package."""

import os
import sys
from pathlib import Path


def main():
    program = Path(__file__).parent / "bin" / "rematch"
    os.execv(program, ["rematch", *sys.argv[1:]])


if __name__ == "__main__":
    main()
