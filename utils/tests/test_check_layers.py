# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layer check finds each planted violation and nothing in code that keeps the rules."""

import check_layers
import pytest


def findings(project, path, text):
    return check_layers.check(project({path: text}))


@pytest.mark.parametrize("path, include", [
    ("lib/Transforms/A.cpp", "Tilus/Conversion/TilusToNVVM/X.h"),
    ("lib/Conversion/TilusToNVVM/A.cpp", "Tilus/Transforms/Passes.h"),
    ("lib/Runtime/A.cpp", "Tilus/IR/TilusOps.h"),
    ("lib/Runtime/A.cpp", "mlir/IR/Value.h"),
    ("lib/Runtime/A.cpp", "llvm/IR/Module.h"),
    ("include/Tilus/Layout/A.h", "mlir/IR/Attributes.h"),
    ("lib/Layout/A.cpp", "Tilus/TargetInfo/TargetInfo.h"),
    ("lib/Target/PTX/A.cpp", "Tilus/IR/TilusDialect.h"),
    ("lib/IR/A.cpp", "Tilus/Analysis/Hazards.h"),
    ("lib/IR/A.cpp", "../Layout/Detail.h"),
    ("tools/tilus-opt/main.cpp", "Tilus/Analysis/Hazards.h"),
    ("python/src/Module.cpp", "Tilus/IR/TilusDialect.h"),
    ("lib/Unheard/A.cpp", "vector"),
])
def test_wrong_include(project, path, include):
    found = findings(project, path, f"// comment\n#include <string>\n#include \"{include}\"\n")
    assert len(found) == 1
    assert found[0].startswith(path + (":1:" if "Unheard" in path else ":3:"))


@pytest.mark.parametrize("path, include", [
    ("lib/Transforms/A.cpp", "Tilus/Analysis/Hazards.h"),
    ("lib/Compiler/A.cpp", "Tilus/Transforms/Passes.h"),
    ("lib/Runtime/A.cpp", "llvm/ADT/StringRef.h"),
    ("lib/IR/A.cpp", "Tilus/IR/TilusOps.h.inc"),
    ("lib/Target/PTX/A.cpp", "mlir/Dialect/LLVMIR/NVVMDialect.h"),
    ("python/src/Module.cpp", "Tilus-c/Dialect.h"),
])
def test_right_include(project, path, include):
    assert findings(project, path, f'#include "{include}"\n') == []


@pytest.mark.parametrize("path, code, phrase", [
    ("lib/IR/A.cpp", "if (target.major >= 9) f();", "compute capabilities"),
    ("lib/Conversion/A/A.cpp", "if (90 <= info->getMajor()) f();", "compute capabilities"),
    ("lib/Compiler/A.cpp", "bool b = smVersion < 80;", "compute capabilities"),
    ("lib/Analysis/A.cpp", "bool b = getComputeCapability() == 90;", "compute capabilities"),
    ("lib/Target/A.cpp", "return a->major == b.capability.major && a->minor == b.capability.minor;",
     "compute capabilities"),
    ("lib/IR/A.cpp", 'llvm::errs() << "x";', "llvm::errs"),
    ("lib/IR/A.cpp", 'static llvm::cl::opt<bool> x("x");', "cl::opt"),
    ("lib/Support/A.cpp", 'auto *v = std::getenv("X");', "getenv"),
    ("lib/Target/A.cpp", 'auto v = llvm::sys::Process::GetEnv("X");', "getenv"),
    ("lib/Target/A.cpp", 'f("mov.u32 $0, %clock;");', "PTX text"),
    ("lib/Target/A.cpp", 'f(R"(ld.global.v4.b32 {$0, $1}, [$2];)");', "PTX text"),
    ("lib/Target/A.cpp", 'f("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2;");',
     "PTX text"),
    ("include/Tilus/IR/Atoms/A.td", 'def A : Atom<"fence.proxy.async.shared::cta [$0];">;', "PTX text"),
    ("lib/Conversion/TilusToNVVM/SyncOps.cpp", "NVVM::InlinePtxOp::create(b, l);", "outside InlinePTX"),
])
def test_code_out_of_place(project, path, code, phrase):
    found = findings(project, path, f"\n{code}\n")
    assert len(found) == 1
    assert found[0].startswith(f"{path}:2: ") and phrase in found[0]


@pytest.mark.parametrize("path, code", [
    ("lib/TargetInfo/A.cpp", "if (target.major >= 9) f();"),
    ("lib/Target/A.cpp", "Expected<ComputeCapability> read(std::vector<SmVersion> v, Row<&A::major> r);"),
    ("lib/Target/A.cpp", 'return fail("capability " + Twine(found->major) + "." + Twine(found->minor));'),
    ("lib/Runtime/A.cpp", 'auto *v = std::getenv("TILUS_X"); chip.major = 9;'),
    ("lib/Tools/A.cpp", 'static llvm::cl::opt<bool> x("x"); llvm::errs() << 1;'),
    ("lib/Conversion/TilusToNVVM/InlinePTX.cpp", 'NVVM::InlinePtxOp::create(b, l, "mov.u32 $0, %clock;");'),
    ("lib/IR/A.cpp", "// llvm::errs() and getenv() and 'mov.u32 $0, %clock;' in a comment"),
    ("lib/IR/A.cpp", 'error("expected mbarrier.wait on an mbarrier, but got \'tilus.copy_async\'");'),
    ("lib/IR/A.cpp", 'error("expected target.major >= 9, llvm::errs()");'),
    ("unittests/Layout/A.cpp", 'auto *v = std::getenv("X");'),
])
def test_code_in_place(project, path, code):
    assert findings(project, path, code + "\n") == []
