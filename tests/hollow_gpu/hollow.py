# SPDX-License-Identifier: Apache-2.0
"""PyTorch on a hollow GPU: for tests, `pytest -p hollow`; for scripts, this one.

Usage: python -m hollow SCRIPT [ARGUMENT ...]
"""

import runpy
import sys
from pathlib import Path

import torch

# cuDNN asks the device which convolutions there are.
torch.backends.cudnn.enabled = False


if __name__ == "__main__":
    del sys.argv[0]
    path = Path(sys.argv[0])
    path = path / "__main__.py" if path.is_dir() else path
    runpy.run_path(str(path), run_name="__main__")
