// A host program in MLIR that is compiled in process, with kernels for the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "FakeDriverFixture.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"

#include <mutex>
#include <vector>

namespace tilus {

/// The function `run` of a host program: launches `increment` on the memory at x, in which the object for a
/// chip adds the chip's number to each of n integers.
using RunFunction = void (*)(const void *stream, int64_t x, int64_t n);

/// A host program whose gpu.binary has objects for the chips. It is compiled by MLIR's ExecutionEngine, which
/// knows the runtime as a shared library and nothing else.
class HostProgram {
public:
  /// The sizes of the launch, blocks and then threads, its arguments, and whether it is on the stream.
  explicit HostProgram(std::vector<std::string> chips, std::string sizes = "0, 0, 0, 0, 0, 0",
                       std::string arguments = "%x : i64, %n : i64", bool isAsync = true);
  RunFunction getRun() const { return run; }

private:
  mlir::MLIRContext context;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  RunFunction run = nullptr;
};

/// The fake driver, and the messages of failed launches.
class HostTest : public FakeDriverTest {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Takes other devices, before anything is launched.
  void reset(const char *devices);
  /// The failures so far, one a line, which are then forgotten.
  std::string takeFailures();
  /// Launches on n zeros in the memory of the device, in the current context or the stream's, and returns the
  /// last of them.
  int launch(const HostProgram &program, unsigned device, const void *stream = nullptr);
  /// How often the text is in the fake's log.
  unsigned count(const std::string &text);

private:
  void *runtime = nullptr;
  std::mutex mutex;
  std::string failures;
};

} // namespace tilus
