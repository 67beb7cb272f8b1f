# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuBLASLt with a search over its algorithms: all that its heuristic proposes are timed, the fastest is kept.

torch takes the first proposal. The library is the one that torch has loaded.
"""

import ctypes
import statistics

from measurement import Candidate
from peers import Missing

COMPUTE_32F = 68  # CUBLAS_COMPUTE_32F
REAL_32F, REAL_16F = 0, 2  # CUDA_R_32F, CUDA_R_16F
MAX_WORKSPACE_BYTES = 1  # CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
WORKSPACE_BYTES = 64 << 20
PROPOSALS = 64
REPEATS = 5


class Proposal(ctypes.Structure):
    """cublasLtMatmulHeuristicResult_t."""

    _fields_ = [("algorithm", ctypes.c_uint64 * 8), ("workspace_bytes", ctypes.c_size_t), ("state", ctypes.c_int),
                ("waves", ctypes.c_float), ("reserved", ctypes.c_int * 4)]


def open_library():
    for number in (13, 12):
        try:
            return ctypes.CDLL(f"libcublasLt.so.{number}")
        except OSError:
            continue
    raise Missing("not installed: libcublasLt.so.13 was not found")


def version(context):
    if context.device != "cuda":
        raise Missing("needs a GPU")
    library = open_library()
    library.cublasLtGetVersion.restype = ctypes.c_size_t
    return str(library.cublasLtGetVersion())


class Product:
    """c[m, n] = a[m, k] b[k, n] in row-major order, which cuBLASLt is told as c' = b' a' in column-major order."""

    def __init__(self, torch, sizes):
        self.torch, self.library = torch, open_library()
        m, n, k = (sizes[name] for name in ("m", "n", "k"))
        self.handle = self.create("cublasLtCreate")
        self.description = self.create("cublasLtMatmulDescCreate", ctypes.c_int(COMPUTE_32F), ctypes.c_int(REAL_32F))
        self.layout_a, self.layout_b, self.layout_c = (self.layout(n, k), self.layout(k, m), self.layout(n, m))
        self.one, self.zero = ctypes.c_float(1), ctypes.c_float(0)
        self.workspace = torch.empty(WORKSPACE_BYTES, dtype=torch.uint8, device="cuda")
        self.algorithm = None

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name} failed with status {status}")

    def create(self, name, *arguments):
        handle = ctypes.c_void_p()
        self.call(name, ctypes.byref(handle), *arguments)
        return handle

    def layout(self, rows, columns):
        return self.create("cublasLtMatrixLayoutCreate", ctypes.c_int(REAL_16F), ctypes.c_uint64(rows),
                           ctypes.c_uint64(columns), ctypes.c_int64(rows))

    def proposals(self):
        preference = self.create("cublasLtMatmulPreferenceCreate")
        size = ctypes.c_size_t(WORKSPACE_BYTES)
        self.call("cublasLtMatmulPreferenceSetAttribute", preference, ctypes.c_int(MAX_WORKSPACE_BYTES),
                  ctypes.byref(size), ctypes.c_size_t(ctypes.sizeof(size)))
        found, count = (Proposal * PROPOSALS)(), ctypes.c_int()
        self.call("cublasLtMatmulAlgoGetHeuristic", self.handle, self.description, self.layout_a, self.layout_b,
                  self.layout_c, self.layout_c, preference, ctypes.c_int(PROPOSALS), found, ctypes.byref(count))
        return [proposal for proposal in found[: count.value] if proposal.state == 0]

    def run(self, tensors, proposal):
        a, b, c = (ctypes.c_void_p(tensors[name].data_ptr()) for name in ("a", "b", "c"))
        self.call("cublasLtMatmul", self.handle, self.description, ctypes.byref(self.one), b, self.layout_a, a,
                  self.layout_b, ctypes.byref(self.zero), c, self.layout_c, c, self.layout_c,
                  ctypes.byref(proposal.algorithm), ctypes.c_void_p(self.workspace.data_ptr()),
                  ctypes.c_size_t(WORKSPACE_BYTES), ctypes.c_void_p(self.torch.cuda.current_stream().cuda_stream))

    def time(self, sets, proposal):
        """Milliseconds of a product, the median of some."""
        event = self.torch.cuda.Event
        times = []
        self.run(sets[0], proposal)
        for index in range(REPEATS):
            begin, end = event(enable_timing=True), event(enable_timing=True)
            begin.record()
            self.run(sets[index % len(sets)], proposal)
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
        return statistics.median(times)

    def search(self, sets):
        proposals = self.proposals()
        if not proposals:
            raise RuntimeError("expected an algorithm for the product, but cuBLASLt proposed none")
        self.algorithm = min(proposals, key=lambda proposal: self.time(sets, proposal))

    def __call__(self, tensors):
        self.run(tensors, self.algorithm)


def candidates(context, workload):
    if workload.suite.name != "matmul":
        return []
    # The handles are made at the first use: an error is then one of the candidate.
    product = []

    def prepare(sets):
        product.append(Product(context.torch, workload.sizes))
        product[0].search(sets)

    return [Candidate("cuBLASLt, searched", "peer", lambda tensors: product[0](tensors), prepare)]
