"""Help for tests of scripts: tests for GPUs that are not there, and launches that are replaced."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from tilus.testing.requirements import requires
from tilus.testing.stubs import stub_launch

__all__ = ["requires", "stub_launch"]
