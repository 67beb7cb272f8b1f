"""What importing the package loads, and how long it takes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import subprocess
import sys

# What the import has loaded, and which names it then resolves.
PROGRAM = """
import json, sys
before = set(sys.modules)
import tilus
with open("/proc/self/maps") as maps:
    files = {line.split()[-1] for line in maps if "/" in line}
print(json.dumps([sorted(set(sys.modules) - before), sorted(files)]))
"""


def run(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    ).stdout


def test_import_loads_nothing_else():
    modules, files = json.loads(run(PROGRAM))
    heavy = {"numpy", "torch", "triton", "cuda", "tilus._native", "tilus._compiler"}
    assert not heavy & {name.split(".")[0] if name.split(".")[0] != "tilus" else name for name in modules}
    assert not [file for file in files if any(word in file for word in ("libcuda", "nvidia", "libMLIR", "libTilus"))]


def test_compiling_and_executing_load_no_driver():
    files = run(
        "from tilus import _compiler, ir\n"
        "c = ir.Context()\n"
        "text = 'tilus.kernel @k() warps(1) grid {\\n %c = arith.constant 1 : i32\\n tilus.grid [%c]\\n} {\\n}'\n"
        "_compiler.Reference(ir.Module.parse(text, c)).run([])\n"
        "_compiler.Compiler(cubin=False).compile(ir.Module.parse(text, c), ['sm_90'])\n"
        "print(open('/proc/self/maps').read())\n"
    )
    assert "libTilus-C" in files and "libcuda" not in files


def test_import_is_quick():
    """The processor's time of the import, which other programs do not change as they do the clock's."""
    program = "import time, sys; t = time.process_time(); import tilus; print(time.process_time() - t)"
    best = min(float(run(program)) for _ in range(5))
    assert best < 0.150


def test_every_public_name_resolves():
    names = json.loads(run("import json, tilus; print(json.dumps([list(tilus.__all__), dir(tilus)]))"))
    assert names[0] and set(names[0]) <= set(names[1])
    run("import tilus\nfor name in tilus.__all__: getattr(tilus, name)\nassert tilus.__version__\n")
    missing = run("import tilus\ntry: tilus.nothing\nexcept AttributeError as error: print(error)\n")
    assert missing.strip() == "module 'tilus' has no attribute 'nothing'"

