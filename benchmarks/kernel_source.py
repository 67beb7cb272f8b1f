# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels as text: finds the kernels of a .mlir file, their parameters and their bodies.

Owns what the benchmarks need to know of the syntax: names, parameters, and the renaming of values, so that a kernel
can be copied and its body repeated. It does not check the text; tilus-opt does.
"""

import dataclasses
import re

OPENING, CLOSING = "([{<", ")]}>"
IDENTIFIER = re.compile(r"%([A-Za-z0-9_$.-]+)")
# What begins an op: its name, at the start of a line or behind `=`. Block and kernel terminators that are not
# printed do not count.
OP_NAME = re.compile(r"(?m)(?:^\s*|=\s*)([a-z_]+\.[a-z_][a-z_0-9.]*)\b")


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A kernel's parameter. `element` is the element type of a pointer and None for a scalar."""

    name: str
    type: str

    @property
    def element(self):
        match = re.fullmatch(r"!tilus\.ptr<(.+)>", self.type)
        return match.group(1) if match else None


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One kernel of a text. `text` is all of it; `body` is what stands between the braces of its body."""

    name: str
    parameters: tuple
    text: str
    body: str

    def count_ops(self):
        """The ops of the body."""
        return len(OP_NAME.findall(self.body))

    def renamed(self, name):
        """The text of the same kernel under another name."""
        return re.sub(rf"(tilus\.kernel\s+)@{re.escape(self.name)}(?=\W)", rf"\1@{name}", self.text, count=1)

    def repeated(self, count):
        """The text of the kernel with its body `count` times in a row, each with its own values."""
        parameters = {parameter.name for parameter in self.parameters}

        def copy(index):
            return IDENTIFIER.sub(
                lambda match: match.group() if match.group(1) in parameters else f"%copy{index}_{match.group(1)}",
                self.body)

        head = self.text[: len(self.text) - len(self.body) - 1]
        return head + "".join(copy(index) for index in range(count)) + "}"


def without_comments(text):
    """The text without `//` comments, strings kept."""
    return re.sub(r'"(?:[^"\\]|\\.)*"|//[^\n]*',
                  lambda match: match.group() if match.group().startswith('"') else "", text)


def matching_end(text, start):
    """The offset of the bracket that closes the one at `start`; `->` closes nothing."""
    depth = 0
    for position in range(start, len(text)):
        character = text[position]
        if character in OPENING:
            depth += 1
        elif character in CLOSING and not (character == ">" and text[position - 1] == "-"):
            depth -= 1
            if depth == 0:
                return position
    raise ValueError(f"expected a bracket that closes {text[start:start + 40]!r}, but got the end of the text")


def split_top_level(text):
    """The parts between the commas that no bracket encloses."""
    parts, depth, begin = [], 0, 0
    for position, character in enumerate(text):
        if character in OPENING:
            depth += 1
        elif character in CLOSING and text[position - 1] != "-":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[begin:position])
            begin = position + 1
    parts.append(text[begin:])
    return [part.strip() for part in parts if part.strip()]


def parse_parameter(text):
    match = re.match(r"%([\w$.-]+)\s*:\s*(.+)", text, re.DOTALL)
    if not match:
        raise ValueError(f"expected a parameter '%name: type', but got {text!r}")
    name, type_text = match.groups()
    if "{" in type_text:
        type_text = type_text[: type_text.index("{")]
    return Parameter(name, type_text.strip())


def find_kernels(text):
    """The kernels of a file's text, in order."""
    text = without_comments(text)
    kernels = []
    for match in re.finditer(r"tilus\.kernel\s+@([\w$.-]+)\s*\(", text):
        opening = match.end() - 1
        closing = matching_end(text, opening)
        parameters = tuple(parse_parameter(part) for part in split_top_level(text[opening + 1 : closing]))
        grid = re.compile(r"\bgrid\s*(?=\{)").search(text, closing)
        body = text.index("{", matching_end(text, grid.end()) + 1)
        end = matching_end(text, body)
        kernels.append(Kernel(match.group(1), parameters, text[match.start() : end + 1], text[body + 1 : end]))
    return kernels
