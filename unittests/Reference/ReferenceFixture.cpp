// Kernels from text and collected diagnostics for the tests of the reference executor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReferenceFixture.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilus;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerTilusDialects(registry);
  return registry;
}

ReferenceTest::ReferenceTest() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context.printOpOnDiagnostic(false);
}

bool ReferenceTest::run(StringRef text, ArrayRef<KernelArgument> args, bool checkHazards) {
  errors.clear();
  output.clear();
  numErrors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    auto add = [&](Diagnostic &entry) {
      auto location = dyn_cast<FileLineColLoc>(entry.getLocation());
      errors.push_back((location ? std::to_string(location.getLine()) : "?") + ": " + entry.str());
    };
    numErrors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    add(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      add(note);
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << getError() << "\n" << text.str();
    return false;
  }
  llvm::raw_string_ostream stream(output);
  options.checkHazards = checkHazards;
  options.output = &stream;
  FailureOr<ExecutionResult> outcome = executeKernel(*module->getOps<KernelOp>().begin(), args, options);
  EXPECT_EQ(numErrors, succeeded(outcome) ? 0u : 1u) << getError();
  if (succeeded(outcome))
    result = *outcome;
  return succeeded(outcome);
}

bool ReferenceTest::runBody(StringRef params, StringRef body, ArrayRef<KernelArgument> args,
                            bool checkHazards, int warps) {
  std::string text =
      ("tilus.kernel @k(" + params + ") warps(" + Twine(warps) +
       ") grid {\n%one = arith.constant 1 : i32\ntilus.grid [%one]\n} {\n%c0 = arith.constant 0 : i32\n" +
       body + "\n}\n")
          .str();
  return run(text, args, checkHazards);
}

bool ReferenceTest::runElementwise(StringRef inType, StringRef outType, StringRef body, int64_t n,
                                   ArrayRef<KernelArgument> inputs, KernelArgument output) {
  std::string params, lines, size = std::to_string(n);
  SmallVector<KernelArgument> args(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::string name(1, char('a' + i));
    params += "%p" + name + ": !tilus.ptr<" + inType.str() + ">, ";
    lines += "%v" + name + " = tilus.global_view %p" + name + " : !tilus.ptr<" + inType.str() +
             "> -> !tilus.global<" + size + "x" + inType.str() + ">\n%" + name + " = tilus.load_global %v" +
             name + "[%c0] : !tilus.global<" + size + "x" + inType.str() + "> -> tensor<" + size + "x" +
             inType.str() + ">\n";
  }
  params += "%pr: !tilus.ptr<" + outType.str() + ">";
  std::string view = "!tilus.global<" + size + "x" + outType.str() + ">";
  lines += body.str() + "\n%vr = tilus.global_view %pr : !tilus.ptr<" + outType.str() + "> -> " + view +
           "\ntilus.store_global %r, %vr[%c0] : tensor<" + size + "x" + outType.str() + ">, " + view;
  args.push_back(output);
  return runBody(params, lines, args);
}
