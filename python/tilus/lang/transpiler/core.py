# The transpiler: walks the syntax tree of a script and executes it on values that stand for run time.
#
# Owns the calls that are under way (activations), which function handles which node, and that every failure becomes an
# error at the user's line. What nodes mean is in statements.py, loops.py, expressions.py, logic.py and calls.py.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The transpiler's core."""

from __future__ import annotations

import ast
from typing import Any, Callable, Optional

from tilus.lang.builder import Builder, Group
from tilus.lang.errors import InstructionError, Note, Place, TilusProgramError, is_trace_wanted
from tilus.lang.frames import UNSET, Cell
from tilus.lang.scalars import Constant, Scalar
from tilus.lang.scopes import Scope
from tilus.lang.source import Source, place_of

EVALUATE: dict = {}
EXECUTE: dict = {}

MAX_DEPTH = 100


def evaluates(*types: type) -> Callable:
    """Registers the function that evaluates nodes of these types."""

    def register(function: Callable) -> Callable:
        EVALUATE.update(dict.fromkeys(types, function))
        return function

    return register


def executes(*types: type) -> Callable:
    """Registers the function that executes statements of these types."""

    def register(function: Callable) -> Callable:
        EXECUTE.update(dict.fromkeys(types, function))
        return function

    return register


class Jump:
    """Whether the code that follows is executed: a cell of a Python bool, or of a boolean scalar."""

    __slots__ = ("cell", "group")

    def __init__(self, builder: Builder, what: str):
        self.cell = Cell(builder, True, what)
        self.group = builder.group

    @property
    def live(self) -> Any:
        return self.cell.content

    def leave(self) -> None:
        """What follows is not executed."""
        self.cell.content = False

    def make_runtime(self) -> None:
        """A loop of run time may change it."""
        content = self.cell.content
        if isinstance(content, bool):
            from tilus.dtypes import boolean

            self.cell.content = Scalar(self.cell.builder.constant(content, boolean), boolean, True)


class LoopState:
    """A loop that is transpiled: its round (left by continue and break) and itself (left by break)."""

    __slots__ = ("round", "loop")

    def __init__(self, loop: Jump):
        self.loop = loop
        self.round: Optional[Jump] = None


class Activation:
    """A call of a function that is transpiled."""

    def __init__(self, source: Source, builder: Builder, is_kernel: bool = False, parent: Optional[Scope] = None):
        self.source = source
        self.scope = Scope()
        self.enclosing = parent
        self.loops: list = []
        self.is_kernel = is_kernel
        self.function = Jump(builder, f"whether '{source.node_name}' has returned")
        self.result = Cell(builder, UNSET, f"the result of '{source.node_name}'")
        self.self_object: Any = None
        self.call_place: Optional[Place] = None

    def current_jump(self) -> Jump:
        """What decides whether the next statement is executed."""
        return self.loops[-1].round if self.loops else self.function


class Transpiler:
    """Transpiles functions into the builder's block."""

    def __init__(self, builder: Builder):
        self.builder = builder
        self.activations: list = []
        self.script: Any = None
        # Lists and dicts that the script made, and the frames in which it did.
        self._made: dict = {}

    @property
    def activation(self) -> Activation:
        return self.activations[-1]

    @property
    def scope(self) -> Scope:
        return self.activations[-1].scope

    # -- places and failures

    def place(self, node: ast.AST) -> Place:
        return place_of(node, self.activation.source.file)

    def here(self, node: ast.AST) -> None:
        """Operations that follow stand for the node."""
        self.builder.place = place_of(node, self.activations[-1].source.file)

    def failure(self, error: BaseException, node: ast.AST) -> TilusProgramError:
        """An error at a node."""
        from tilus.lang.transpiler.failures import explain

        message, advice, notes = explain(error)
        calls = [
            Note(f"called from here, in '{caller.source.node_name}'", call.call_place)
            for caller, call in zip(reversed(self.activations[:-1]), reversed(self.activations[1:]))
            if call.call_place is not None
        ]
        return TilusProgramError(message, self.place(node), advice, (*notes, *calls))

    @staticmethod
    def cause(error: BaseException) -> Optional[BaseException]:
        """The exception to show below an error: none, unless TILUS_TRACEBACK asks for the trace of this package."""
        return error if is_trace_wanted() else None

    # -- dispatch

    def evaluate(self, node: ast.AST) -> Any:
        """The value of an expression."""
        try:
            return EVALUATE[type(node)](self, node)
        except TilusProgramError:
            raise
        except Exception as error:
            raise self.failure(self._missing(node, error), node) from self.cause(error)

    def execute(self, node: ast.AST) -> None:
        """Executes a statement."""
        try:
            EXECUTE[type(node)](self, node)
        except TilusProgramError:
            raise
        except Exception as error:
            raise self.failure(self._missing(node, error), node) from self.cause(error)

    def _missing(self, node: ast.AST, error: Exception) -> Exception:
        if isinstance(error, KeyError) and type(node) not in EVALUATE and type(node) not in EXECUTE:
            from tilus.lang.transpiler.failures import unsupported

            return unsupported(node)
        return error

    def block(self, statements: list) -> None:
        """Executes statements up to the first jump; what follows a jump that run time decides is executed unless it
        jumped."""
        for index, statement in enumerate(statements):
            self.execute(statement)
            jump = self.activation.current_jump()
            live = jump.live
            if live is True:
                continue
            rest = statements[index + 1 :]
            if rest and live is not False:
                self.here(rest[0])
                self._unless_jumped(jump, live, rest)
            return

    def _unless_jumped(self, jump: Jump, live: Scalar, rest: list) -> None:
        from tilus.lang.control_flow import Branches

        branches = Branches(live.value, "code behind a jump")
        names = []
        place = self.place(rest[0])
        for index in (0, 1):
            before = self.scope.names
            self.scope.names = dict(before)
            with branches.side(index):
                jump.cell.content = index == 0
                if index == 0:
                    self.activation.result.content = UNSET  # nothing was returned if this is executed
                    self.block(rest)
            names.append(self.scope.names)
            self.scope.names = before
        # Behind a jump nothing else of this block is executed, so names need no value there.
        branches.skipped[1] = True
        self.scope.join(branches, names, "code that a jump may skip", place)

    def note_attribute(self, name: str, value: Any) -> None:
        """`self.attrs.name = value` was executed."""
        if self.builder.frame.parent is not None:
            raise InstructionError(
                f"expected self.attrs.{name} to be set where no branch or loop of run time is around, but got it in "
                f"{self.builder.frame.what}",
                "set it at the start of the kernel; a conditional expression chooses among values",
            )
        if name == "blocks":
            self.builder.blocks_place = self.builder.place
        elif name == "warps":
            if self.builder.group is not None and self.builder.group.count != 32 * int(value):
                raise InstructionError("expected self.attrs.warps to be set once, but it is changed", "set it once, at the start")
            self.builder.group = self.builder.group or Group(0, 32 * int(value))

    # -- containers of Python

    def made(self, container: Any) -> Any:
        """Notes that the script made a list or a dict here."""
        self._made[id(container)] = (container, self.builder.frame)
        return container

    def check_host_change(self, container: Any, what: str) -> None:
        """Raises if a list or a dict is changed where run time decides whether or how often."""
        frame = self.builder.frame
        home = self._made.get(id(container), (None, None))[1]
        if frame.parent is not None and home is not frame:
            raise InstructionError(
                f"expected objects of Python to change where no branch or loop of run time is around, but {what} in "
                f"{frame.what}",
                "make it inside of the branch or loop, keep the values in a tile, or derive its class from tilus.Class",
            )

    def error(self, node: ast.AST, message: str, advice: Optional[str] = None) -> TilusProgramError:
        return self.failure(InstructionError(message, advice), node)


def is_runtime(value: Any) -> bool:
    """Whether a value is a scalar of run time."""
    return isinstance(value, Scalar) and not isinstance(value, Constant)
