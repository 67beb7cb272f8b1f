"""Checks an installed package: what it imports, and that it executes and compiles a kernel.

Needs nothing but Python: no numpy, no torch, no GPU.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import array
import importlib.metadata
import pathlib
import sys

import tilus

KERNEL = """
tilus.kernel @squares(%n: i32, %x: !tilus.ptr<i32>) warps(1) grid {
  %c32 = arith.constant 32 : i32
  %blocks = arith.ceildivsi %n, %c32 : i32
  tilus.grid [%blocks]
} {
  %c32 = arith.constant 32 : i32
  %block = tilus.block_id x
  %offset = arith.muli %block, %c32 : i32
  %lanes = tilus.iota dim(0) : tensor<32xi32>
  %start = tilus.broadcast %offset : i32 -> tensor<32xi32>
  %index = arith.addi %start, %lanes : tensor<32xi32>
  %square = arith.muli %index, %index : tensor<32xi32>
  %view = tilus.global_view %x [%n] : !tilus.ptr<i32> -> !tilus.global<?xi32>
  tilus.store_global %square, %view[%offset] : tensor<32xi32>, !tilus.global<?xi32>
}
"""


def check(holds, what):
    if not holds:
        sys.exit(f"check_package: expected {what}")


def main():
    early = {"numpy", "torch", "tilus._native", "tilus._compiler"} & set(sys.modules)
    check(not early, f"'import tilus' to load nothing, but got {sorted(early)}")
    folder = pathlib.Path(tilus.__file__).parent
    for name in ("py.typed", "_native/__init__.pyi", "_compiler/ir.pyi", "ir/ops/tilus.py", "ir/enums.py"):
        check((folder / name).is_file(), f"the file {name} in the package")
    check(importlib.metadata.version("tilus-mlir") == tilus.__version__, "one version")
    from tilus import _compiler, ir

    module = ir.Module.parse(KERNEL, ir.Context())
    values = array.array("i", [0] * 100)
    blocks, _ = _compiler.Reference(module).run([len(values), values], check_hazards=True)
    check(blocks == (4, 1, 1), f"4 blocks, but got {blocks}")
    check(values.tolist() == [i * i for i in range(100)], "squares")
    # Up to PTX, for which no tools of CUDA are needed.
    artifacts = _compiler.Compiler(cubin=False).compile(module, ["sm_80", "sm_90a", "sm_103a"])
    check(all(".entry squares" in artifact.ptx for artifact in artifacts), "PTX for three chips")
    with open("/proc/self/maps", encoding="utf-8") as maps:
        libraries = sorted({line.split()[-1] for line in maps if "libMLIR" in line or "libLLVM" in line})
    print(f"{sys.version.split()[0]}: {folder}: works with {' and '.join(libraries) or 'no library of LLVM'}")


if __name__ == "__main__":
    main()
