# SPDX-License-Identifier: Apache-2.0
"""PyTorch on a hollow GPU. Python runs this first, in each process, also in those that
scripts start."""

import torch

# cuDNN asks the device which convolutions there are.
torch.backends.cudnn.enabled = False
