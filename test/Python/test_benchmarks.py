# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmarks' own logic, without a GPU: reading kernels, compiling them, surviving bad ones, reporting."""

import ctypes
import json
import pathlib
import shutil
import stat
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks" / "kernels"), str(ROOT / "benchmarks")]

import cuda_driver
import kernel_source
import measurement
import report
import supervisor
import tilus_cubins
import workloads

TEXT = """
// tilus.kernel @in_a_comment(%x: i32) warps(1) grid { } { }
tilus.kernel @first(%n: i32 {tilus.divisibility = 8 : i64}, %x: !tilus.ptr<f32>) warps(4) grid {
  tilus.grid [%n]
} {
  %0 = tilus.block_id x
  %max, %sum = scf.for %i = %0 to %n step %n iter_args(%a = %n, %b = %n) -> (i32, i32) : i32 {
    scf.yield %a, %b : i32, i32
  }
}
tilus.kernel @first_wide(%rows: index) warps(1) cluster [2, 1, 1] grid {
  tilus.grid [%rows]
} {
}
"""


def test_kernels_are_found_with_their_parameters():
    first, wide = kernel_source.find_kernels(TEXT)
    assert (first.name, wide.name) == ("first", "first_wide")
    assert [(p.name, p.type, p.element) for p in first.parameters] == [
        ("n", "i32", None), ("x", "!tilus.ptr<f32>", "f32")]
    assert first.count_ops() == 3
    assert wide.body.strip() == ""


def test_repeated_bodies_have_their_own_values():
    repeated = kernel_source.find_kernels(TEXT)[0].repeated(2)
    again = kernel_source.find_kernels(repeated)[0]
    assert again.count_ops() == 6
    for copy in (0, 1):
        assert f"%copy{copy}_0 = tilus.block_id x" in again.body
        assert f"%copy{copy}_max, %copy{copy}_sum = scf.for" in again.body
    # Parameters stay.
    assert again.body.count("to %n step %n") == 2


def test_renaming_does_not_touch_longer_names():
    first, wide = kernel_source.find_kernels(TEXT)
    assert "@other(" in first.renamed("other")
    assert wide.renamed("x").startswith("tilus.kernel @x(")


def test_examples_bind_to_the_workloads():
    """Every kernel that a suite claims takes arguments that the suite has."""
    for suite in workloads.SUITES:
        for path, kernel in tilus_cubins.find_candidates(ROOT / "examples", suite):
            for workload in suite.workloads():
                assert len(tilus_cubins.bind(kernel, workload)) == len(kernel.parameters), path


def test_workloads_are_chosen_by_name():
    assert [w.name for w in workloads.find_workloads(["matmul/2048x2048x2048", "vector_add"])] == [
        "matmul/2048x2048x2048", "vector_add/1048576", "vector_add/16777216", "vector_add/268435456"]
    with pytest.raises(ValueError, match="but got 'nothing'"):
        workloads.find_workloads(["nothing"])


def test_bytes_and_flops_are_counted():
    workload = workloads.find_workloads(["matmul/2048x2048x2048"])[0]
    assert workload.bytes == 3 * 2048 * 2048 * 2
    assert workload.flops == 2 * 2048**3


@pytest.fixture
def fake_tool(tmp_path):
    """A function that makes a tilus-run which writes a cubin and prints the given entry."""

    def make(entry, status=0):
        path = tmp_path / "tilus-run"
        path.write_text(f"""#!{sys.executable}
import json, pathlib, sys
words = sys.argv
folder = pathlib.Path(words[words.index("--emit") + 1].removeprefix("cubin="))
folder.mkdir(parents=True, exist_ok=True)
(folder / (words[words.index("--kernel") + 1] + ".sm_90a.cubin")).write_bytes(b"cubin")
(folder / "words.json").write_text(json.dumps(words))
print(json.dumps({{"kernels": [{entry!r}]}}).replace("None", "null"))
print("no such thing", file=sys.stderr)
sys.exit({status})
""")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make


def compile_first(tool, tmp_path, text=None):
    workload = workloads.find_workloads(["vector_add/1048576"])[0]
    source = tmp_path / "examples" / "vector_add" / "vector_add.mlir"
    source.parent.mkdir(parents=True)
    source.write_text(text or "tilus.kernel @vector_add(%n: i32, %a: !tilus.ptr<f32>) warps(4) grid {\n} {\n}\n")
    return tilus_cubins.compile_all(tool, "sm_90a", tmp_path / "examples", [workload], tmp_path / "cubins", 1)[0]


def test_a_kernel_is_compiled_for_its_arguments(fake_tool, tmp_path):
    tool = fake_tool({"name": "vector_add", "grid": [1024, 1, 1], "block": [128, 1, 1], "shared_bytes": 16,
                      "registers": 20, "spill_bytes": 0})
    record = compile_first(tool, tmp_path)
    assert record.error == ""
    assert (record.grid, record.block, record.shared_bytes) == ((1024, 1, 1), (128, 1, 1), 16)
    assert record.arguments == (("i32", "n"), ("!tilus.ptr<f32>", "a"))
    words = json.loads((pathlib.Path(record.cubin).parent / "words.json").read_text())
    assert words[-4:] == ["--arg", "1048576", "--arg", "zeros:1xf32"]


def test_what_cannot_be_launched_is_an_error_in_the_record(fake_tool, tmp_path):
    assert "expected the grid" in compile_first(fake_tool({"name": "vector_add", "grid": None}), tmp_path).error


def test_the_tools_error_is_kept(fake_tool, tmp_path):
    assert compile_first(fake_tool({"name": "vector_add"}, status=1), tmp_path).error == "no such thing"


def test_a_kernel_with_other_parameters_is_not_compiled(fake_tool, tmp_path):
    text = "tilus.kernel @vector_add(%n: i32, %a: !tilus.ptr<f16>) warps(4) grid {\n} {\n}\n"
    assert "'%a: !tilus.ptr<f16>'" in compile_first(fake_tool({}), tmp_path, text).error


WORKER = """
import json, os, sys, time
plan = json.load(open(sys.argv[1]))
events = os.fdopen(int(sys.argv[2]), "w")
def emit(**event):
    events.write(json.dumps(event) + "\\n")
    events.flush()
for job in plan["jobs"]:
    for name in ("good", "crash", "hang", "last"):
        if name in job["excluded"]:
            continue
        emit(event="begin", workload=job["workload"], candidate=name, patience=0.5)
        if job["workload"] == "bad" and name == "crash":
            os._exit(3)
        if job["workload"] == "bad" and name == "hang":
            time.sleep(60)
    emit(event="result", workload=job["workload"], candidates=[])
"""


def run_jobs(tmp_path, jobs, seconds=30):
    worker = tmp_path / "worker.py"
    worker.write_text(WORKER)
    events = []
    left = supervisor.Supervisor({"limits": False}, tmp_path, events.append, time.monotonic() + seconds,
                                 worker).run(jobs)
    return events, left


def test_candidates_that_crash_or_hang_are_left_out_and_named(tmp_path):
    jobs = [supervisor.Job(name, []) for name in ("first", "bad", "second")]
    events, left = run_jobs(tmp_path, jobs)
    assert left == []
    assert [event["workload"] for event in events if event["event"] == "result"] == ["first", "bad", "second"]
    failures = [(event["candidate"], event["reason"]) for event in events if event["event"] == "failure"]
    assert failures == [("crash", "ended the process, with status 3"), ("hang", "did not end within 0 s")]
    assert set(next(event for event in events if event.get("workload") == "bad" and event["event"] == "result")
               ["excluded"]) == {"crash", "hang"}


def test_what_does_not_fit_the_time_is_not_begun(tmp_path):
    jobs = [supervisor.Job("long", [], needs_seconds=1000), supervisor.Job("short", [])]
    events, left = run_jobs(tmp_path, jobs)
    assert [job.workload for job in left] == ["long"]
    assert [event["workload"] for event in events if event["event"] == "result"] == ["short"]


def test_a_worker_that_never_starts_is_given_up(tmp_path):
    worker = tmp_path / "worker.py"
    worker.write_text("raise SystemExit(1)")
    events = []
    jobs = [supervisor.Job("first", [])]
    left = supervisor.Supervisor({}, tmp_path, events.append, time.monotonic() + 30, worker).run(jobs)
    assert left == jobs
    assert {event["candidate"] for event in events} == {"worker"}


def test_the_ratio_is_of_right_results_alone(tmp_path):
    def entry(name, group, time_us, status="ok"):
        return {"name": name, "group": group, "status": status, "time_us": time_us, "spread": 0.01}

    candidates = [entry("tilus a", "ours", 2.0), entry("tilus b", "ours", 1.0, "wrong"), entry("p", "peer", 3.0),
                  entry("q|<>", "peer", 4.0), entry("copy", "limit", 0.5)]
    workload = {"name": "w/1", "title": "W", "bytes": 8000, "flops": 0, "candidates": candidates}
    whole = {"date": "", "commit": "", "tilus_run": "", "environment": {}, "peers": {"x": {"skipped": "not there"}},
             "limits": {"copy_bytes_per_s": 8e9, "product_flops_per_s": 1.0, "product": ""},
             "workloads": [workload], "failures": [], "not_run": ["v/2 (p)"]}
    report.write(whole, tmp_path)
    assert json.loads((tmp_path / "report.json").read_text())["workloads"][0]["ratio"] == 1.5
    # 8000 bytes in 2 us are 4 GB/s, half of the limit.
    assert candidates[0]["limit_percent"] == pytest.approx(50)
    assert "| w/1 | 1.500 | tilus a | 2.00 | 50.0% | p | 3.00 | 33.3% |" in (tmp_path / "report.md").read_text()
    assert "q|&lt;&gt;" in (tmp_path / "report.html").read_text()


def test_launches_go_round_the_sets():
    seen = []
    enqueue, count = measurement.repeat_launches(seen.append, ["a", "b", "c"], seconds=4e-4)
    enqueue()
    assert count == 6 and seen == ["a", "b", "c"] * 2


def test_times_are_summarized_by_their_median():
    assert measurement.summarize([3.0, 1.0, 2.0, 100.0, 2.0])["time_us"] == 2.0


FAKE_DRIVER = """
#include <stdio.h>
#include <string.h>
static FILE *log_file(void) { static FILE *f; if (!f) f = fopen("%s", "w"); return f; }
int cuModuleLoadData(void **module, const void *image) {
  *module = (void *)0x1000;
  return strcmp(image, "cubin") ? 200 : 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = (void *)0x2000;
  return module == (void *)0x1000 && !strcmp(name, "k") ? 0 : 500;
}
int cuGetErrorString(int status, const char **text) { *text = "device kernel image is invalid"; return 0; }
int cuFuncGetAttribute(int *value, int attribute, void *function) { *value = attribute == 1 ? 64 : -1; return 0; }
int cuFuncSetAttribute(void *function, int attribute, int value) {
  fprintf(log_file(), "set %%d %%d\\n", attribute, value);
  return function != (void *)0x2000;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra) {
  fprintf(log_file(), "launch %%u %%u %%u %%u %%u %%u %%u %%p %%d %%g %%p\\n", gx, gy, gz, bx, by, bz, shared,
          stream, *(int *)arguments[0], *(float *)arguments[1], *(void **)arguments[2]);
  fflush(log_file());
  return extra != 0;
}
"""


@pytest.fixture
def driver(tmp_path):
    """The driver module's Driver on a library that logs what it is asked to do."""
    compiler = shutil.which("cc") or shutil.which("clang-22")
    if not compiler:
        pytest.skip("no C compiler")
    (tmp_path / "driver.c").write_text(FAKE_DRIVER % (tmp_path / "log"))
    subprocess.run([compiler, "-shared", "-fPIC", "-o", tmp_path / "driver.so", tmp_path / "driver.c"], check=True)
    return cuda_driver.Driver(str(tmp_path / "driver.so"))


def test_a_cubin_is_launched_with_its_arguments(driver, tmp_path):
    (tmp_path / "k.cubin").write_bytes(b"cubin\0")
    # 64 of the bytes are the binary's own.
    function = cuda_driver.Function(driver, tmp_path / "k.cubin", "k", shared_bytes=65600)
    arguments = [cuda_driver.SCALARS["i32"](7), cuda_driver.SCALARS["f32"](0.5), ctypes.c_void_p(2**40 + 16)]
    function.launch((3, 2, 1), (128, 1, 1), arguments, stream=0xABC0)
    assert (tmp_path / "log").read_text().splitlines() == [
        "set 8 65536", "launch 3 2 1 128 1 1 65536 0xabc0 7 0.5 0x10000000010"]


def test_a_driver_error_says_what_failed(driver, tmp_path):
    (tmp_path / "k.cubin").write_bytes(b"other\0")
    with pytest.raises(cuda_driver.DriverError, match=r"cuModuleLoadData failed: device kernel image is invalid \(200\)"):
        cuda_driver.Function(driver, tmp_path / "k.cubin", "k", 0)
