# SPDX-License-Identifier: Apache-2.0
"""Finds the helpers of the command-line tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
