# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A part of what integration_test/chips.py checks: every chip for the small examples, some chips for the matmuls."""

import importlib.util
import os
import pathlib
import struct
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TILUS_BUILD_DIR", ROOT / "build"))
MATMUL_CHIPS = ("sm_80", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_120a")
SMALL = ("vector_add", "histogram", "sum_rows", "transpose_f16")
# Compiled again elsewhere.
REPEATED = SMALL + ("matmul_simple", "matmul_pipelined")


def load_chips():
    spec = importlib.util.spec_from_file_location("chips", ROOT / "integration_test/chips.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["chips"] = module
    spec.loader.exec_module(module)
    return module


chips = load_chips()
KERNELS = {kernel: path for path, kernel in chips.all_kernels()}


def check(cases, repeated, folder, monkeypatch):
    monkeypatch.setenv("PATH", f"{BUILD / 'bin'}{os.pathsep}{os.environ['PATH']}")
    if "expected to find " in chips.tilus_run(KERNELS["vector_add"], ["sm_80"], folder).stderr:
        pytest.skip("no assembler")
    rows, differences = chips.check_all(cases, repeated, folder, os.cpu_count())
    assert not [row for row in rows if row["failures"]] and not differences
    return rows


def test_small_kernels_on_every_chip(tmp_path, monkeypatch):
    cases = [chips.Case(KERNELS[kernel], kernel, chip) for kernel in SMALL for chip in chips.all_chips()]
    rows = check(cases, cases, tmp_path, monkeypatch)
    assert {row["result"] for row in rows} == {"compiled"}


def test_matmuls(tmp_path, monkeypatch):
    kernels = [kernel for kernel in KERNELS if kernel.startswith("matmul")]
    cases = [chips.Case(KERNELS[kernel], kernel, chip) for kernel in kernels for chip in ("sm_75",) + MATMUL_CHIPS]
    repeated = [case for case in cases if case.kernel in REPEATED and case.chip in ("sm_80", "sm_90a")]
    rows = check(cases, repeated, tmp_path, monkeypatch)
    refused = {(row["kernel"], row["chip"]) for row in rows if row["result"] == "refused"}
    assert refused == {(case.kernel, case.chip) for case in cases if chips.expected_refusal(case)}
    assert len(rows) - len(refused) == 30


def test_architecture_is_read_by_version_of_the_abi():
    def header(abi, flags):
        return b"\x7fELF\x02\x01\x01\x41" + bytes([abi]) + bytes(9) + struct.pack("<H", 190) + bytes(28) + \
            struct.pack("<I", flags) + bytes(12)

    assert chips.read_architecture(header(8, 0x06005A04)) == 90
    assert chips.read_architecture(header(7, 0x005A055A)) == 90
    assert chips.read_architecture(b"") is None


class Stream(list):
    """What is written, piece by piece; a terminal or none."""

    def __init__(self, is_terminal):
        self.is_terminal = is_terminal

    def isatty(self):
        return self.is_terminal

    write = list.append

    def flush(self):
        pass


def test_progress_is_told(monkeypatch):
    clock = iter(range(0, 100, 10))
    monkeypatch.setattr(chips.time, "monotonic", lambda: next(clock))
    log, terminal = Stream(False), Stream(True)
    assert list(chips.Progress(3, "cases", log, seconds=15).follow("abc")) == ["a", "b", "c"]
    assert "".join(log) == "2 of 3 cases\n"
    assert list(chips.Progress(3, "cases", terminal).follow("abc")) == ["a", "b", "c"]
    assert "".join(terminal) == "\r1 of 3 cases\r2 of 3 cases\r3 of 3 cases\n"
