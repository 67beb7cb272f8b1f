# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The op coverage check accepts a complete op and names each thing that an op lacks."""

import check_op_coverage
import pytest

TD = """
include "mlir/IR/OpBase.td"
include "mlir/IR/Interfaces.td"
def Tilus_Dialect : Dialect { let name = "tilus"; let cppNamespace = "::tilus"; }
def LayoutOpInterface : OpInterface<"LayoutOpInterface"> { let cppNamespace = "::tilus"; }
def TargetRequirementOpInterface : OpInterface<"TargetRequirementOpInterface"> { let cppNamespace = "::tilus"; }
def Tilus_LayoutSame : NativeOpTrait<"SameLayout">;
class Tilus_TargetRequirementMin<string chip> : ParamNativeOpTrait<"Min", chip>;
def Tilus_Stock : TraitList<[Tilus_LayoutSame, Tilus_TargetRequirementMin<"sm_90">]>;
class Tilus_Op<string mnemonic, list<Trait> traits = []> : Op<Tilus_Dialect, mnemonic, traits>;
class Tilus_GroupOp<string mnemonic, list<Trait> traits = []> : Tilus_Op<mnemonic, traits>;
def Other_Op : Op<Tilus_Dialect, "not_ours">;
"""

COMPLETE = """
def Tilus_WaitOp : Tilus_GroupOp<"wait", [DeclareOpInterfaceMethods<LayoutOpInterface>,
                                          DeclareOpInterfaceMethods<TargetRequirementOpInterface>]> {
  let summary = "waits";
  let description = [{
    Waits.
    ```mlir
    tilus.wait
      "nested"()
    ```
  }];
}
"""

FILES = {
    "include/Tilus/IR/Tilus.td": TD + COMPLETE,
    "include/Tilus/Transforms/Passes.td": 'def A : Pass<"tilus-lower-copies">;',
    "lib/Transforms/LowerCopies.cpp": "rewrite<WaitOp>();",
    "test/IR/sync.mlir": "tilus.wait",
    "test/IR/sync-invalid.mlir": '"tilus.wait"() : () -> ()',
    "lib/Conversion/TilusToNVVM/SyncOps.cpp": "struct A : OpConversionPattern<WaitOp> {};",
    "lib/Reference/SyncOps.cpp": "void run(WaitOp op);",
}


def findings(root):
    return check_op_coverage.check(root, check_op_coverage.load_ops(root))


def test_complete_op(project):
    root = project(FILES)
    assert [op.name for op in check_op_coverage.load_ops(root)] == ["tilus.wait"]
    assert findings(root) == []


@pytest.mark.parametrize("path, old, new, lack", [
    ("include/Tilus/IR/Tilus.td", '"waits"', '""', "a one-line summary"),
    ("include/Tilus/IR/Tilus.td", "```mlir", "```", "exactly one ```mlir block (it has 0)"),
    ("include/Tilus/IR/Tilus.td", "Waits.", "```mlir\n    x\n    ```", "exactly one ```mlir block (it has 2)"),
    ("include/Tilus/IR/Tilus.td", "DeclareOpInterfaceMethods<LayoutOpInterface>,", "", "a layout rule"),
    ("include/Tilus/IR/Tilus.td", ",\n" + " " * 42 + "DeclareOpInterfaceMethods<TargetRequirementOpInterface>", "",
     "a target requirement"),
    ("test/IR/sync.mlir", "tilus.wait", "// tilus.wait\ntilus.wait.group\ntilus.wait_all", "a round-trip test"),
    ("test/IR/sync-invalid.mlir", "tilus.wait", "tilus.other", "a test of its errors"),
    ("lib/Conversion/TilusToNVVM/SyncOps.cpp", "WaitOp", "AsyncWaitOp", "a lowering"),
    ("lib/Reference/SyncOps.cpp", "void run(WaitOp op);", "// WaitOp", "reference semantics"),
])
def test_what_an_op_lacks(project, path, old, new, lack):
    assert old in FILES[path]
    found = findings(project({**FILES, path: FILES[path].replace(old, new)}))
    assert len(found) == 1
    assert found[0].startswith("tilus.wait: lacks ") and lack in found[0]


@pytest.mark.parametrize("traits", ["Tilus_Stock", "Tilus_LayoutSame, Tilus_TargetRequirementMin<\"sm_80\">"])
def test_traits_count_as_rules(project, traits):
    start, end = COMPLETE.index("[Declare"), COMPLETE.index("]>")
    text = TD + COMPLETE[:start] + "[" + traits + COMPLETE[end:]
    assert findings(project({**FILES, "include/Tilus/IR/Tilus.td": text})) == []


@pytest.mark.parametrize("line, phrase", [
    ("WaitOp removed by tilus-lower-copies", None),
    ("WaitOp removed by tilus-unheard", "no Passes.td defines it"),
    ("GoneOp removed by tilus-lower-copies", "names no op"),
    ("WaitOp", "expected '<OpClass> removed by <pass>'"),
])
def test_removed_ops(project, line, phrase):
    root = project({**FILES, check_op_coverage.EXCEPTIONS_FILE: f"# header\n{line}\n",
                    "lib/Conversion/TilusToNVVM/SyncOps.cpp": ""})
    found = findings(root)
    if phrase is None:
        assert found == []
    else:
        assert any(phrase in finding for finding in found)


def test_needless_exception(project):
    root = project({**FILES, check_op_coverage.EXCEPTIONS_FILE: "WaitOp removed by tilus-lower-copies\n"})
    assert findings(root) == [f"{check_op_coverage.EXCEPTIONS_FILE}: 'WaitOp' has a lowering and needs no exception"]


def test_extract(project, tmp_path):
    ops = check_op_coverage.load_ops(project(FILES))
    paths = check_op_coverage.extract(ops, tmp_path / "out")
    assert [path.name for path in paths] == ["wait.mlir"]
    assert paths[0].read_text() == 'tilus.wait\n  "nested"()\n\n// -----\n'
