# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes random programs of integers: loops, branches, jumps, returns, calls, conditions, in any nesting.

The text of a program is the methods of a class, of which `program(a, b)` is to be called; it ends for all arguments, and
its variables stay small.
"""

import random

VARIABLES = ("x0", "x1", "x2", "x3")


class Writer:
    """Writes one program, the same for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.loops = 0

    def write(self, level, text):
        self.lines.append("    " * level + text)

    # -- expressions

    def expression(self, names, depth=0):
        kind = self.random.randrange(12 if depth < 3 else 3)
        if kind == 0:
            return str(self.random.randrange(-9, 20))
        if kind <= 2:
            return self.random.choice(names)
        a, b = self.expression(names, depth + 1), self.expression(names, depth + 1)
        if kind == 5:
            return f"({a} % 50 * ({b} % 7))"
        if kind == 6:
            return f"({a} // {self.random.choice([-5, -2, 2, 3, 4, 7, 8])})"
        if kind == 7:
            return f"({a} % {self.random.choice([-6, -4, 2, 3, 4, 5, 8])})"
        if kind == 8:
            return f"({a} if {self.condition(names, depth + 1)} else {b})"
        if kind == 9:
            return f"{self.random.choice(['min', 'max'])}({a}, {b})"
        if kind == 10:
            return f"abs({a})"
        return f"({a} {self.random.choice('+-&|^')} {b})"

    def condition(self, names, depth=0):
        kind = self.random.randrange(6 if depth < 3 else 2)
        if kind == 3:
            word = self.random.choice(["and", "or"])
            return f"({self.condition(names, depth + 1)} {word} {self.condition(names, depth + 1)})"
        if kind == 4:
            return f"not ({self.condition(names, depth + 1)})"
        a, b = self.expression(names, depth + 1), self.expression(names, depth + 1)
        chain = f" < {self.expression(names, depth + 1)}" if kind == 5 else ""
        return f"{a} {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} {b}{chain}"

    # -- statements

    def block(self, level, names, in_loop, helpers):
        for _ in range(self.random.randrange(1, 5)):
            kind = self.random.randrange(13)
            if kind <= 4 or level > 5:
                name = self.variable(names)
                self.write(level, f"{name} = ({self.expression(names)}) % 1000 - {self.random.randrange(300)}")
            elif kind <= 6:
                self.branches(level, names, in_loop, helpers)
            elif kind <= 8:
                self.for_loop(level, names, in_loop, helpers)
            elif kind == 9:
                self.while_loop(level, names, helpers)
            elif kind == 10:
                jump = self.random.choice(["break", "continue"]) if in_loop else f"return {self.expression(names)}"
                self.write(level, f"if {self.condition(names)}:")
                self.write(level + 1, self.random.choice([jump, f"return {self.expression(names)}"]))
            elif kind == 11 and helpers:
                call = f"self.h{self.random.randrange(helpers)}({self.expression(names)} % 40, {self.expression(names)} % 30)"
                self.write(level, f"{self.variable(names)} = {call} % 500")
            else:
                name, other = self.variable(names), self.variable(names)
                self.write(level, f"{name}, {other} = {other}, {name}")
                self.write(level, f"{name} {self.random.choice(['+=', '-=', '^='])} ({self.expression(names)}) % 100")

    def variable(self, names):
        return self.random.choice([name for name in names if name in VARIABLES])

    def branches(self, level, names, in_loop, helpers):
        self.write(level, f"if {self.condition(names)}:")
        self.block(level + 1, names, in_loop, helpers)
        if self.random.random() < 0.3:
            self.write(level, f"elif {self.condition(names)}:")
            self.block(level + 1, names, in_loop, helpers)
        if self.random.random() < 0.5:
            self.write(level, "else:")
            self.block(level + 1, names, in_loop, helpers)

    def for_loop(self, level, names, in_loop, helpers):
        self.loops += 1
        pick, e = self.random.randrange, self.expression(names)
        bounds = self.random.choice([
            f"{pick(6)}", f"abs({e}) % 6", f"{pick(-3, 3)}, {e} % 7", f"{pick(5)}, {pick(12)}, {pick(1, 4)}",
            f"{pick(4, 9)}, {e} % 5, -{pick(1, 4)}", f"{e} % 4, 5, {e} % 3 + 1",
        ])  # fmt: skip
        iterable = f"(2, {e})" if level < 4 and self.random.random() < 0.2 else f"range({bounds})"
        self.write(level, f"for i{self.loops} in {iterable}:")
        self.block(level + 1, [*names, f"i{self.loops}"], True, helpers)
        if self.random.random() < 0.2:
            self.write(level, "else:")
            self.block(level + 1, names, in_loop, helpers)

    def while_loop(self, level, names, helpers):
        self.loops += 1
        name = f"w{self.loops}"
        self.write(level, f"{name} = 0")
        self.write(level, f"while {name} < {self.expression(names)} % 6 and {self.condition(names)}:")
        self.write(level + 1, f"{name} += 1")
        self.block(level + 1, [*names, name], True, helpers)

    def method(self, name, count, helpers):
        self.write(1, f"def {name}(self, a, b):")
        starts = ["a", "b", str(self.random.randrange(10)), "a * 2 - b"]
        for variable, start in zip(VARIABLES[:count], starts):
            self.write(2, f"{variable} = {start}")
        names = ["a", "b", *VARIABLES[:count]]
        for _ in range(count - 2):
            self.block(2, names, False, helpers)
        self.write(2, "return x0 + 3 * x1 - x2")


def program(seed):
    """The methods of a program."""
    writer = Writer(seed)
    writer.method("h0", 3, 0)
    writer.method("h1", 3, 1)
    writer.method("program", 4, 2)
    return "\n".join(writer.lines)
