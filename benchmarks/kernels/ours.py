# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples' kernels as candidates: cubins that tilus-run made, launched through the driver."""

import cuda_driver
from measurement import Candidate


class CubinLaunch:
    """A compiled kernel on torch's tensors and stream. Loaded at its first use."""

    def __init__(self, torch, driver, record, scalars):
        self.torch, self.driver, self.record, self.scalars = torch, driver, record, scalars
        self.function = None
        # The arguments for each set of tensors: the same ones are launched many times.
        self.arguments = {}
        self.workspaces = []

    def load(self, sets):
        self.function = cuda_driver.Function(self.driver, self.record.cubin, self.record.entry,
                                             self.record.shared_bytes)
        self.workspaces = [self.torch.zeros(max(size, 1), dtype=self.torch.uint8, device="cuda")
                           for size in self.record.workspaces]

    def bind(self, tensors):
        values = []
        for type, name in self.record.arguments:
            if name in tensors:
                values.append(cuda_driver.ctypes.c_void_p(tensors[name].data_ptr()))
            else:
                values.append(cuda_driver.SCALARS[type](self.scalars[name]))
        values += [cuda_driver.ctypes.c_void_p(space.data_ptr()) for space in self.workspaces]
        return values

    def __call__(self, tensors):
        arguments = self.arguments.get(id(tensors))
        if arguments is None:
            arguments = self.arguments[id(tensors)] = self.bind(tensors)
        self.function.launch(self.record.grid, self.record.block, arguments,
                             self.torch.cuda.current_stream().cuda_stream)


def candidates(torch, driver, workload, records):
    """A candidate for each record of the workload that holds a cubin."""
    found = []
    for record in records:
        if record.workload != workload.name or record.error:
            continue
        launch = CubinLaunch(torch, driver, record, workload.arguments)
        info = {"file": record.file, "registers": record.registers, "spill_bytes": record.spill_bytes,
                "shared_bytes": record.shared_bytes, "grid": list(record.grid), "block": list(record.block),
                "compile_ms": record.compile_ms}
        found.append(Candidate(record.label, "ours", launch, prepare=launch.load, patience=40, info=info))
    return found
