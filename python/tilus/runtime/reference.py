# Running scripts on the CPU reference.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU reference behind scripts: arrays of the host in, the same arrays changed."""

from __future__ import annotations

import sys
from typing import Any, Mapping, Sequence

from tilus.runtime.arguments import CPU, describe


def _memory(name: str, obj: Any) -> Any:
    """The address and the bytes of an array's memory."""
    if obj is None:
        return None
    array = describe(obj)
    if array is None or array.device_type not in (CPU, 3):
        raise ValueError(f"expected an array of the host for parameter '{name}' on the CPU reference, but got {type(obj).__name__}"
                         " of a GPU; copy it to the host")  # fmt: skip
    count = 1
    for size in array.shape:
        count *= size
    return array.address, (count * array.bits + 7) // 8


def make_reference(module: Any, target: Any) -> Any:
    """The executable form of a module's kernel."""
    from tilus._compiler import Reference, ir
    from tilus.lang.transpiler.failures import from_diagnostics

    try:
        return Reference(module, target=target.name)
    except ir.MLIRError as error:
        raise from_diagnostics(error.diagnostics, None) from None


def run(reference: Any, names: Sequence[str], arguments: Sequence[Any], pointers: Sequence[bool], hazards: bool) -> None:
    """Executes a kernel with the arguments of its parameters."""
    from tilus._compiler import ir
    from tilus.lang.transpiler.failures import from_diagnostics
    from tilus.runtime.arguments import to_number

    kept = _keep_read_only(names, arguments, pointers)
    values = []
    for name, value, is_pointer in zip(names, arguments, pointers):
        if is_pointer:
            values.append(_memory(name, kept[name][1] if name in kept else value))
        else:
            values.append(value if type(value) in (bool, int, float) else to_number(value))
    try:
        reference.run(values, check_hazards=hazards, output=sys.stdout.write)
    except ir.MLIRError as error:
        raise from_diagnostics(error.diagnostics, None) from None
    for name, (value, copy) in kept.items():
        if value.tobytes() != copy.tobytes():
            raise ValueError(f"expected an array that may be written for parameter '{name}', but got a read-only one, which the"
                             " kernel writes; it is unchanged, pass a copy")  # fmt: skip


def _keep_read_only(names: Sequence[str], arguments: Sequence[Any], pointers: Sequence[bool]) -> dict:
    """Read-only arrays of numpy with the copies that a kernel gets in their place, by parameter."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return {}
    arrays = [(name, value) for name, value, is_pointer in zip(names, arguments, pointers) if is_pointer]
    return {name: (value, value.copy(order="A")) for name, value in arrays
            if isinstance(value, numpy.ndarray) and not value.flags.writeable}  # fmt: skip


def divisible(divisibility: Mapping[str, int]) -> tuple:
    """A key of what parameters are multiples of."""
    return tuple(sorted(divisibility.items()))
