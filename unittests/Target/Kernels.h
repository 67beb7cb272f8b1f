//===- Kernels.h - kernels for the tests of code generation ------------------------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the sources that the tests compile, and the fixture that parses them and collects diagnostics.
//
//===---------------------------------------------------------------------------------------------------===//
#pragma once

#include "Tilus/Target/PTX/TranslateToPTX.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tilus {

/// y[i] = 2 * x[i].
inline constexpr char scaleKernel[] = R"(
gpu.module @scale {
  llvm.func @scale(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel,
      nvvm.maxntid = array<i32: 128>} {
    %two = llvm.mlir.constant(2.0 : f32) : f32
    %i = nvvm.read.ptx.sreg.tid.x : i32
    %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %py = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %a = llvm.load %px : !llvm.ptr<1> -> f32
    %b = llvm.fmul %a, %two : f32
    llvm.store %b, %py : f32, !llvm.ptr<1>
    llvm.return
  }
})";

/// x[0] = f(x[0]) for a function f of libdevice, whose name stands for FUNCTION.
inline constexpr char libdeviceKernel[] = R"(
gpu.module @math {
  llvm.func @FUNCTION(f32) -> f32
  llvm.func @math(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %a = llvm.load %x : !llvm.ptr<1> -> f32
    %b = llvm.call @FUNCTION(%a) : (f32) -> f32
    llvm.store %b, %x : f32, !llvm.ptr<1>
    llvm.return
  }
})";

/// x[0] = x[0] / x[1], and a use of static shared memory of SIZE floats.
inline constexpr char sharedKernel[] = R"(
gpu.module @shared {
  llvm.mlir.global internal @buffer() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<SIZE x f32>
  llvm.func @shared(%x: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %s = llvm.mlir.addressof @buffer : !llvm.ptr<3>
    %i = nvvm.read.ptx.sreg.tid.x : i32
    %ps = llvm.getelementptr %s[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %px = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %a = llvm.load %px : !llvm.ptr<1> -> f32
    llvm.store %a, %ps : f32, !llvm.ptr<3>
    nvvm.barrier0
    %b = llvm.load %s : !llvm.ptr<3> -> f32
    %c = llvm.fdiv %a, %b : f32
    llvm.store %c, %px : f32, !llvm.ptr<1>
    llvm.return
  }
})";

/// The text with each `from` replaced by `to`.
inline std::string substitute(std::string text, llvm::StringRef from, llvm::StringRef to) {
  for (size_t at = text.find(from.str()); at != std::string::npos; at = text.find(from.str(), at + to.size()))
    text.replace(at, from.size(), to.str());
  return text;
}

/// A context with the dialects and translations of code generation, and what it reports.
class Kernels {
public:
  Kernels() : handler(&context, [this](mlir::Diagnostic &diagnostic) { record(diagnostic); }) {
    mlir::DialectRegistry registry;
    registry.insert<mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
    registerPTXTranslations(registry);
    context.appendDialectRegistry(registry);
  }

  /// The gpu.module of the text.
  mlir::Operation *parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << diagnostics;
    return module ? &module->getBody()->front() : nullptr;
  }

  /// The PTX of the text; empty if it fails.
  std::string translate(llvm::StringRef text, const PTXOptions &options) {
    mlir::Operation *op = parse(text);
    if (!op)
      return "";
    mlir::FailureOr<std::string> ptx = translateToPTX(op, options);
    return mlir::succeeded(ptx) ? *ptx : "";
  }

  /// The PTX of the text with the chip's own options.
  std::string translate(llvm::StringRef text, llvm::StringRef chip) {
    PTXOptions options;
    options.chip = chip.str();
    return translate(text, options);
  }

  void record(mlir::Diagnostic &diagnostic) { diagnostics += diagnostic.str() + "\n"; }

  mlir::MLIRContext context;
  std::string diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::ScopedDiagnosticHandler handler;
};

/// A test with a context of its own.
class TargetTest : public testing::Test, protected Kernels {};

} // namespace tilus
