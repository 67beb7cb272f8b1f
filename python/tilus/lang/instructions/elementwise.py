# Elementwise instructions on register tiles.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of each element, choices between elements, and assignment."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

from tilus.dtypes import DataType, boolean
from tilus.lang import tile_ops
from tilus.lang.emit import emit, tile_type
from tilus.lang.errors import InstructionError
from tilus.lang.index_tiles import index_tile
from tilus.lang.instructions.base import InstructionGroup, check_dtype, check_tile, finish
from tilus.lang.scalars import Scalar, common_type, host_number
from tilus.lang.tensors import RegisterTensor

Operand = Union[RegisterTensor, Scalar, int, float, bool]
Init = Union[None, Scalar, int, float, bool, Callable]


def _unary(name: str, doc: str) -> Callable:
    def instruction(self: Any, x: RegisterTensor, *, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        check_tile(x, "x")
        return finish(tile_ops.unary_value(name, x), x.dtype, out)

    instruction.__name__ = name
    instruction.__doc__ = doc
    return instruction


def _predicate(name: str, doc: str) -> Callable:
    def instruction(self: Any, x: RegisterTensor, *, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        check_tile(x, "x")
        return finish(tile_ops.predicate_value(name, x), boolean, out)

    instruction.__name__ = name
    instruction.__doc__ = doc
    return instruction


def _two_tiles(name: str, op: str, doc: str) -> Callable:
    def instruction(self: Any, lhs: Operand, rhs: Operand, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        if not isinstance(lhs, RegisterTensor) and not isinstance(rhs, RegisterTensor):
            raise InstructionError(f"expected a register tile as lhs or rhs of {name}, but got two scalars", "use the operators on scalars")
        value, dtype, _ = tile_ops.binary_value(op, lhs, rhs)
        return finish(value, dtype, out)

    instruction.__name__ = name
    instruction.__doc__ = doc
    return instruction


class ElementwiseInstructions(InstructionGroup):
    """Instructions on each element of register tiles."""

    abs = _unary("abs", "The magnitude of each element.")
    exp = _unary("exp", "e to the power of each element.")
    exp2 = _unary("exp2", "2 to the power of each element.")
    log = _unary("log", "The natural logarithm of each element.")
    log2 = _unary("log2", "The logarithm to base 2 of each element.")
    sin = _unary("sin", "The sine of each element, in radians.")
    cos = _unary("cos", "The cosine of each element, in radians.")
    tanh = _unary("tanh", "The hyperbolic tangent of each element.")
    erf = _unary("erf", "The error function of each element.")
    round = _unary("round", "Each element rounded to a whole number, halves to even.")
    floor = _unary("floor", "Each element rounded down to a whole number.")
    ceil = _unary("ceil", "Each element rounded up to a whole number.")
    trunc = _unary("trunc", "Each element without its fraction.")
    square = _unary("square", "Each element times itself.")
    sqrt = _unary("sqrt", "The square root of each element.")
    rsqrt = _unary("rsqrt", "1 over the square root of each element.")
    isnan = _predicate("isnan", "Which elements are NaN.")
    isinf = _predicate("isinf", "Which elements are infinite.")
    add = _two_tiles("add", "add", "The sums of two tiles, or of a tile and a scalar.")
    maximum = _two_tiles("maximum", "max", "The larger of each two elements; NaN if one is.")
    minimum = _two_tiles("minimum", "min", "The smaller of each two elements; NaN if one is.")

    def register_tensor(self, *, dtype: DataType, shape: Sequence[int], init: Init = None) -> RegisterTensor:
        """A new tile. `init` is a number, a scalar, or a function of the indices; without it the elements are zero.

        A function gets one tile of indices (int32) for each dimension, and what it returns is converted to `dtype`.
        """
        check_dtype(dtype)
        shape = tile_ops.check_shape(shape)
        if callable(init) and not isinstance(init, (RegisterTensor, Scalar)):
            init = init(*(index_tile(dim, shape) for dim in range(len(shape))))
        if isinstance(init, RegisterTensor):
            if tile_ops.broadcast_shapes(init.shape, shape) != shape:
                raise InstructionError(f"expected an init that stretches to {shape}, but got shape {init.shape}")
        return RegisterTensor(tile_ops.converted_operand(0 if init is None else init, dtype, shape, "init"), dtype)

    def assign(self, dst: RegisterTensor, src: Operand) -> None:
        """Replaces the elements of `dst` with those of `src`."""
        check_tile(dst, "dst").assign(src)

    def cast(self, x: RegisterTensor, dtype: DataType) -> RegisterTensor:
        """The elements converted to a type, as `x.to(dtype)`."""
        return check_tile(x, "x").to(check_dtype(dtype))

    def clip(self, x: RegisterTensor, min: Operand, max: Operand, *, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """The elements, at least `min` and then at most `max`; NaN stays NaN."""
        check_tile(x, "x")
        value, dtype, _ = tile_ops.binary_value("max", x, min)
        value, dtype, _ = tile_ops.binary_value("min", RegisterTensor(value, dtype), max)
        return finish(value, dtype, out)

    def where(self, condition: Any, x: Operand, y: Operand, *, out: Optional[RegisterTensor] = None) -> RegisterTensor:
        """The elements of `x` where `condition` is true, else those of `y`; the three stretch to one shape."""
        condition = tile_ops.check_operand(condition, "condition")
        if getattr(condition, "dtype", boolean) is not boolean:
            raise InstructionError(f"expected booleans as condition, but got {condition.dtype.name}", "compare it with 0")
        x, y = tile_ops.check_operand(x, "x"), tile_ops.check_operand(y, "y")
        operands = (condition, x, y)
        shape = tile_ops.broadcast_shapes(*(o.shape for o in operands if isinstance(o, RegisterTensor)))
        dtype = _common_dtype(x, y)
        mask = tile_ops.operand_value(condition, boolean, shape)
        values = [tile_ops.operand_value(o, dtype, shape) for o in (x, y)]
        return finish(emit("arith.select", [mask, *values], tile_type(dtype, shape)), dtype, out)


def _common_dtype(x: Operand, y: Operand) -> DataType:
    if isinstance(x, RegisterTensor) or isinstance(y, RegisterTensor):
        return tile_ops.combined_dtype(x, y, "where")
    if host_number(x) is not None and host_number(y) is not None:
        kinds = {type(x), type(y)}
        return boolean if kinds == {bool} else tile_ops.float32 if float in kinds else common_type(x, y)
    return common_type(x, y)
