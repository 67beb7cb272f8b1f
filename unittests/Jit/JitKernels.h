// Kernels and helpers of the tests of the compiler behind a dispatcher.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Jit/Jit.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tilus {

/// `fill(n, value, x)`: x[i] = value + marker for i < n, where the marker tells sm_90a, sm_90 and others
/// apart.
constexpr const char *fillText = R"(
tilus.kernel @fill(%n: i32, %value: i32, %x: !tilus.ptr<i32>) warps(4) grid {
  %c512 = arith.constant 512 : i32
  %b = arith.ceildivsi %n, %c512 : i32
  tilus.grid [%b]
} {
  %c512 = arith.constant 512 : i32
  %c7000 = arith.constant 7000 : i32
  %c8000 = arith.constant 8000 : i32
  %c9000 = arith.constant 9000 : i32
  %exact = tilus.target_is "sm_90a"
  %base = tilus.target_is "sm_90"
  %other = arith.select %base, %c8000, %c7000 : i32
  %marker = arith.select %exact, %c9000, %other : i32
  %i = tilus.block_id x
  %o = arith.muli %i, %c512 : i32
  %v = arith.addi %value, %marker : i32
  %g = tilus.global_view %x [%n] : !tilus.ptr<i32> -> !tilus.global<?xi32>
  %t = tilus.broadcast %v : i32 -> tensor<512xi32>
  tilus.store_global %t, %g[%o] : tensor<512xi32>, !tilus.global<?xi32>
}
)";

inline const Target &target(llvm::StringRef chip) { return *llvm::cantFail(Target::lookup(chip)); }

inline KernelSource makeSource(llvm::StringRef text = fillText, llvm::StringRef kernel = "") {
  return llvm::cantFail(KernelSource::parse(text, kernel));
}

/// The arguments of a call of `fill`.
inline std::vector<CallValue> makeArgs(int64_t n = 1024, int64_t value = 3, uint64_t address = 0x10000) {
  return {CallValue::getInt(n), CallValue::getInt(value), CallValue::getPointer(address)};
}

/// Options that compile to PTX alone, which takes no assembler.
inline CompileOptions makePtxOptions() {
  CompileOptions options = CompileOptions::fromEnvironment();
  options.emitCubin = false;
  return options;
}

/// A call of a kernel for one target, as its dispatcher would ask for it.
class Request {
public:
  Request(const KernelSource &source, llvm::StringRef chip, std::vector<CallValue> callArgs = makeArgs(),
          const SpecializationOptions &options = {}, llvm::StringRef features = "")
      : signature(llvm::cantFail(source.makeSignature(options))), args(std::move(callArgs)),
        divisibility(signature.computeDivisibility(args)),
        requested(*llvm::cantFail(Target::lookup(chip, features))) {}
  operator CompileRequest() const { return {signature, requested, args, divisibility}; }

private:
  CallSignature signature;
  std::vector<CallValue> args;
  std::vector<uint64_t> divisibility;
  const Target &requested;
};

} // namespace tilus
