// test-tilus-scalar-analysis: says of the integers that a kernel prints what the analysis knows of them
// there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestPasses.h"
#include "Tilus/Analysis/ScalarAnalysis.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilus;

static std::string describe(const ScalarAnalysis &scalars, PrintfOp print) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(
      print.getArgs(), stream, [&](Value value) { stream << scalars.getFacts(value, print); }, "; ");
  return text;
}

namespace {
class TestScalarAnalysis : public PassWrapper<TestScalarAnalysis, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestScalarAnalysis)

  StringRef getArgument() const final { return "test-tilus-scalar-analysis"; }
  StringRef getDescription() const final { return "remarks on what is known of printed integers"; }

  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) {
      ScalarAnalysis scalars(kernel);
      kernel.getBody().walk([&](PrintfOp print) { print.emitRemark(describe(scalars, print)); });
    });
  }
};
} // namespace

void tilus::test::registerTestPasses() { PassRegistration<TestScalarAnalysis>(); }
