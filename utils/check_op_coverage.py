#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every op of the dialect is complete: documented, tested, ruled, lowered and executable.

Reads the op definitions as JSON from llvm-tblgen, and the tests and sources as text. An op is complete with

  summary       a one-line summary
  description   a description with exactly one ```mlir block
  round-trip    a use of 'tilus.<mnemonic>' in a test/IR/*.mlir that is not *-invalid.mlir
  invalid       a use in a test/IR/*-invalid.mlir
  layout        a trait or interface named LayoutOpInterface... or Tilus_Layout...
  target        a trait or interface named ...TargetRequirement...
  lowering      a mention of its C++ class in lib/Conversion/TilusToNVVM
  reference     a mention of its C++ class in lib/Reference

Mentions in comments do not count. utils/op_coverage_exceptions.txt lists ops that a pass removes before the
lowering; that pass must exist and mention the op. With --extract, writes the mlir blocks to files.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import source_text

OP_CLASS = "Tilus_Op"
UMBRELLA = "include/Tilus/IR/Tilus.td"
EXCEPTIONS_FILE = "utils/op_coverage_exceptions.txt"
MLIR_BLOCK = re.compile(r"^[ \t]*```mlir[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)


def load_records(root):
    """The records of the dialect's definitions. Exits with the message of llvm-tblgen if they do not parse."""
    umbrella = pathlib.Path(root) / UMBRELLA
    if not umbrella.is_file():
        sys.exit(f"expected the op definitions in '{UMBRELLA}', but got no such file")
    include = subprocess.run(["llvm-config-22", "--includedir"], capture_output=True, text=True, check=True)
    command = ["llvm-tblgen-22", "--dump-json", f"-I{pathlib.Path(root) / 'include'}",
               f"-I{include.stdout.strip()}", str(umbrella)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"expected '{UMBRELLA}' to parse, but got:\n{result.stderr}")
    return json.loads(result.stdout)


class Op:
    """What the checks need of one op definition."""

    def __init__(self, records, name):
        record = records[name]
        self.name = f"{dialect_name(records, record)}.{record['opName']}"
        self.mnemonic = record["opName"]
        # As mlir-tblgen: the part of the definition's name before the first underscore is a prefix.
        self.cpp_class = name.split("_", 1)[1] if "_" in name.lstrip("_") else name
        self.summary = (record.get("summary") or "").strip()
        self.description = record.get("description") or ""
        self.traits = trait_names(records, record.get("traits", []))
        self.examples = [dedent(block) for block in MLIR_BLOCK.findall(self.description)]


def dialect_name(records, record):
    """The name of a record's dialect, such as 'tilus'."""
    return records[record["opDialect"]["def"]]["name"]


def trait_names(records, references):
    """Every name under which the traits can be known: definitions, classes, C++ names; nested lists included."""
    names = set()
    for reference in references:
        name = reference["def"]
        trait = records[name]
        names.update([name, *trait["!superclasses"]])
        names.update(str(trait[field]) for field in ("cppInterfaceName", "trait") if trait.get(field))
        for field in ("traits", "dependentTraits", "structuralTraits"):
            names |= trait_names(records, trait.get(field) or [])
    return names


def dedent(block):
    """A block without the indentation that all its lines share."""
    lines = block.splitlines()
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:].rstrip() for line in lines) + "\n"


def load_ops(root):
    """All ops that derive from the dialect's op class, by name."""
    records = load_records(root)
    names = records["!instanceof"].get(OP_CLASS, [])
    return sorted((Op(records, name) for name in names), key=lambda op: op.name)


def text_of(root, patterns):
    """The sources that match, without comments, as one text."""
    return "\n".join(source_text.strip(source_text.read(root, path), keep_strings=True)
                     for path in source_text.files(root, ["*.mlir", "*.cpp", "*.h", "*.inc"])
                     if any(re.fullmatch(pattern, str(path)) for pattern in patterns))


class Sources:
    """The texts in which ops are looked up."""

    def __init__(self, root):
        self.round_trip = text_of(root, [r"test/IR/(?:.*/)?[^/]*(?<!-invalid)\.mlir"])
        self.invalid = text_of(root, [r"test/IR/(?:.*/)?[^/]*-invalid\.mlir"])
        self.lowering = text_of(root, [r"lib/Conversion/TilusToNVVM/.*"])
        self.reference = text_of(root, [r"lib/Reference/.*"])
        self.passes = "\n".join(source_text.read(root, path)
                                for path in source_text.files(root, ["Passes.td"]))
        self.transforms = text_of(root, [r"lib/Transforms/.*", r"lib/Conversion/.*"])


def uses(op, text):
    """Whether the op occurs in MLIR text; another op whose name begins with this one's does not count."""
    return re.search(rf"(?<![\w.]){re.escape(op.name)}(?!\w|\.\w)", text) is not None


def mentions(cpp_class, text):
    """Whether a C++ class is named in C++ text."""
    return re.search(rf"\b{cpp_class}\b", text) is not None


def read_removed(root):
    """{C++ class: pass flag} of the ops that a pass removes before the lowering, and findings on the list."""
    removed, findings = {}, []
    file = pathlib.Path(root) / EXCEPTIONS_FILE
    for number, line in enumerate(file.read_text().splitlines() if file.is_file() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        if match := re.fullmatch(r"(\w+) removed by ([\w-]+)", line.strip()):
            removed[match.group(1)] = match.group(2)
        else:
            findings.append(f"{EXCEPTIONS_FILE}:{number}: expected '<OpClass> removed by <pass>', but got '{line}'")
    return removed, findings


def lacks(op, sources, removed):
    """What an op lacks, each as one phrase."""
    if not op.summary or "\n" in op.summary:
        yield "a one-line summary"
    if len(op.examples) != 1:
        yield f"a description with exactly one ```mlir block (it has {len(op.examples)})"
    if not uses(op, sources.round_trip):
        yield "a round-trip test in test/IR"
    if not uses(op, sources.invalid):
        yield "a test of its errors in test/IR/*-invalid.mlir"
    if not any(re.match(r"LayoutOpInterface|Tilus_Layout", trait) for trait in op.traits):
        yield "a layout rule"
    if not any("TargetRequirement" in trait for trait in op.traits):
        yield "a target requirement"
    if op.cpp_class not in removed and not mentions(op.cpp_class, sources.lowering):
        yield "a lowering in lib/Conversion/TilusToNVVM"
    if not mentions(op.cpp_class, sources.reference):
        yield "reference semantics in lib/Reference"


def check_removed(removed, ops, sources):
    """Findings on the list of removed ops: each names an op, and a pass that exists."""
    classes = {op.cpp_class for op in ops}
    for cpp_class, flag in removed.items():
        where = f"{EXCEPTIONS_FILE}: '{cpp_class}'"
        if cpp_class not in classes:
            yield f"{where} names no op"
        elif f'"{flag}"' not in sources.passes:
            yield f"{where} expects the pass '{flag}', but no Passes.td defines it"
        elif not mentions(cpp_class, sources.transforms):
            yield f"{where} is not mentioned by any pass"
        if mentions(cpp_class, sources.lowering):
            yield f"{where} has a lowering and needs no exception"


def check(root, ops):
    """All findings on the ops of the project under root."""
    sources = Sources(root)
    removed, findings = read_removed(root)
    for op in ops:
        findings += [f"{op.name}: lacks {what}" for what in lacks(op, sources, removed)]
    return findings + list(check_removed(removed, ops, sources))


def extract(ops, folder):
    """Writes the mlir blocks of the descriptions to <folder>/<mnemonic>.mlir; returns the paths.

    Each file ends in a split marker, so that all together are one input of tilus-opt --split-input-file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for op in ops:
        for number, block in enumerate(op.examples):
            path = folder / f"{op.mnemonic}{f'-{number}' if number else ''}.mlir"
            path.write_text(f"{block}\n// -----\n", encoding="utf-8")
            paths.append(path)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).parent.parent, help="folder of the project")
    parser.add_argument("--extract", type=pathlib.Path, metavar="DIR",
                        help="write the example of each op to DIR/<mnemonic>.mlir instead of checking")
    arguments = parser.parse_args()
    ops = load_ops(arguments.root)
    if arguments.extract:
        print(f"{len(extract(ops, arguments.extract))} examples of {len(ops)} ops")
        return 0
    print(f"{len(ops)} ops")
    return source_text.report("op coverage", check(arguments.root, ops))


if __name__ == "__main__":
    sys.exit(main())
