# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's Tilus, the Python DSL: the kernels of its own examples, tuned over its own schedules.

Needs the `tilus` package of a checkout installed and the checkout itself (--upstream) for its examples. Nothing of
it is part of this project. Its first call of a kernel compiles all schedules: a minute for the matrix product.
"""

import importlib.metadata
import importlib.util
import os
import pathlib
import sys

from measurement import Candidate
from peers import Missing

# suite: (file in the checkout's examples, class, the names of the call's arguments in order)
SCRIPTS = {
    "vector_add": ("vector_add/vector_add.py", "VectorAdd", ("n", "a", "b", "c")),
    "softmax": ("softmax/softmax.py", "FusedSoftmax", ("rows", "columns", "x", "y")),
    "matmul": ("matmul/matmul_v4.py", "MatmulV4", ("m", "n", "k", "a", "b", "c")),
    "layer_norm": ("norm/layer_norm.py", "LayerNorm", ("rows", "columns", "x", "weight", "bias", "y", "epsilon")),
}
PATIENCE_SECONDS = 220


def version(context):
    if context.device != "cuda":
        raise Missing("needs a GPU")
    if not context.upstream:
        raise Missing("no checkout was given by --upstream")
    if not (pathlib.Path(context.upstream) / "examples").is_dir():
        raise Missing(f"expected a folder 'examples' in {context.upstream}, but found none")
    import tilus

    tilus.option.parallel_workers(len(os.sched_getaffinity(0)))
    return importlib.metadata.version("tilus")


def load_script(checkout, file, name):
    path = pathlib.Path(checkout) / "examples" / file
    spec = importlib.util.spec_from_file_location(f"upstream_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    # Its transpiler looks up the source of the class by its module's name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return getattr(module, name)


def candidates(context, workload):
    if workload.suite.name not in SCRIPTS:
        return []
    file, name, arguments = SCRIPTS[workload.suite.name]
    script = []

    def launch(tensors):
        values = {**workload.arguments, **tensors}
        script[0](*(values[argument] for argument in arguments))

    def prepare(sets):
        script.append(load_script(context.upstream, file, name)())
        launch(sets[0])

    return [Candidate(f"upstream {name}", "peer", launch, prepare, patience=PATIENCE_SECONDS,
                      info={"file": f"examples/{file}"})]
