# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own operations: cuBLAS for the matrix products, and a copy as the limit of what moves memory."""

from measurement import Candidate


def version(context):
    return context.torch.__version__


def softmax(torch, tensors, scalars):
    torch.softmax(tensors["x"], dim=1, out=tensors["y"])


def layer_norm(torch, tensors, scalars):
    x = tensors["x"]
    # The variant with results given also wants those of mean and deviation.
    if "torch.rows" not in tensors:
        tensors["torch.rows"] = torch.empty(2, x.shape[0], 1, device=x.device,
                                           dtype=torch.float32 if x.is_cuda else x.dtype)
    rows = tensors["torch.rows"]
    torch.ops.aten.native_layer_norm.out(x, [x.shape[1]], tensors["weight"], tensors["bias"], scalars["epsilon"],
                                         out0=tensors["y"], out1=rows[0], out2=rows[1])


OPERATIONS = {
    "vector_add": lambda torch, tensors, scalars: torch.add(tensors["a"], tensors["b"], out=tensors["c"]),
    "softmax": softmax,
    "matmul": lambda torch, tensors, scalars: torch.matmul(tensors["a"], tensors["b"], out=tensors["c"]),
    "layer_norm": layer_norm,
    "transpose_f32": lambda torch, tensors, scalars: tensors["y"].copy_(tensors["x"].t()),
    "transpose_f16": lambda torch, tensors, scalars: tensors["y"].copy_(tensors["x"].t()),
    "sum_rows": lambda torch, tensors, scalars: torch.sum(tensors["x"], dim=1, out=tensors["y"]),
    "sum_columns": lambda torch, tensors, scalars: torch.sum(tensors["x"], dim=0, out=tensors["y"]),
}


def copy_candidate(context, workload):
    """Copies as many bytes as the workload must move: half of them read, half written. Rotates like the others, each
    set having its own source and target."""
    torch, size = context.torch, max(workload.bytes // 2, 1)

    def launch(tensors):
        if "torch.copy" not in tensors:
            source = torch.randint(256, (size,), dtype=torch.uint8, device=context.device)
            tensors["torch.copy"] = (torch.empty_like(source), source)
        target, source = tensors["torch.copy"]
        target.copy_(source)

    return Candidate("torch copy of as many bytes", "limit", launch, is_checked=False)


def candidates(context, workload):
    torch, operation = context.torch, OPERATIONS.get(workload.suite.name)
    found = []
    if operation:
        name = "torch (cuBLAS)" if workload.suite.name == "matmul" and context.device == "cuda" else "torch"
        found.append(Candidate(
            name, "peer", lambda tensors: operation(torch, tensors, workload.suite.scalars)))
    if not workload.flops:
        found.append(copy_candidate(context, workload))
    return found
