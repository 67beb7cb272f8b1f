"""What is kept of schedules: why they fail, and which is which."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys
import threading

from tilus.runtime.kept import read_text, write_text


def run(folder, text):
    """The lines that a script prints, in a process of its own whose cache is below the folder."""
    (folder / "script.py").write_text(text)
    environment = {**os.environ, "TILUS_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run([sys.executable, str(folder / "script.py")], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


FAILING = """
import sys, tilus
from tilus import int32
@tilus.autotune("block", [13, 32])
class Kernel(tilus.Script):
    def __init__(self, block):
        super().__init__()
        self.block = block
    def __call__(self, n: int32, c: int):
        self.attrs.warps = 1
        self.attrs.blocks = [1]
        self.static_assert(self.block != 13 or c == 7, f"no block of 13 with {c}")
with tilus.target.scope("sm_90"):
    for c in (1, 2, 7):
        instance = Kernel().compile(100, c)
        print(*[(schedule, str(error)) for schedule, error in instance.failures], sep="\\n", end="\\n--\\n")
print("tilus._compiler" in sys.modules)
"""


def test_why_schedules_fail_is_told_by_the_second_process(tmp_path):
    (*first, compiled), (*second, found) = run(tmp_path, FAILING), run(tmp_path, FAILING)
    assert first == second and compiled.startswith("True") and found.startswith("False")
    assert [f"no block of 13 with {c}" in " ".join(first) for c in (1, 2, 7)] == [True, True, False]
    for path in (tmp_path / "cache").glob("scripts/*/failed/*/*.txt"):
        path.write_bytes(b"\0")
    assert sum("why is no more in the cache" in row for row in run(tmp_path, FAILING)) == 2


ALIKE = """
import sys, tilus
from tilus import int32
class Mode:
    def __init__(self, size):
        self.size = size
    def __repr__(self):
        return "Mode\\0" if self.size > 32 else "Mode"
ARRAY = []
@tilus.autotune("mode", [Mode(32), Mode(16), Mode(64)])
class Kernel(tilus.Script):
    def __init__(self, mode):
        super().__init__()
        self.mode = mode
    def __call__(self, n: int32, x_ptr: ~int32):
        self.attrs.warps = 1
        self.attrs.blocks = [1]
        x = self.global_view(x_ptr, dtype=int32, shape=[n])
        size = self.mode.size
        self.store_global(x, self.register_tensor(dtype=int32, shape=[64], init=size), offsets=[0])
with tilus.target.scope("sm_90"):
    instance = Kernel().compile(100, None)
assert [schedule["mode"].size for schedule in instance.schedules] == [32, 16, 64]
for kernel, size in zip(instance.artifacts, (32, 16, 64)):
    assert f", {size};" in kernel.ptx
print("tilus._compiler" in sys.modules, instance.cache_dir, sep="\\n")
"""


def test_schedules_that_print_alike_have_kernels_and_choices_of_their_own(tmp_path):
    first = run(tmp_path, ALIKE)
    assert first[0] == "True" and run(tmp_path, ALIKE) == ["False", first[1]]
    # A value that has no text stands for any, so that no choice is kept of it.
    unknown = ALIKE.replace("self.size = size", "self.size = size\n        self.other = memoryview(b'')")
    assert run(tmp_path, unknown) == ["True", "None"]
    # Values that are told apart have a folder of theirs, whatever the methods reach.
    plain = ALIKE.replace("Mode(32), Mode(16), Mode(64)", "32, 16, 64").replace("mode.size", "mode").replace("].size", "]")
    reached = plain.replace("size = self", "len(ARRAY); size = self").replace("ARRAY = []", "ARRAY = memoryview(b'')")
    (folder,) = {run(tmp_path, reached)[1] for _ in range(2)}
    assert folder != "None" and run(tmp_path, reached.replace("16", "17"))[1] != folder


def test_a_text_is_whole_for_who_reads_it_meanwhile(tmp_path):
    path, texts = tmp_path / "note" / "a.txt", {letter * 200_000 for letter in "ab"}
    write_text(path, "a" * 200_000)
    writer = threading.Thread(target=lambda: [write_text(path, text) for text in sorted(texts) * 100])
    writer.start()
    while writer.is_alive():
        assert read_text(path) in texts
    assert os.listdir(path.parent) == ["a.txt"]
