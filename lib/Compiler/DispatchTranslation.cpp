// The translation of `#tilus.dispatch` to LLVM IR: the layouts of Tilus-c/Host.h, and calls of its functions.
//
// A gpu.binary becomes a constant with the file of all its artifacts, a TilusHostBinary that points to it,
// and a destructor that releases it. A gpu.launch_func becomes a TilusHostLaunch on the stack and a call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/IR/TilusAttrs.h"
#include "Tilus/IR/TilusDialect.h"
#include "Tilus/Support/ArtifactFile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace mlir;
using namespace tilus;

/// TILUS_HOST_ABI_VERSION, for which the layouts below are. A unit test compares them.
static constexpr uint64_t hostVersion = 1;

static std::string getBinaryName(StringRef symbol) { return ("tilus_host_binary_" + symbol).str(); }

//===----------------------------------------------------------------------===//
// The binary
//===----------------------------------------------------------------------===//

/// The artifacts of all objects, as one file.
static FailureOr<std::string> mergeObjects(gpu::BinaryOp binary) {
  ArtifactFile all;
  for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
    StringRef bytes = object.getObject().getValue();
    if (!hasArtifactMagic(bytes))
      return binary.emitOpError("expected objects that are artifacts of Tilus kernels, as "
                                "tilus-emit-binary{handler=dispatch} makes them, but got another for ")
             << object.getTarget();
    llvm::Expected<ArtifactFile> file = parseArtifacts(bytes);
    if (!file)
      return binary.emitOpError("the object for ")
             << object.getTarget() << ": " << llvm::toString(file.takeError());
    for (KernelArtifact &artifact : file->artifacts)
      all.artifacts.push_back(std::move(artifact));
  }
  llvm::Expected<std::string> bytes = serializeArtifacts(all);
  if (!bytes)
    return binary.emitOpError(llvm::toString(bytes.takeError()));
  return std::move(*bytes);
}

static llvm::GlobalVariable *addConstant(llvm::Module &module, llvm::Constant *value, const Twine &name) {
  auto *global = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, value, name);
  global->setAlignment(llvm::Align(8));
  return global;
}

static llvm::GlobalVariable *addText(llvm::Module &module, StringRef text, const Twine &name) {
  return addConstant(module, llvm::ConstantDataArray::getString(module.getContext(), text), name);
}

/// Releases the binary when the program, or the part of it that is loaded, ends.
static void addRelease(llvm::Module &module, llvm::GlobalVariable *binary, StringRef symbol) {
  llvm::LLVMContext &context = module.getContext();
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                          "tilus_host_release_" + symbol, module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", function));
  llvm::FunctionCallee release = module.getOrInsertFunction(
      "tilusHostRelease",
      llvm::FunctionType::get(builder.getVoidTy(), {llvm::PointerType::getUnqual(context)}, false));
  builder.CreateCall(release, {binary});
  builder.CreateRetVoid();
  llvm::appendToGlobalDtors(module, function, /*Priority=*/65535);
}

static LogicalResult embedBinary(gpu::BinaryOp op, llvm::Module &module) {
  FailureOr<std::string> bytes = mergeObjects(op);
  if (failed(bytes))
    return failure();
  llvm::LLVMContext &context = module.getContext();
  auto *word = llvm::Type::getInt64Ty(context);
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *data = addConstant(
      module, llvm::ConstantDataArray::getRaw(*bytes, bytes->size(), llvm::Type::getInt8Ty(context)),
      "tilus_host_artifacts_" + op.getSymName());
  auto *name = addText(module, op.getSymName(), "tilus_host_name_" + op.getSymName());
  auto *type = llvm::StructType::get(context, {word, pointer, pointer, word, pointer});
  auto *value = llvm::ConstantStruct::get(type, {llvm::ConstantInt::get(word, hostVersion), name, data,
                                                 llvm::ConstantInt::get(word, bytes->size()),
                                                 llvm::ConstantPointerNull::get(pointer)});
  auto *binary =
      new llvm::GlobalVariable(module, type, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage, value,
                               getBinaryName(op.getSymName()));
  addRelease(module, binary, op.getSymName());
  return success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// Builds one launch.
class LaunchBuilder {
public:
  LaunchBuilder(gpu::LaunchFuncOp op, llvm::IRBuilderBase &builder, LLVM::ModuleTranslation &translation)
      : op(op), builder(builder), translation(translation), module(*translation.getLLVMModule()),
        word(builder.getInt64Ty()), pointer(builder.getPtrTy()) {}

  LogicalResult build(StringRef binary);

private:
  llvm::Value *getSize(Value size);
  llvm::Value *allocate(llvm::Type *type);
  std::pair<llvm::Value *, llvm::Value *> storeArguments();
  llvm::Value *storeLaunch(llvm::Value *arguments, llvm::Value *bytes);

  gpu::LaunchFuncOp op;
  llvm::IRBuilderBase &builder;
  LLVM::ModuleTranslation &translation;
  llvm::Module &module;
  llvm::Type *word, *pointer;
};
} // namespace

/// A size as 64 bits; 0 if it is not stated.
llvm::Value *LaunchBuilder::getSize(Value size) {
  if (!size)
    return llvm::ConstantInt::get(word, 0);
  return builder.CreateSExtOrTrunc(translation.lookupValue(size), word);
}

/// Memory of the function: a launch in a loop must not take more each time.
llvm::Value *LaunchBuilder::allocate(llvm::Type *type) {
  llvm::IRBuilderBase::InsertPointGuard guard(builder);
  llvm::BasicBlock &entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
  builder.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  return builder.CreateAlloca(type);
}

/// The addresses of the arguments, and their sizes.
std::pair<llvm::Value *, llvm::Value *> LaunchBuilder::storeArguments() {
  const llvm::DataLayout &layout = module.getDataLayout();
  size_t count = op.getNumKernelOperands();
  llvm::Value *addresses = allocate(llvm::ArrayType::get(pointer, count));
  SmallVector<uint32_t> bytes;
  for (auto [index, operand] : llvm::enumerate(op.getKernelOperands())) {
    llvm::Value *value = translation.lookupValue(operand);
    // A boolean is a byte that holds 0 or 1.
    if (value->getType()->isIntegerTy(1))
      value = builder.CreateZExt(value, builder.getInt8Ty());
    llvm::Value *place = allocate(value->getType());
    builder.CreateStore(value, place);
    builder.CreateStore(place, builder.CreateConstInBoundsGEP1_64(pointer, addresses, index));
    bytes.push_back(layout.getTypeStoreSize(value->getType()).getFixedValue());
  }
  auto *sizes = llvm::ConstantDataArray::get(module.getContext(), bytes);
  return {addresses, addConstant(module, sizes, "tilus_host_sizes")};
}

/// A TilusHostLaunch.
llvm::Value *LaunchBuilder::storeLaunch(llvm::Value *arguments, llvm::Value *bytes) {
  bool isAsync = static_cast<bool>(op.getAsyncObject());
  gpu::KernelDim3 grid = op.getGridSizeOperandValues(), block = op.getBlockSizeOperandValues();
  gpu::KernelDim3 cluster = op.hasClusterSize() ? op.getClusterSizeOperandValues() : gpu::KernelDim3();
  SmallVector<llvm::Value *> fields = {addText(module, op.getKernelName().getValue(), "tilus_host_entry"),
                                       isAsync ? translation.lookupValue(op.getAsyncObject())
                                               : llvm::ConstantPointerNull::get(builder.getPtrTy()),
                                       llvm::ConstantInt::get(word, !isAsync)};
  for (const gpu::KernelDim3 &sizes : {grid, block, cluster})
    for (Value size : {sizes.x, sizes.y, sizes.z})
      fields.push_back(getSize(size));
  fields.push_back(getSize(op.getDynamicSharedMemorySize()));
  fields.push_back(llvm::ConstantInt::get(word, op.getNumKernelOperands()));
  fields.append({arguments, bytes});
  SmallVector<llvm::Type *> types =
      llvm::map_to_vector(fields, [](llvm::Value *field) { return field->getType(); });
  auto *type = llvm::StructType::get(module.getContext(), types);
  llvm::Value *launch = allocate(type);
  for (auto [index, field] : llvm::enumerate(fields))
    builder.CreateStore(field, builder.CreateStructGEP(type, launch, index));
  return launch;
}

LogicalResult LaunchBuilder::build(StringRef name) {
  llvm::GlobalVariable *binary = module.getNamedGlobal(getBinaryName(name));
  if (!binary)
    return op.emitOpError("expected the gpu.binary '") << name << "' before the function, but got it behind";
  for (Value operand : op.getKernelOperands()) {
    llvm::Type *type = translation.lookupValue(operand)->getType();
    if (!type->isIntegerTy() && !type->isFloatingPointTy() && !type->isPointerTy())
      return op.emitOpError("expected integers, floats and pointers as arguments, but got ")
             << operand.getType();
  }
  auto [arguments, bytes] = storeArguments();
  llvm::Value *launch = storeLaunch(arguments, bytes);
  llvm::FunctionCallee function = module.getOrInsertFunction(
      "tilusHostLaunch", llvm::FunctionType::get(builder.getInt32Ty(), {pointer, pointer}, false));
  builder.CreateCall(function, {binary, launch});
  return success();
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {
class DispatchTranslation
    : public gpu::OffloadingLLVMTranslationAttrInterface::FallbackModel<DispatchTranslation> {
public:
  LogicalResult embedBinary(Attribute, Operation *op, llvm::IRBuilderBase &,
                            LLVM::ModuleTranslation &translation) const {
    return ::embedBinary(cast<gpu::BinaryOp>(op), *translation.getLLVMModule());
  }
  LogicalResult launchKernel(Attribute, Operation *launch, Operation *binary, llvm::IRBuilderBase &builder,
                             LLVM::ModuleTranslation &translation) const {
    return LaunchBuilder(cast<gpu::LaunchFuncOp>(launch), builder, translation)
        .build(cast<gpu::BinaryOp>(binary).getSymName());
  }
};
} // namespace

void tilus::registerDispatchTranslation(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TilusDialect *) {
    DispatchAttr::attachInterface<DispatchTranslation>(*context);
  });
}
