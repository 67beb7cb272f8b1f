# Printing from kernels, and checks of constants.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""printf, print_tensor and static_assert."""

from __future__ import annotations

import re
from typing import Any, Optional

from tilus.dtypes import DataType, float32, float64, int32, int64
from tilus.lang.emit import emit, int_list, perform, string, tile_type
from tilus.lang.errors import InstructionError
from tilus.lang.instructions.base import InstructionGroup
from tilus.lang.memory_tensors import GlobalTensor, SharedTensor, pointer_value
from tilus.lang.scalars import Constant, Pointer, Scalar, as_scalar, describe, host_number
from tilus.lang.tensors import RegisterTensor
from tilus.lang.tile_ops import cast_value

_CONVERSION = re.compile(r"%(?P<flags>[-+ #0]*)(?P<width>[0-9]*)(?P<precision>(?:\.[0-9]*)?)(?P<length>(?:hh|h|ll|l|z|j|t)?)(?P<letter>.)", re.S)


class PrintInstructions(InstructionGroup):
    """Output of a running kernel. One thread of the current group prints."""

    def printf(self, fstring: str, *args: Any) -> None:
        """Prints scalars by a format of C's printf; texts and numbers known at compile time may be among them."""
        if not isinstance(fstring, str):
            raise InstructionError(f"expected a format, but got {describe(fstring)}", 'printf("i = %d\\n", i)')
        found = [m for m in _CONVERSION.finditer(fstring) if m["letter"] != "%"]
        if len(found) != len(args):
            raise InstructionError(f"expected one argument for each of the {len(found)} conversions of the format, but got {len(args)}")
        rest = iter(args)
        operands: list = []

        def replace(match: re.Match) -> str:
            if match["letter"] == "%":
                return "%%"
            text, operand = _convert(match, next(rest))
            operands.extend([] if operand is None else [operand])
            return text

        text = _CONVERSION.sub(replace, fstring)
        perform("tilus.printf", operands, format=string(text))

    def print_tensor(self, msg: str, tensor: Any, fmt: Optional[str] = None) -> None:
        """Prints a message and all elements of a tensor in the order of their indices. `fmt` is accepted, but numbers are
        printed in full."""
        if not isinstance(msg, str):
            raise InstructionError(f"expected a text as msg, but got {describe(msg)}")
        if fmt is not None and not isinstance(fmt, str):
            raise InstructionError(f"expected a format as fmt, but got {describe(fmt)}")
        value = _printed(tensor)
        perform("tilus.print", [_as_signed(value, tensor.dtype)], message=string(msg.replace("%", "")))

    @staticmethod
    def static_assert(cond: Any, msg: str = "") -> None:
        """Checks a condition when the script is transpiled."""
        if type(cond) is Scalar or isinstance(cond, RegisterTensor):
            raise InstructionError("expected a condition known at compile time, but got a value of run time", "use assert for those")
        if not cond:
            raise InstructionError(f"static_assert: {msg}" if msg else "static_assert: the condition does not hold")


def _convert(match: re.Match, argument: Any) -> tuple:
    """A conversion as the kernel prints it, and its operand; a text without one if the argument is known."""
    flags, width, precision, letter = (match[part] for part in ("flags", "width", "precision", "letter"))
    if isinstance(argument, RegisterTensor):
        argument = argument.item()
    if letter == "s":
        if isinstance(argument, (Scalar, RegisterTensor)) and not isinstance(argument, Constant):
            raise InstructionError("expected a text for '%s', but got a value of run time", "use %d, %u, %x, %f, %g or %p")
        return (f"%{flags}{width}{precision}s" % str(argument)).replace("%", "%%"), None
    if letter == "p":
        if not isinstance(argument, Pointer):
            raise InstructionError(f"expected a pointer for '%p', but got {describe(argument)}")
        return f"%{flags}{width}p", pointer_value(argument, argument.dtype.base_type)
    if isinstance(argument, Pointer) or (not isinstance(argument, Scalar) and host_number(argument) is None):
        raise InstructionError(f"expected a number for '%{letter}', but got {describe(argument)}")
    scalar = as_scalar(argument)
    if letter in "fFeEgGaA":
        if scalar.dtype.is_integer():
            raise InstructionError(f"expected a float for '%{letter}', but got {describe(argument)}", "use %d, or convert it to float32")
        return f"%{flags}{width}{precision}{letter}", scalar.to(float64 if scalar.dtype is float64 else float32).value
    if letter not in "diuoxXc":
        raise InstructionError(f"expected a conversion that ends in one of 'diuoxXcfFeEgGaAps', but got '{match[0]}'")
    if scalar.dtype.is_float():
        raise InstructionError(f"expected an integer for '%{letter}', but got {describe(argument)}", "use %f or %g")
    if scalar.dtype.nbits > 32:
        return f"%{flags}{width}{precision}ll{letter}", scalar.value
    return f"%{flags}{width}{precision}{letter}", scalar.to(int32).value


def _as_signed(value: Any, dtype: DataType) -> Any:
    """The value in a type whose numbers are printed as those of the tensor's type."""
    if dtype.is_boolean() or not (dtype.is_integer() and dtype.is_unsigned()):
        return value
    if dtype.nbits == 64:
        raise InstructionError("expected elements of other types than uint64 to print, but got these", "print self.view(tile, dtype=int64)")
    return cast_value(value, dtype, int32 if dtype.nbits < 32 else int64)


def _printed(tensor: Any) -> Any:
    """The value of a tensor in registers, loaded if need be."""
    if isinstance(tensor, RegisterTensor):
        return tensor.value
    if isinstance(tensor, SharedTensor):
        return emit("tilus.load_shared", [tensor.value], tile_type(tensor.dtype, tensor.shape))
    if not isinstance(tensor, GlobalTensor):
        raise InstructionError(f"expected a tensor to print, but got {describe(tensor)}", "use printf for scalars")
    if any(not isinstance(size, int) for size in tensor.shape):
        raise InstructionError(
            "expected a tensor whose shape is known at compile time to print, but got one of sizes of run time", "load a tile of it and print that"
        )
    operands, dims = tensor.access([0] * tensor.ndim, range(tensor.ndim))
    return emit("tilus.load_global", operands, tile_type(tensor.dtype, tensor.shape), dims=int_list(dims))
