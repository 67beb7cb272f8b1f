"""What the second process of a script does without: the compiler's library, and what only transpiling needs."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("TILUS_BUILD_DIR", ROOT / "build"))
LIBRARY = "libTilus-C.so.0"


@pytest.mark.skipif(not (BUILD / "lib/libFakeCuda.so").exists(), reason="needs the fake driver of the build")
def test_calls_whose_kernels_are_kept_load_no_compiler(tmp_path):
    command = [sys.executable, str(ROOT / "benchmarks/launch/second_process.py"), "--rounds", "3", "--schedules", "3",
               "--json", str(tmp_path / "out.json")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TILUS_BUILD_DIR": str(BUILD)})
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    for result in json.loads((tmp_path / "out.json").read_text()).values():
        first, second = result["first"], result["second"]
        assert first["libraries"] == ["libTilus-C", "libTilusRuntime-C"] and second["libraries"] == ["libTilusRuntime-C"]
        assert result["agree"] and first["chosen"] == second["chosen"]
        assert first["stats"]["cache_hits"] == 0 and second["stats"]["cache_misses"] == 0
        assert second["cpu_ms"] < 150 and second["cpu_ms"] < first["cpu_ms"]


def test_instructions_are_there_when_one_is_used():
    """Also in several threads at a time, and none is for a name that there is not."""
    program = """
import sys, threading, tilus
from tilus.lang.classes import Members
class Kernel(tilus.Script):
    def __init__(self):
        super().__init__()
    @property
    def broken(self):
        return self.nothing
    def __call__(self): ...
from tilus.lang.script import make_script
script = make_script(Kernel, {})
assert "tilus.lang.instructions" not in sys.modules
sys.setswitchinterval(1e-6)
found, start = [], threading.Barrier(8)
def look():
    start.wait()
    found.append(script.load_global)
threads = [threading.Thread(target=look) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) == 8 and all(one.__self__ is script for one in found)
for name in ("nothing", "broken"):
    try: getattr(script, name)
    except AttributeError as error: print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["'Kernel' has no attribute 'nothing'"] * 2, done.stderr


# -- which compiler a kernel is kept for


PROGRAM = """
import json, sys, tilus
from tilus import int32
class Kernel(tilus.Script):
    def __init__(self):
        super().__init__()
    def __call__(self, n: int32):
        self.attrs.warps = 1
        self.attrs.blocks = [n]
with tilus.target.scope("sm_90"):
    instance = Kernel().compile(100)
print(json.dumps(["tilus._compiler" in sys.modules, str(instance.cache_dir)]))
"""


def change_build(library):
    """Flips a bit of a library's build id."""
    content = bytearray(library.read_bytes())
    note = content.index(b"GNU\0", content.index(b"\x03\0\0\0GNU\0"))
    content[note + 4] ^= 1
    library.write_bytes(content)


@pytest.fixture
def package(tmp_path):
    """A copy of the package whose library is a file of its own."""
    import tilus._native

    original = pathlib.Path(tilus._native.__file__).parent
    copy = tmp_path / "package" / "tilus"
    shutil.copytree(original, copy, symlinks=True)
    (copy / LIBRARY).unlink(missing_ok=True)
    shutil.copy((original / LIBRARY).resolve(), copy / LIBRARY)
    return copy


@pytest.fixture
def run(tmp_path, package):
    (tmp_path / "script.py").write_text(PROGRAM)

    def run(**variables):
        """Whether the compiler was loaded, and the script's folder."""
        environment = {**os.environ, "TILUS_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(package.parent), **variables}
        command = [sys.executable, str(tmp_path / "script.py")]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_another_build_of_the_compiler_has_kernels_of_its_own(run, package):
    first = run()
    assert first[0] and run() == [False, first[1]]
    change_build(package / LIBRARY)
    other = run()
    assert other[0] and other[1] != first[1] and run() == [False, other[1]]


def test_other_options_have_kernels_of_their_own(run):
    first = run()
    other = run(TILUS_DISABLE_PTXAS_OPT="1")
    assert other[0] and other[1] != first[1]
    assert run() == [False, first[1]] and run(TILUS_DISABLE_PTXAS_OPT="1") == [False, other[1]]


def test_other_tools_have_kernels_of_their_own(run, tmp_path):
    tool = tmp_path / "toolkit/nvvm/libdevice/libdevice.10.bc"
    tool.parent.mkdir(parents=True)
    tool.write_bytes(b"one")
    toolkit = {"TILUS_CUDA_PATH": str(tmp_path / "toolkit")}
    first, named = run(), run(**toolkit)
    assert named[0] and named[1] != first[1] and run(**toolkit) == [False, named[1]]
    tool.write_bytes(b"another")
    assert run(**toolkit) == [True, named[1]] and run(**toolkit) == [False, named[1]]
    tool.unlink()
    assert run(**toolkit) == [True, named[1]] and run() == [False, first[1]]


def test_nothing_is_kept_of_a_compiler_from_elsewhere(run, package, tmp_path):
    """The loader takes another library than the one whose build names the kernels."""
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(package / LIBRARY, tmp_path / "elsewhere" / LIBRARY)
    change_build(package / LIBRARY)
    assert run(LD_LIBRARY_PATH=str(tmp_path / "elsewhere"))[0] and run(LD_LIBRARY_PATH=str(tmp_path / "elsewhere"))[0]
    assert run()[0] and not run()[0]


def test_a_library_without_a_build_is_compiled_with_and_not_kept(run, package):
    content = (package / LIBRARY).read_bytes()
    (package / LIBRARY).write_bytes(content.replace(b"\x03\0\0\0GNU\0", b"\x04\0\0\0GNU\0", 1))
    assert run() == [True, "None"] and run()[0]


def test_versions_have_folders_of_their_own(tmp_path):
    from tilus import target
    from tilus._native import runtime

    cache = runtime.Cache(str(tmp_path))
    handle = target.parse("sm_90").handle
    paths = {runtime.ScriptStore(cache, build, "Kernel", "program", "").path(handle) for build in ("0.1.0 aa", "0.1.1 aa")}
    assert len(paths) == 2 and all(pathlib.Path(path).is_dir() for path in paths)
