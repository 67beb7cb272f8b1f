# Matrix products of register tiles.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dot."""

from __future__ import annotations

from typing import Optional

from tilus.dtypes import DataType, float16, float32, float64, int32, tf32
from tilus.lang.emit import UNIT, constant, emit, tile_type
from tilus.lang.errors import InstructionError
from tilus.lang.instructions.base import InstructionGroup, check_dtype, check_tile, finish
from tilus.lang.tensors import RegisterTensor
from tilus.lang.tile_ops import cast_value


class MatrixInstructions(InstructionGroup):
    """Matrix products."""

    def dot(
        self, a: RegisterTensor, b: RegisterTensor, c: Optional[RegisterTensor] = None, /, *,
        acc_dtype: Optional[DataType] = None, out: Optional[RegisterTensor] = None,
    ) -> RegisterTensor:  # fmt: skip
        """a[m, k] · b[k, n] + c[m, n], for any sizes; c is zero if absent, and then acc_dtype is needed.

        Operands are floats of one type or of 8 bits each, summed in a float at least as wide (float32 for tf32), or
        integers of 8 bits of any signs, or of 32, summed in int32. float32 operands are multiplied in full.
        """
        for tile, name in ((a, "a"), (b, "b")):
            if check_tile(tile, name).ndim != 2:
                raise InstructionError(f"expected {name} of rank 2, but got shape {tile.shape}")
        if a.shape[1] != b.shape[0]:
            raise InstructionError(f"expected a and b that agree on k, but got {a.shape} and {b.shape}")
        dtype = _accumulator(c, acc_dtype, out)
        _check_types(a.dtype, b.dtype, dtype)
        shape = (a.shape[0], b.shape[1])
        type_ = tile_type(dtype, shape)
        if c is None:
            acc = emit("tilus.broadcast", [constant(0.0 if dtype.is_float() else 0, dtype)], type_)
        elif check_tile(c, "c").shape != shape:
            raise InstructionError(f"expected c of shape {shape}, but got {c.shape}")
        else:
            acc = cast_value(c.value, c.dtype, dtype)
        attributes = {}
        for tile, name in ((a, "unsigned_a"), (b, "unsigned_b")):
            if tile.dtype.is_integer() and tile.dtype.is_unsigned() and tile.dtype.nbits == 8:
                attributes[name] = UNIT
        return finish(emit("tilus.mma", [a.value, b.value, acc], type_, **attributes), dtype, out)


def _accumulator(c: Optional[RegisterTensor], acc_dtype: Optional[DataType], out: Optional[RegisterTensor]) -> DataType:
    if acc_dtype is not None:
        return check_dtype(acc_dtype, "acc_dtype")
    if c is not None:
        return check_tile(c, "c").dtype
    if out is not None:
        return check_tile(out, "out").dtype
    raise InstructionError("expected c or acc_dtype, but got neither", "pass acc_dtype=float32, or an accumulator as third operand")


def _check_types(a: DataType, b: DataType, acc: DataType) -> None:
    wide = acc in (float16, float32, float64) or acc.name == "bfloat16"
    if a.is_float() and b.is_float():
        bits = 19 if a is tf32 else a.nbits
        is_same_kind = a is b or a.nbits == b.nbits == 8
        if is_same_kind and wide and a.nbits >= 8 and bits <= acc.nbits:
            return
    elif a.is_integer() and b.is_integer():
        is_pair = (a.nbits == b.nbits == 8 and not (a.is_boolean() or b.is_boolean())) or (a is b and a.nbits == 32)
        if is_pair and acc.nbits == 32 and acc.is_integer():
            return
    raise InstructionError(
        f"expected floats of one type (or of 8 bits each) summed in a float at least as wide, or integers of 8 or 32 bits "
        f"summed in {int32.name}, but got {a.name} · {b.name} in {acc.name}",
        "convert the operands with .to(…), or choose another acc_dtype",
    )
