# SPDX-License-Identifier: Apache-2.0
"""The kernels that Inductor, PyTorch's compiler, generates, as ops of a program."""
