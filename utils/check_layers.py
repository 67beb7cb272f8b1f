#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that includes follow the layers and that certain code stays in its one place.

Owns the layer table: which folder of include/Tilus and lib may include which. Arrows go down only, so adding
an edge here is a decision about the design.
"""

import argparse
import pathlib
import re
import sys

import source_text

BASE = ("Support", "TargetInfo", "Layout")

# Folder -> folders that it may include, besides itself.
LAYERS = {
    "Support": (),
    "TargetInfo": ("Support",),
    "Layout": ("Support",),
    "IR": BASE,
    "Analysis": BASE + ("IR",),
    "Transforms": BASE + ("IR", "Analysis"),
    "Conversion": BASE + ("IR", "Analysis"),
    "Target": BASE,
    "Reference": BASE + ("IR",),
    "Compiler": BASE + ("IR", "Analysis", "Transforms", "Conversion", "Target", "Reference"),
    "Runtime": ("Support", "TargetInfo"),
    # Where compiler and dispatcher meet in one process.
    "Jit": BASE + ("IR", "Target", "Compiler", "Runtime"),
    # With Analysis for what accesses to shared memory cost.
    "CAPI": BASE + ("IR", "Analysis", "Compiler", "Reference", "Runtime", "Jit"),
    "Tools": BASE + ("IR", "Compiler", "Reference", "Runtime", "Jit"),
    # The mains of the tools, and the Python module, which knows the C API alone.
    "tools": BASE + ("IR", "Transforms", "Conversion", "Compiler", "Reference", "Runtime", "Jit", "Tools"),
    "python": (),
}

# Folder -> prefixes of includes from outside the project that it does without, and why.
FOREIGN = {
    "Support": (("mlir/", "mlir-c/"), "is plain C++ on LLVM's ADT and Support"),
    "TargetInfo": (("mlir/", "mlir-c/"), "is plain C++ on LLVM's ADT and Support"),
    "Layout": (("mlir/", "mlir-c/"), "is plain C++ on LLVM's ADT and Support"),
    "Runtime": (("mlir/", "mlir-c/", "llvm/IR/", "llvm/Target/", "llvm/MC/", "llvm/Bitcode/"),
                "launches kernels without a compiler"),
    "python": (("mlir/", "llvm/"), "uses the C API alone"),
}

# Spellings of a compute capability and its parts. A comparison has spaces around it, template brackets have not.
CAPABILITY = r"\w*(?:[cC]omputeCapability|compute_capability|[sS]mVersion|sm_version|ccMajor|ccMinor)"
PART = r"(?:get)?[mM](?:ajor|inor)"
COMPARISON = r"\s+(?:[<>]=?|[!=]=)\s+"

# (what, pattern in code without comments and literals, top folders where it is looked for,
#  folders of the layer table that may have it)
CODE_RULES = (
    ("a comparison of compute capabilities outside TargetInfo",
     re.compile(rf"\b{CAPABILITY}(?:\(\))?{COMPARISON}|{COMPARISON}(?:\w+(?:\(\))?(?:\.|->))*{CAPABILITY}\b"
                rf"|(?:\.|->){PART}(?:\(\))?{COMPARISON}|{COMPARISON}[\w.>()-]*(?:\.|->){PART}\b"),
     ("lib", "include", "tools"), ("TargetInfo",)),
    ("'llvm::errs' in a library", re.compile(r"\b(?:llvm::errs|errs)\s*\("), ("lib", "include"), ("Tools",)),
    ("a command line option ('cl::opt') in a library", re.compile(r"\bcl::(?:opt|list|bits|alias)\b"),
     ("lib", "include"), ("Tools",)),
    ("a read of the environment ('getenv')", re.compile(r"\b(?:secure_)?getenv\s*\(|\bProcess::GetEnv\s*\("),
     ("lib", "include", "tools"), ("Compiler", "Runtime", "Tools")),
)

INLINE_PTX_FILE = re.compile(r"^(?:lib|include/Tilus)/Conversion/TilusToNVVM/InlinePTX\.")
INLINE_PTX_OP = re.compile(r"\b(?:InlinePtxOp|InlineAsmOp|InlineAsm::get)\b|\basm\s+volatile\b")
# An instruction with a dotted modifier followed by an operand: a register, an address or an argument.
PTX_TEXT = re.compile(
    r"\b(?:ld|st|mov|cvt|cvta|add|sub|mul|mad|fma|min|max|neg|abs|and|or|xor|not|shl|shr|setp|selp|prmt|lop3|bfe"
    r"|bfi|shfl|vote|match|redux|red|atom|multimem|ldmatrix|stmatrix|movmatrix|mma|wmma|wgmma|tcgen05|mbarrier"
    r"|cp|prefetch|bar|barrier|fence|membar|mapa|getctarank|isspacep|createpolicy|discard|applypriority|elect"
    r"|ex2|lg2|rcp|rsqrt|sqrt|sin|cos|tanh|griddepcontrol|setmaxnreg|clusterlaunchcontrol|tensormap|nanosleep)"
    r"(?:\.[a-z0-9_]+(?:::[a-z0-9_]+)*)+\s+[{|\s]*[%$\[]")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">]', re.MULTILINE)


def folder_of(path):
    """The row of the layer table that a file belongs to, or None for files outside of it."""
    parts = path.parts
    if parts[:2] == ("include", "Tilus") and len(parts) > 3:
        return parts[2]
    if parts[0] == "include" and parts[1] == "Tilus-c":
        return "CAPI"
    if parts[0] == "lib" and len(parts) > 2:
        return parts[1]
    if parts[0] == "tools":
        return "tools"
    return "python" if parts[:2] == ("python", "src") else None


def check_includes(path, text):
    """Findings on the includes of one file of a layer."""
    folder = folder_of(path)
    if folder is None:
        return
    if folder not in LAYERS:
        yield f"{path}:1: expected a folder of the layer table, but got '{folder}'"
        return
    prefixes, reason = FOREIGN.get(folder, ((), ""))
    for match in INCLUDE.finditer(text):
        where = f"{path}:{source_text.line_of(text, match.start(1))}"
        included = match.group(1)
        if included.startswith("../"):
            yield f"{where}: expected an include by full path, but got '{included}'"
        if included.startswith(prefixes) and prefixes:
            yield f"{where}: '{folder}' {reason}, but includes '{included}'"
        parts = included.split("/")
        if parts[0] != "Tilus" or len(parts) < 3:
            continue
        if parts[1] != folder and parts[1] not in LAYERS[folder]:
            allowed = ", ".join(LAYERS[folder]) or "nothing else"
            yield f"{where}: '{folder}' may include {allowed}, but includes '{included}'"


def check_code(path, text):
    """Findings on code that has left its one place."""
    folder = folder_of(path)
    code = source_text.strip(text)
    for what, pattern, tops, exempt in CODE_RULES:
        if path.parts[0] not in tops or folder in exempt:
            continue
        for line in sorted({source_text.line_of(code, match.start()) for match in pattern.finditer(code)}):
            yield f"{path}:{line}: {what}"


def check_inline_ptx(path, text):
    """Findings on PTX instructions outside of InlinePTX."""
    if path.parts[0] not in ("lib", "include") or INLINE_PTX_FILE.match(str(path)):
        return
    tablegen = path.suffix == ".td"
    for line, literal in source_text.string_literals(text, tablegen):
        if match := PTX_TEXT.search(literal):
            yield f"{path}:{line}: PTX text outside InlinePTX: '{match.group()}'"
    code = source_text.strip(text, tablegen=tablegen)
    for match in INLINE_PTX_OP.finditer(code):
        yield f"{path}:{source_text.line_of(code, match.start())}: '{match.group()}' outside InlinePTX"


def check(root):
    """All findings on the sources under root."""
    findings = []
    for path in source_text.files(root, ["*.cpp", "*.h", "*.def", "*.td"]):
        if path.parts[0] not in ("lib", "include", "tools", "python"):
            continue
        text = source_text.read(root, path)
        findings += check_includes(path, text)
        findings += check_inline_ptx(path, text)
        if path.suffix != ".td":
            findings += check_code(path, text)
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=pathlib.Path(__file__).parent.parent, help="folder of the project")
    return source_text.report("layers", check(parser.parse_args().root))


if __name__ == "__main__":
    sys.exit(main())
