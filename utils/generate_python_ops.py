#!/usr/bin/env python3
"""Writes the Python wrappers of operations, and the enumerations of their attributes, from their definitions.

A module a dialect goes to <output>/ops/<dialect>.py, the enumerations to <output>/enums.py. What the functions
do is in python/tilus/ir/build.py, which they call, and how attributes are made in python/tilus/ir/attributes.py.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import builtins
import dataclasses
import json
import keyword
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

# The definitions that are read, each by itself: the names of records without one are a file's own.
DIALECT_FILES = {
    "tilus": "Tilus/IR/Tilus.td",
    "arith": "mlir/Dialect/Arith/IR/ArithOps.td",
    "math": "mlir/Dialect/Math/IR/MathOps.td",
    "scf": "mlir/Dialect/SCF/IR/SCFOps.td",
    "cf": "mlir/Dialect/ControlFlow/IR/ControlFlowOps.td",
}
# Attributes by the class of their definition, with the function that makes them.
CONVERTERS = [
    ("UnitAttr", "unit"),
    ("BoolAttr", "boolean"),
    ("FlatSymbolRefAttr", "symbol"),
    ("StringBasedAttr", "string"),
    ("TypeAttrBase", "type_"),
    ("DenseI32ArrayAttr", "dense_i32"),
    ("DenseI64ArrayAttr", "dense_i64"),
    ("DenseBoolArrayAttr", "dense_bool"),
    ("StrArrayAttr", "string_array"),
    ("DictArrayAttr", "dict_array"),
]
HEADER = '''"""{title}

Made by utils/generate_python_ops.py from the definitions.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
'''


@dataclasses.dataclass
class Operand:
    name: str
    is_variadic: bool
    is_optional: bool
    summary: str


@dataclasses.dataclass
class AttributeField:
    name: str
    converter: str
    default: str | None
    summary: str


@dataclasses.dataclass
class OpDefinition:
    name: str
    summary: str
    operands: list
    attributes: list
    result_names: list
    regions: int
    has_segments: bool
    # Where the types of results come from if none are given: an expression of Python.
    result_rule: str


@dataclasses.dataclass
class EnumDefinition:
    name: str
    summary: str
    cases: list  # of (mnemonic, number)


class Records:
    """The records of one definition file."""

    def __init__(self, tblgen, includes, path):
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "records.json")
            flags = [flag for include in includes for flag in ("-I", include)]
            subprocess.run([tblgen, "--dump-json", *flags, path, "-o", output], check=True)
            with open(output, encoding="utf-8") as file:
                self.records = json.load(file)
        self.enums = {}

    def get(self, reference):
        return self.records[reference["def"]]

    def is_a(self, record, class_name):
        return class_name in record["!superclasses"] or record["!name"] == class_name

    def constraint(self, reference):
        """The record of an operand's, attribute's or result's constraint, without the decoration of effects."""
        record = self.get(reference)
        return self.get(record["constraint"]) if self.is_a(record, "OpVariable") else record

    def ops(self, dialect):
        for name in self.records["!instanceof"]["Op"]:
            record = self.records[name]
            if self.get(record["opDialect"])["name"] == dialect:
                yield self.read_op(dialect, record)

    def read_op(self, dialect, record):
        operands, attributes = [], []
        for reference, name in record["arguments"]["args"]:
            constraint = self.constraint(reference)
            if self.is_a(constraint, "AttrConstraint"):
                attributes.append(self.read_attribute(name, constraint))
            else:
                operands.append(
                    Operand(
                        name,
                        self.is_a(constraint, "Variadic"),
                        self.is_a(constraint, "Optional"),
                        constraint.get("summary") or "",
                    )
                )
        results = [(name, self.constraint(reference)) for reference, name in record["results"]["args"]]
        traits = [self.get(trait).get("trait") for trait in record["traits"]]
        return OpDefinition(
            name=f"{dialect}.{record['opName']}",
            summary=record["summary"],
            operands=operands,
            attributes=attributes,
            result_names=[name for name, _ in results],
            regions=len(record["regions"]["args"]),
            has_segments="AttrSizedOperandSegments" in traits,
            result_rule=self.find_result_rule(record, operands, results),
        )

    def find_result_rule(self, record, operands, results):
        """Where the types of results come from.

        MLIR infers them where a definition says so; for those that only state what they are, by their type or by
        an operand that has the same one, this says the type or the number of the operand.
        """
        if not results:
            return "_b.NO_RESULTS"
        if all(self.is_a(c, "Variadic") or self.is_a(c, "Optional") for _, c in results):
            return "_b.GIVEN"
        name, constraint = results[0]
        if len(results) == 1 and self.is_a(constraint, "BuildableType") and self.is_a(constraint, "I"):
            return f'"i{constraint["bitwidth"]}"'
        for trait in map(self.get, record["traits"]):
            if len(results) == 1 and self.is_a(trait, "AllTypesMatch") and name in trait["values"]:
                same = [i for i, o in enumerate(operands) if o.name in trait["values"] and not o.is_optional]
                if same:
                    return str(same[0])
        return "_b.INFERRED"

    def read_attribute(self, name, record):
        default = "None" if record["isOptional"] or record["defaultValue"] else None
        summary = record.get("summary") or ""
        while record.get("baseAttr"):
            record = self.get(record["baseAttr"])
        if record["!name"] == "UnitAttr":
            default = "False"
        return AttributeField(name, self.find_converter(record), default, summary)

    def find_converter(self, record):
        if self.is_a(record, "IntEnumAttr") or self.is_a(record, "EnumAttr"):
            return self.read_enum(record)
        for class_name, function in CONVERTERS:
            if self.is_a(record, class_name):
                return f"_a.{function}"
        if self.is_a(record, "SignlessIntegerAttrBase"):
            return f"_a.integer({self.get(record['valueType'])['bitwidth']})"
        if self.is_a(record, "ElementsAttrBase") or self.is_a(record, "ArrayAttrBase"):
            return "_a.attribute"
        return "_a.attribute"

    def read_enum(self, record):
        """Registers the enumeration, and gives the expression that makes the converter."""
        is_dialect_attribute = self.is_a(record, "EnumAttr")
        info = self.get(record["enum"]) if is_dialect_attribute else record
        cases = [(case["str"], case["value"]) for case in map(self.get, info["enumerants"])]
        self.enums[info["className"]] = EnumDefinition(info["className"], info["summary"] or "", cases)
        name = f"_e.{info['className']}"
        if is_dialect_attribute:
            mnemonic = f"{self.get(record['dialect'])['name']}.{record['mnemonic']}"
            return f'_a.dialect_enum({name}, "{mnemonic}")'
        return f"_a.enum({name}, {info['bitwidth']})"


def python_name(name):
    """A name that is none of Python's words."""
    name = name.replace(".", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def parameters(op):
    """The signature: operands, then attributes by keyword, those without a default first."""
    words = []
    has_default = False
    for index, operand in enumerate(op.operands):
        rest = op.operands[index:]
        has_default = has_default or all(o.is_optional or o.is_variadic for o in rest)
        default = "" if not has_default else "=()" if operand.is_variadic else "=None"
        words.append(python_name(operand.name) + default)
    words.append("*")
    for attribute in sorted(op.attributes, key=lambda a: a.default is not None):
        default = "" if attribute.default is None else f"={attribute.default}"
        words.append(python_name(attribute.name) + default)
    if op.result_names:
        words.append("results=None")
    words.append("loc=None")
    return ", ".join(words)


def docstring(op):
    lines = [op.summary[:1].upper() + op.summary[1:] + "."]
    fields = [(python_name(f.name), f.summary) for f in [*op.operands, *op.attributes] if f.summary]
    if fields:
        lines.append("")
        for name, summary in fields:
            lines += textwrap.wrap(
                f"{name}: {summary}", 108, subsequent_indent="    ", break_long_words=False
            )
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    return text + "\n" if fields else text


def constant_name(op):
    return "_" + python_name(op.name.split(".", 1)[1]).upper()


def function_text(op):
    """The constant that describes an operation, and its function."""
    fields = ", ".join(
        f'("{o.name}", _b.{"MANY" if o.is_variadic else "MAYBE" if o.is_optional else "ONE"})'
        for o in op.operands
    )
    attributes = ", ".join(f'("{a.name}", {a.converter})' for a in op.attributes)
    tuple_end = "," if len(op.operands) == 1 else ""
    attributes_end = "," if len(op.attributes) == 1 else ""
    description = textwrap.dedent(f"""\
        {constant_name(op)} = _b.OpDescription(
            "{op.name}",
            ({fields}{tuple_end}),
            ({attributes}{attributes_end}),
            {op.result_rule}, {op.regions}, {op.has_segments})
        """)
    operand_values = ", ".join(python_name(o.name) for o in op.operands) + tuple_end
    attribute_values = ", ".join(python_name(a.name) for a in op.attributes) + attributes_end
    given = "results" if op.result_names else "None"
    body = f'"""{docstring(op)}"""\n'
    body += f"return _b.build({constant_name(op)}, ({operand_values}), ({attribute_values}), {given}, loc)\n"
    name = python_name(op.name.split(".", 1)[1])
    return f"{description}\n\ndef {name}({parameters(op)}):\n{textwrap.indent(body, '    ')}"


def module_text(dialect, ops):
    names = sorted(python_name(op.name.split(".", 1)[1]) for op in ops)
    shadowed = sorted(set(names) & set(dir(builtins)))
    text = HEADER.format(title=f"The operations of the dialect '{dialect}', a function an operation.")
    if shadowed:
        text += f"# Named like functions of Python, which this module does not use: {', '.join(shadowed)}.\n"
    text += "\nfrom tilus.ir import attributes as _a\nfrom tilus.ir import build as _b\nfrom tilus.ir import enums as _e\n"
    text += "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n\n"
    return text + "\n\n".join(function_text(op) for op in sorted(ops, key=lambda op: op.name))


def enums_text(enums):
    text = HEADER.format(title="The enumerations of attributes; a case equals its word in the IR.")
    text += "\nfrom tilus.ir.attributes import OdsEnum\n"
    for enum in sorted(enums.values(), key=lambda enum: enum.name):
        text += f'\n\nclass {enum.name}(OdsEnum):\n    """{enum.summary[:1].upper() + enum.summary[1:]}."""\n\n'
        for word, number in enum.cases:
            name = "".join(c if c.isalnum() else "_" for c in word).upper()
            text += f'    {name} = ("{word}", {number})\n'
    return text


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tblgen", default="llvm-tblgen-22")
    parser.add_argument("--include", action="append", required=True, help="a folder with definitions")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments)
    includes = [folder for item in options.include for folder in item.split(";")]
    enums = {}
    for dialect, file in DIALECT_FILES.items():
        path = next((os.path.join(i, file) for i in includes if os.path.exists(os.path.join(i, file))), None)
        if path is None:
            parser.error(f"expected {file} in one of the folders, but found none")
        records = Records(options.tblgen, includes, path)
        write(options.output / "ops" / f"{dialect}.py", module_text(dialect, list(records.ops(dialect))))
        enums.update(records.enums)
    write(options.output / "enums.py", enums_text(enums))


if __name__ == "__main__":
    main(sys.argv[1:])
