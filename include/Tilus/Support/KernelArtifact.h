// A compiled kernel: its binary and all that a launch has to know about it.
//
// The one struct in which the compiler and the runtime meet. Plain data; neither side's types appear in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Support/GridExpr.h"
#include "Tilus/Support/KernelTensorMap.h"
#include "Tilus/Support/ScalarFormat.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilus {

/// One parameter of a kernel.
struct KernelParam {
  enum class Kind : uint8_t { Scalar, Pointer };

  std::string name;
  Kind kind = Kind::Scalar;
  /// The scalar's type, or the type of the elements pointed to.
  ScalarFormat format;
  /// The compiled code relies on the scalar, or the address in bytes, being a multiple of this.
  uint64_t divisibility = 1;

  bool isPointer() const { return kind == Kind::Pointer; }
  /// The bytes that the parameter takes in the parameter block, which is its alignment there too: 8 for a
  /// pointer, else the next power of two of whole bytes.
  unsigned getBytes() const {
    if (isPointer() || format.bits > 32)
      return 8;
    return format.bits <= 8 ? 1 : format.bits <= 16 ? 2 : 4;
  }
};

/// A buffer in global memory that the kernel uses beside its parameters. Its address is passed behind them,
/// as one more pointer a workspace, in order.
struct KernelWorkspace {
  /// Its size, from the parameters' values.
  GridExpr bytes;
  /// It has to hold zeros at the start; the kernel leaves zeros behind.
  bool isClean = false;
};

/// What built the binary.
struct ToolVersions {
  std::string tilus;
  std::string llvm;
  /// The assembler's name and version, as in `ptxas 13.0.88`.
  std::string assembler;
};

/// The number of the rules by which a launch passes parameters, workspaces and sizes to a kernel. Binaries
/// made for other rules are not launched.
constexpr unsigned callingConvention = 1;

/// A compiled kernel.
struct KernelArtifact {
  /// The symbol in the binary.
  std::string entry;
  /// The target that the binary was built for, as in `nvptx64-nvidia-cuda` and `sm_90a`.
  std::string triple;
  std::string chip;
  /// What the target has beside what its chip implies, as in `+ptx88`; mostly empty.
  std::string features;
  /// The name or hash of the schedule that was chosen; empty where there was none to choose.
  std::string schedule;
  /// The binary; empty if only PTX was asked for. The driver then compiles the PTX.
  std::vector<uint8_t> cubin;
  std::string ptx;
  /// The text of the module that it was compiled from; empty unless it was asked for.
  std::string ir;

  /// Threads a block.
  unsigned blockThreads = 0;
  /// Blocks a cluster in x, y, z; all 1 without clusters.
  std::array<unsigned, 3> cluster = {1, 1, 1};
  /// Shared memory in bytes that a launch has to ask for.
  unsigned dynamicSharedBytes = 0;
  /// Shared memory in bytes that the binary itself declares.
  unsigned staticSharedBytes = 0;
  /// Registers a thread and spilled bytes a thread, as the assembler reports them.
  unsigned registers = 0;
  unsigned spillBytes = 0;

  std::vector<KernelParam> params;
  /// The number of blocks in x, y, z, from the parameters' values; a pointer counts as 0.
  std::array<GridExpr, 3> grid;
  std::vector<KernelWorkspace> workspaces;
  std::vector<KernelTensorMap> tensorMaps;

  ToolVersions versions;

  bool hasCluster() const { return cluster[0] * cluster[1] * cluster[2] > 1; }
};

} // namespace tilus
