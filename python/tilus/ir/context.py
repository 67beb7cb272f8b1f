"""The builder that operations go to: the current one of a thread or task."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import contextvars

_current = contextvars.ContextVar("tilus_builder")


def current_builder():
    """The builder of the innermost `use_builder`.

    A builder has the attributes `context` (an ir.Context) and `location` (the ir.Location of operations that
    name none), and a method `insert(operation)`.
    """
    try:
        return _current.get()
    except LookupError:
        raise RuntimeError(
            "expected a builder to put operations in, but got none: operations are made inside of a kernel"
        ) from None


@contextlib.contextmanager
def use_builder(builder):
    """Makes the builder the current one."""
    token = _current.set(builder)
    try:
        yield builder
    finally:
        _current.reset(token)


class BlockBuilder:
    """The plainest builder: puts operations at the end of a block."""

    def __init__(self, block, location):
        self.block = block
        self.location = location
        self.context = location.context

    def insert(self, operation):
        self.block.append(operation)
