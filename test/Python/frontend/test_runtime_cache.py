"""What is kept on disk of scripts, and when it is used again: in processes of their own."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import pathlib
import subprocess
import sys

import pytest

import tilus

SCRIPT = '''
import json, sys
import tilus
from tilus import float32, int32
from helper import OFFSET, table
import helper

STEP = 3
sizes = {"block": 64}

def twice(value):
    return value + value

def make_closure(number):
    def inner(value):
        return value + number
    return inner

shift = make_closure(5)

class Base(tilus.Script):
    factor = 2

    def value(self):
        return self.factor

class Kernel(Base):
    def __init__(self, block=32):
        super().__init__()
        self.block = block

    def __call__(self, n: int32, x_ptr: ~int32):
        self.attrs.warps = 1
        self.attrs.blocks = [(n + self.block - 1) // self.block]
        x = self.global_view(x_ptr, dtype=int32, shape=[n])
        number = self.value() + STEP + OFFSET + twice(1) + shift(1) + table[1] + helper.EXTRA + sizes["block"]
        self.store_global(x, self.register_tensor(dtype=int32, shape=[self.block], init=number), offsets=[self.blockIdx.x * self.block])

from tilus.runtime import compilation
count = 0
original = compilation.transpile
def counted(*arguments):
    global count
    count += 1
    return original(*arguments)
compilation.transpile = counted

with tilus.target.scope(sys.argv[1] if len(sys.argv) > 1 else "sm_90"):
    instance = Kernel().compile(100, None)
stats = next(iter(Kernel().stats().values()))
print(json.dumps([count, stats["cache_hits"], stats["cache_misses"], str(instance.cache_dir), instance.ptx]))
'''
HELPER = "OFFSET = 7\ntable = (1, 2)\nEXTRA = 11\nUNUSED = 1\n"


@pytest.fixture
def run(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "helper.py").write_text(HELPER)

    def run(*words, change=None, **variables):
        if change:
            name, before, after = change
            text = (tmp_path / name).read_text()
            assert before in text
            (tmp_path / name).write_text(text.replace(before, after))
        environment = {**os.environ, "TILUS_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1", **variables}
        command = [sys.executable, str(tmp_path / "script.py"), *words]
        result = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
        assert result.returncode == 0, result.stderr
        names = ("transpiled", "hits", "misses", "folder", "ptx")
        return dict(zip(names, json.loads(result.stdout.splitlines()[-1])), stderr=result.stderr)

    return run


def test_a_second_process_transpiles_nothing(run):
    first, second = run(), run()
    assert (first["transpiled"], first["hits"], first["misses"]) == (1, 0, 1)
    assert (second["transpiled"], second["hits"], second["misses"]) == (0, 1, 0)
    assert first["ptx"] == second["ptx"] and first["folder"] == second["folder"]


def test_targets_have_folders_of_their_own(run):
    folders = {run(chip)["folder"] for chip in ("sm_90", "sm_90a", "sm_103a")}
    assert len(folders) == 3 and all(pathlib.Path(folder).is_dir() for folder in folders)


@pytest.mark.parametrize(
    "change",
    [
        ("script.py", "STEP = 3", "STEP = 4"),
        ("script.py", "return value + value", "return value + value + 1"),
        ("script.py", "make_closure(5)", "make_closure(6)"),
        ("script.py", "factor = 2", "factor = 3"),
        ("script.py", "return self.factor", "return self.factor + 1"),
        ("script.py", '{"block": 64}', '{"block": 65}'),
        ("script.py", "block=32", "block=64"),
        ("helper.py", "OFFSET = 7", "OFFSET = 8"),
        ("helper.py", "(1, 2)", "(1, 3)"),
        ("helper.py", "EXTRA = 11", "EXTRA = 12"),
    ],
)
def test_all_that_a_kernel_follows_from_is_noticed(run, change):
    before, after = run(), run(change=change)
    assert after["transpiled"] == 1 and after["ptx"] != before["ptx"]
    again = run()
    assert again["transpiled"] == 0 and again["ptx"] == after["ptx"]


@pytest.mark.parametrize(
    "change",
    [
        ("helper.py", "UNUSED = 1", "UNUSED = 2"),
        ("script.py", "STEP = 3", "# a comment\n\nSTEP = 3"),
    ],
)
def test_the_rest_does_not_matter(run, change):
    before, after = run(), run(change=change)
    assert after["transpiled"] == 0 and after["ptx"] == before["ptx"]


def test_a_value_that_cannot_be_told_is_transpiled_again(run):
    change = ("script.py", "STEP = 3", "import numpy\nSTEP = int(numpy.array([3])[0]); array = numpy.zeros(2)")
    run(change=change)
    assert run()["transpiled"] == 0  # no method reaches the array
    run(change=("script.py", "array = ", "x = blocks = array = "))
    assert run()["transpiled"] == 0  # attributes of the same names are others
    run(change=("script.py", "return self.factor", "return self.factor + len(array)"))
    again = run()
    assert again["transpiled"] == 1 and again["hits"] == 1  # found by its text


def test_damage_is_mended(run):
    first = run()
    cache = pathlib.Path(first["folder"]).parent.parent
    (pathlib.Path(first["folder"]) / "manifest.json").write_text("{")
    assert run()["ptx"] == first["ptx"]
    for entry in (cache / "kernels").rglob("*.tilus"):
        entry.write_bytes(entry.read_bytes()[:100])
    mended = run()
    assert mended["ptx"] == first["ptx"] and mended["transpiled"] == 1
    assert run()["transpiled"] == 0


def put_text(text):
    return lambda path: path.write_bytes(text)


def put_folder(path):
    path.unlink()
    path.mkdir()


def put_pipe(path):
    path.unlink()
    os.mkfifo(path)


DAMAGES = {"nul": put_text(b"/usr\0/lib\n"), "bytes": put_text(bytes(range(128, 256))), "half": put_text(b"/usr/li"),
           "nothing": put_text(b""), "folder": put_folder, "pipe": put_pipe}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["tools.txt", "manifest.json"])
def test_a_file_that_is_no_text_is_as_good_as_not_there(run, name, damage):
    first = run()
    DAMAGES[damage](pathlib.Path(first["folder"]) / name)
    second = run()
    assert second["ptx"] == first["ptx"] and second["transpiled"] == 1
    assert damage == "folder" or run()["transpiled"] == 0


def test_no_cache_and_a_cache_that_cannot_be_written(run, tmp_path):
    assert run(TILUS_CACHE="off")["folder"] == "None"
    (tmp_path / "file").write_text("")
    result = run(TILUS_CACHE_DIR=str(tmp_path / "file" / "cache"))
    assert result["transpiled"] == 1 and ".target sm_90" in result["ptx"]


def read_stages(folder):
    """The stages of the only specialisation in a schedule's folder, by their names without numbers."""
    (stages,) = (path for path in folder.iterdir() if path.is_dir())
    return {path.name.partition("-")[2]: path for path in sorted(stages.iterdir())}


def test_stages_are_written_on_request_whatever_the_cache_has(run, tmp_path):
    plain = run()
    for number in range(2):
        root = tmp_path / f"dump{number}"
        dumped = run(TILUS_DUMP=str(root))
        assert (dumped["transpiled"], dumped["misses"], dumped["folder"]) == (1, 1, plain["folder"])
        (folder,) = root.iterdir()
        assert folder.name == "Kernel.sm_90.0"
        assert "class Kernel(Base)" in (folder / "script.py").read_text() and (folder / "schedule.txt").exists()
        stages = read_stages(folder)
        assert "tilus.kernel" in stages["kernel.mlir"].read_text()
        assert "#tilus.reg" in stages["tilus-infer-layouts.mlir"].read_text()
        assert stages["kernel.ptx"].read_text() == dumped["ptx"] == plain["ptx"]
        assert stages["kernel.cubin"].read_bytes()[:4] == b"\x7fELF"
    # A dump leaves what a process without one finds.
    after = run()
    assert (after["transpiled"], after["hits"]) == (0, 1)


def test_stages_below_the_folder_of_a_script(run):
    folder = pathlib.Path(run(TILUS_DUMP_IR="1")["folder"]) / "dump" / "Kernel.sm_90.0"
    assert "optimized.ll" in read_stages(folder)


def test_stages_that_cannot_be_written_are_no_error(run, tmp_path):
    (tmp_path / "file").write_text("")
    result = run(TILUS_DUMP=str(tmp_path / "file"))
    assert result["transpiled"] == 1 and "the stages of Kernel are not written" in result["stderr"]


class Fill(tilus.Script):
    def __call__(self, x_ptr: ~tilus.int32):
        self.attrs.blocks = 1
        self.attrs.warps = 1
        x = self.global_view(x_ptr, dtype=tilus.int32, shape=[32])
        self.store_global(x, self.register_tensor(dtype=tilus.int32, shape=[32], init=1), offsets=[0])


def test_a_kernel_that_was_used_has_its_stages_written_too(tmp_path):
    with tilus.target.scope("sm_90"):
        Fill().compile(None)
        tilus.option.dump_dir(tmp_path)
        try:
            Fill().compile(None)
        finally:
            tilus.option.reset("dump_dir")
    assert "optimized.ll" in read_stages(tmp_path / "Fill.sm_90.0")
