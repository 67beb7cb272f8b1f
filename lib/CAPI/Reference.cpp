// The CPU reference in the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Reference/ReferenceExecutor.h"

#include "CompilerHandles.h"
#include "Tilus-c/Reference.h"
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/KernelMetadata.h"
#include "Tilus/Jit/DiagnosticText.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace tilus;
using namespace tilus::capi;

/// One thread at a time is in the context.
struct TilusReference {
  TilusReference() : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
    context.printOpOnDiagnostic(false);
  }

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerCompilerDialects(registry);
    return registry;
  }

  std::mutex mutex;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  KernelOp kernel;
  std::string name;
  std::vector<KernelParam> params;
  /// The type of each parameter, by name.
  std::vector<std::string> typeNames;
};

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

/// The kernel of that name; the only one if it is null.
static TilusError *findKernel(mlir::ModuleOp module, const char *name, KernelOp &result) {
  llvm::SmallVector<KernelOp> kernels = getKernels(module);
  std::string names;
  for (KernelOp kernel : kernels) {
    names += (names.empty() ? "'" : ", '") + kernel.getSymName().str() + "'";
    if (name ? kernel.getSymName() == name : kernels.size() == 1) {
      result = kernel;
      return nullptr;
    }
  }
  std::string actual = names.empty() ? "none" : names;
  if (name)
    return makeError("a kernel '" + llvm::Twine(name) + "' in the module", actual);
  return makeError("one kernel in the module, or the name of one", actual);
}

/// Copies the module to the reference's context.
static TilusError *copyModule(mlir::ModuleOp module, TilusReference &reference) {
  std::string bytecode;
  {
    DiagnosticText diagnostics(module.getContext());
    llvm::raw_string_ostream stream(bytecode);
    if (mlir::failed(mlir::verify(module)) || mlir::failed(mlir::writeBytecodeToFile(module, stream)))
      return wrapError(diagnostics.takeError());
  }
  DiagnosticText diagnostics(&reference.context);
  reference.module = mlir::parseSourceString<mlir::ModuleOp>(bytecode, &reference.context);
  return reference.module ? nullptr : wrapError(diagnostics.takeError());
}

TilusError *tilusReferenceCreate(MlirModule module, const char *kernel, const TilusTarget *target,
                                 TilusReference **result) {
  if (!result)
    return makeNullError("a place for the reference");
  *result = nullptr;
  if (!module.ptr)
    return makeNullError("a module");
  auto reference = std::make_unique<TilusReference>();
  if (TilusError *error = copyModule(::unwrap(module), *reference))
    return error;
  if (target) {
    const TargetInfo &info = unwrap(target)->getInfo();
    auto attribute =
        TargetAttr::get(&reference->context, info.triple, info.chip, unwrap(target)->getFeatures());
    reference->module.get()->setAttr(TilusDialect::kTargetAttrName, attribute);
  }
  if (TilusError *error = findKernel(*reference->module, kernel, reference->kernel))
    return error;
  reference->name = reference->kernel.getSymName().str();
  reference->params = readKernelParams(reference->kernel);
  for (const KernelParam &param : reference->params)
    reference->typeNames.push_back(param.format.getName());
  *result = reference.release();
  return nullptr;
}

const char *tilusReferenceGetName(const TilusReference *reference) {
  return reference ? reference->name.c_str() : "";
}

size_t tilusReferenceGetParamCount(const TilusReference *reference) {
  return reference ? reference->params.size() : 0;
}

TilusError *tilusReferenceGetParam(const TilusReference *reference, size_t index, TilusParamInfo *info) {
  if (!reference)
    return makeNullError("a reference");
  if (index >= reference->params.size())
    return makeIndexError("parameters", reference->params.size(), index);
  return writeOutput(makeParamInfo(reference->params[index], reference->typeNames[index]), info,
                     "TilusParamInfo");
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The error for a value that does not suit its parameter.
static TilusError *makeValueError(const TilusReference &reference, const KernelParam &param,
                                  const llvm::Twine &rule, const llvm::Twine &actual) {
  return makeError(rule + " for parameter '" + param.name + "' of kernel '" + reference.name + "'", actual);
}

static llvm::StringRef describeTag(ValueTag tag) {
  switch (tag) {
  case ValueTag::None:
    return "none";
  case ValueTag::Bool:
    return "a bool";
  case ValueTag::Int:
    return "an integer";
  case ValueTag::Float:
    return "a real number";
  case ValueTag::Pointer:
    return "a pointer";
  case ValueTag::Opaque:
    break;
  }
  return "a constant";
}

static TilusError *readPointer(const TilusReference &reference, const KernelParam &param,
                               const CallValue &value, KernelArgument &result) {
  std::string rule = "memory of the host";
  if (value.getTag() == ValueTag::None) {
    result = KernelArgument::memory({});
    return nullptr;
  }
  if (value.getTag() != ValueTag::Pointer)
    return makeValueError(reference, param, rule, describeTag(value.getTag()));
  if (value.getDevice() != CallValue::hostMemory && value.getDevice() != CallValue::unknownDevice)
    return makeValueError(reference, param, rule, "memory of device " + llvm::Twine(value.getDevice()));
  auto *bytes = reinterpret_cast<uint8_t *>(value.getBits());
  if (!bytes && value.getBytes() != 0)
    return makeValueError(reference, param, rule, llvm::Twine(value.getBytes()) + " bytes at the address 0");
  result = KernelArgument::memory({bytes, static_cast<size_t>(value.getBytes())});
  return nullptr;
}

static TilusError *readScalar(const TilusReference &reference, const KernelParam &param,
                              const CallValue &value, KernelArgument &result) {
  const ScalarFormat &format = param.format;
  ValueTag tag = value.getTag();
  bool isNumber = tag == ValueTag::Int || tag == ValueTag::Bool;
  if (!isNumber && !(tag == ValueTag::Float && format.isFloat()))
    return makeValueError(reference, param, "a value of type " + format.getName(), describeTag(tag));
  if (tag == ValueTag::Float) {
    result = KernelArgument::scalar(format.encode(value.getFloat(), Overflow::Special));
    return nullptr;
  }
  if (!format.isFloat() && !format.canHoldInt(value.getInt()))
    return makeValueError(reference, param, "a value of type " + format.getName(),
                          llvm::Twine(value.getInt()));
  result = KernelArgument::scalar(format.encodeInt(value.getInt(), Overflow::Special));
  return nullptr;
}

static TilusError *readArguments(const TilusReference &reference, llvm::ArrayRef<CallValue> values,
                                 std::vector<KernelArgument> &result) {
  if (values.size() != reference.params.size())
    return makeError(llvm::Twine(reference.params.size()) + " arguments for kernel '" + reference.name + "'",
                     llvm::Twine(values.size()));
  result.resize(values.size());
  for (size_t index = 0; index < values.size(); ++index) {
    const KernelParam &param = reference.params[index];
    auto read = param.isPointer() ? readPointer : readScalar;
    if (TilusError *error = read(reference, param, values[index], result[index]))
      return error;
  }
  return nullptr;
}

namespace {
/// Gives text to the caller as it comes.
class CallbackStream final : public llvm::raw_ostream {
public:
  explicit CallbackStream(const TilusReferenceOptions &options)
      : raw_ostream(/*unbuffered=*/true), options(options) {}

private:
  void write_impl(const char *text, size_t size) override {
    options.output(options.userData, text, size);
    position += size;
  }
  uint64_t current_pos() const override { return position; }

  const TilusReferenceOptions &options;
  uint64_t position = 0;
};
} // namespace

TilusError *tilusReferenceRun(TilusReference *reference, const TilusValue *arguments, size_t argumentCount,
                              const TilusReferenceOptions *options, TilusReferenceResult *result) {
  if (!reference)
    return makeNullError("a reference");
  if (!arguments && argumentCount != 0)
    return makeNullError("arguments");
  if (TilusError *error = options ? checkInput(options, "TilusReferenceOptions") : nullptr)
    return error;
  TilusReferenceOptions given = options ? *options : TilusReferenceOptions();
  std::vector<KernelArgument> values;
  if (TilusError *error = readArguments(*reference, unwrapValues(arguments, argumentCount), values))
    return error;
  CallbackStream stream(given);
  ReferenceOptions used;
  used.checkHazards = given.checkHazards;
  used.maxSteps = given.maxSteps;
  used.output = given.output ? &stream : nullptr;

  std::lock_guard<std::mutex> lock(reference->mutex);
  DiagnosticText diagnostics(&reference->context);
  mlir::FailureOr<ExecutionResult> outcome = executeKernel(reference->kernel, values, used);
  if (mlir::failed(outcome))
    return wrapError(diagnostics.takeError());
  if (!result)
    return nullptr;
  TilusReferenceResult data = {sizeof(TilusReferenceResult), {}, outcome->steps};
  llvm::copy(outcome->grid, data.blocks);
  return writeOutput(data, result, "TilusReferenceResult");
}

void tilusReferenceDestroy(TilusReference *reference) { delete reference; }
