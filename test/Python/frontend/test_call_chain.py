"""Errors of the compiler in what a script calls: each call that led there is a note, as in errors of the transpiler."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

import numpy as np
import pytest
import tilus
from tilus import float32, int32
from tilus._compiler import ir
from tilus.lang.errors import TilusProgramError


class Deep(tilus.Script):
    def __call__(self, p: ~int32):
        self.attrs.blocks = 1
        self.attrs.warps = 1
        self.outer(p)  # the call in the kernel

    def outer(self, p):
        self.inner(p)  # the call in outer

    def inner(self, p):
        raise NotImplementedError


class TooMuchShared(Deep):
    def inner(self, p):
        tile = self.shared_tensor(dtype=float32, shape=[1024, 1024])  # the place
        self.store_shared(tile, self.register_tensor(dtype=float32, shape=[1024, 1024], init=0.0))
        self.sync()


class OutOfBounds(Deep):
    def inner(self, p):
        view = self.global_view(p, dtype=int32, shape=[64])
        tile = self.load_global(view, offsets=[0], shape=[64])  # the load
        self.store_global(view, tile + tile, offsets=[0])


class NewerTarget(Deep):
    def inner(self, p):
        tile = self.shared_tensor(dtype=int32, shape=[32])
        self.copy_async(self.global_view(p, dtype=int32, shape=[32]), tile, offsets=[0])
        self.copy_async_wait_all()  # the place


def line_of(words):
    text = open(__file__).read().splitlines()
    return next(number for number, line in enumerate(text, 1) if line.endswith("# " + words))


def check_calls(error):
    calls = [note for note in error.notes if note.message.startswith("called from here")]
    assert [(note.message, note.place.line) for note in calls] == [
        ("called from here, in 'outer'", line_of("the call in outer")),
        ("called from here, in '__call__'", line_of("the call in the kernel")),
    ]


@pytest.mark.parametrize("cls, chip, words", [(TooMuchShared, "sm_90", "shared memory"), (NewerTarget, "sm_75", "sm_75")])
def test_errors_of_passes_name_the_calls(cls, chip, words):
    with tilus.target.scope(chip), pytest.raises(TilusProgramError, match=words) as caught:
        cls().compile(None)
    assert caught.value.file == __file__
    check_calls(caught.value)


def test_diagnostics_of_an_operation_name_the_calls():
    """What MLIR's verifier reports, and what the CPU reference does."""
    with pytest.raises(Exception) as caught:
        OutOfBounds()(np.zeros(8, np.int32), device="cpu")
    assert re.search(rf"{line_of('the call in outer')}:\d+: note: called from here, in 'outer'", str(caught.value))
    assert re.search(rf"{line_of('the call in the kernel')}:\d+: note: called from here, in '__call__'", str(caught.value))

    context = ir.Context()
    kernel = ir.Location.name("kernel", context, ir.Location.file("k.py", 9, 1, context))
    caller = ir.Location.callsite(ir.Location.name("helper", context, ir.Location.file("h.py", 5, 1, context)), kernel)
    place = ir.Location.callsite(ir.Location.file("i.py", 2, 3, context), caller)
    operation = ir.Operation.create("tilus.grid_dim", results=[], operands=[], attributes={}, regions=0, loc=place)
    with pytest.raises(ir.MLIRError) as failed:
        operation.verify()
    (found,) = failed.value.diagnostics
    assert (found.file, found.line, found.column) == ("i.py", 2, 3)
    notes = [(note.message, note.file, note.line) for note in found.notes if "called" in note.message]
    assert notes == [("called from here, in 'helper'", "h.py", 5), ("called from here, in 'kernel'", "k.py", 9)]


@pytest.mark.parametrize("chip", ["sm_80", "sm_90a"])
def test_lines_of_calls_are_in_line_tables(chip):
    tilus.option.line_info(True)
    try:
        with tilus.target.scope(chip):
            instance = OutOfBounds().compile(None)
    finally:
        tilus.option.reset("line_info")
    lines = {int(line) for line in re.findall(r"^\s*\.loc\s+\d+ (\d+)", instance.ptx, re.M)}
    assert instance.cubin
    assert line_of("the load") in lines
