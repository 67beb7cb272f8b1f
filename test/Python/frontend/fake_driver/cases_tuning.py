"""Choosing between schedules on a device: tuning, what is kept of it, schedules that fail."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import json

import pytest
import tilus
from tilus import float32, int32


def make_script(blocks=(32, 64, 96), broken=()):
    """A script of a few schedules, with a name of its own in the cache."""

    @tilus.autotune("block", list(blocks))
    class Tuned(tilus.Script):
        def __init__(self, block: int):
            super().__init__()
            self.block = block
            if block in broken:
                raise ValueError(f"no block of {block}")

        def __call__(self, n: int32, x_ptr: ~float32):
            self.attrs.warps = 1
            self.attrs.blocks = [(n + self.block - 1) // self.block]
            x = self.global_view(x_ptr, dtype=float32, shape=[n])
            offset = self.blockIdx.x * self.block
            tile = self.load_global(x, offsets=[offset], shape=[self.block])
            self.static_assert(self.block != 13, "no block of 13")
            self.store_global(x, tile + tile, offsets=[offset])

    return Tuned()


class FakeLaunch(ctypes.Structure):
    _fields_ = [("entry", ctypes.c_char_p), ("image", ctypes.c_char_p), ("device", ctypes.c_int),
                ("stream", ctypes.c_void_p), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("shared", ctypes.c_uint), ("params", ctypes.c_void_p), ("count", ctypes.c_int),
                ("milliseconds", ctypes.c_double), ("fault", ctypes.c_int), ("hangs", ctypes.c_bool)]  # fmt: skip


@pytest.fixture
def times(driver):
    """The fake kernel takes as many milliseconds as a table says for the number of its blocks."""
    table = {}

    def run(_, launch):
        launch = ctypes.cast(launch, ctypes.POINTER(FakeLaunch)).contents
        launch.milliseconds = table.get(launch.grid[0], 1.0)

    code = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(run)
    driver.library.fakeCudaKernel(b"tuned", code, None)
    yield table
    driver.library.fakeCudaKernel(b"tuned", None, None)


def test_the_fastest_schedule_wins_and_is_kept(driver, times):
    times.update({32: 5.0, 16: 1.0, 11: 3.0})
    tensor = driver.tensor()
    script = make_script()
    script(1024, tensor)
    assert driver.launches()[-1]["grid"] == "16,1,1"
    (report,) = script.tuning_reports
    assert report["best"] == 1 and report["target"].name == "sm_90a"
    assert [schedule for schedule, _, _ in report["outcomes"]] == ["block=32", "block=64", "block=96"]
    instance = script.compile(1024, tensor)
    folder = instance.cache_dir
    (table,) = folder.glob("tuning-*.json")
    text = json.loads(table.read_text())
    assert text["metadata"]["target"] == "sm_90a" and text["metadata"]["compute_capability"] == "9.0"
    assert len(text["entries"]) == 1 and text["entries"][0]["key"].startswith("n=1024 ")
    (latency,) = (folder / "latency").glob("*.txt")
    rows = latency.read_text().splitlines()[1:]
    assert [row.split("block=")[1] for row in rows] == ["64", "96", "32"] and rows[0].startswith("* ")
    kept = json.loads(latency.with_suffix(".json").read_text())
    assert (kept["script"], kept["target"], kept["best"], kept["key"]) == (script.__name__, "sm_90a", 1, report["key"])
    assert kept["outcomes"] == [list(outcome) for outcome in report["outcomes"]]
    # A second script of the same text finds the choice.
    again = make_script()
    again(1024, tensor)
    assert again is not script and again.tuning_reports == []
    assert driver.launches()[-1]["grid"] == "16,1,1"
    assert again.stats()["sm_90a"]["cache_hits"] == 3 and again.stats()["sm_90a"]["cache_misses"] == 0


def test_keys_are_rounded(driver, times):
    tensor, script = driver.tensor(16384), make_script()
    for n in (4097, 6000, 6144, 6145):
        script(n, tensor)
    assert len(script.tuning_reports) == 3  # 4097 and 6000 share a choice; 6144 is a multiple of 16; 6145 is the next
    assert [report["key"].split()[0] for report in script.tuning_reports] == ["n=6144", "n=6144", "n=8192"]


def test_schedules_that_fail_are_recorded_and_skipped(driver, times):
    script = make_script(blocks=(13, 32, 64))
    script(1024, driver.tensor())
    instance = script.compile(1024, driver.tensor())
    assert [schedule["block"] for schedule in instance.schedules] == [32, 64]
    ((schedule, error),) = instance.failures
    assert schedule == {"block": 13} and "no block of 13" in str(error)
    (reason,) = instance.cache_dir.glob("failed/*/0.txt")
    assert reason.read_text() == f"block=13\n\n{error}\n"


def test_no_schedule_is_an_error_of_the_first(driver, times):
    with pytest.raises(tilus.lang.errors.TilusProgramError, match="no block of 13"):
        make_script(blocks=(13,))(1024, driver.tensor())


def test_one_schedule_is_not_measured(driver, times):
    script = make_script(blocks=(32,))
    before = len(driver.launches())
    script(1024, driver.tensor())
    assert len(driver.launches()) == before + 1 and script.tuning_reports == []


def test_options_of_tuning(driver, times):
    tilus.option.bench_warmup(2)
    tilus.option.bench_repeat(4)
    before = len(driver.launches())
    make_script(blocks=(32, 64))(1024, driver.tensor())
    assert len(driver.launches()) == before + 2 * (2 + 4) + 1


def test_debug_schedule_replaces_the_space(driver, times):
    script = make_script()
    script.script_cls.debug_schedule = dict(block=96)
    chosen = script.script_cls()
    before = len(driver.launches())
    chosen(1024, driver.tensor())
    assert chosen is not script and chosen.schedules == [{"block": 96}]
    assert [row["grid"] for row in driver.launches()[before:]] == ["11,1,1"]
