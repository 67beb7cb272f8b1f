# All instructions of scripts: those on `self`, and the groups such as `self.atomic`.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions of scripts."""

from tilus.lang.cuda import cuda as cuda_helpers
from tilus.lang.instructions.asynchronous import CopyAsyncInstructions
from tilus.lang.instructions.atomic import AtomicInstructionGroup
from tilus.lang.instructions.base import InstructionGroup
from tilus.lang.instructions.combine import CombineInstructions
from tilus.lang.instructions.control import ControlInstructions, Dim3
from tilus.lang.instructions.elementwise import ElementwiseInstructions
from tilus.lang.instructions.matrix import MatrixInstructions
from tilus.lang.instructions.memory import GlobalInstructions, SharedInstructions
from tilus.lang.instructions.printing import PrintInstructions
from tilus.lang.instructions.random import RandomInstructions
from tilus.lang.instructions.shapes import ShapeInstructions
from tilus.lang.instructions.synchronization import SyncInstructions
from tilus.lang.instructions.unsupported import make_unsupported_group

__all__ = ["Dim3", "InstructionGroup", "Instructions"]


class Instructions(
    ElementwiseInstructions,
    CombineInstructions,
    ShapeInstructions,
    MatrixInstructions,
    GlobalInstructions,
    SharedInstructions,
    CopyAsyncInstructions,
    SyncInstructions,
    RandomInstructions,
    PrintInstructions,
    ControlInstructions,
):
    """What scripts and helper classes call on `self`."""

    cuda = cuda_helpers
    atomic = AtomicInstructionGroup()
    tma = make_unsupported_group("tma")
    mbarrier = make_unsupported_group("mbarrier")
    fence = make_unsupported_group("fence")
    wgmma = make_unsupported_group("wgmma")
    tcgen05 = make_unsupported_group("tcgen05")
    clc = make_unsupported_group("clc")
    cluster = make_unsupported_group("cluster")
