// A host program in MLIR that is compiled in process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostProgram.h"

#include "Tilus-c/Host.h"
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/IR/TilusAttrs.h"
#include "Tilus/Runtime/DeviceBuffer.h"
#include "Tilus/Support/ArtifactFile.h"
#include "Tilus/TargetInfo/TargetInfo.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/TargetSelect.h"

using namespace tilus;

/// The artifact of `increment` for a chip, which the fake driver executes: it adds the chip's number.
static KernelArtifact makeIncrement(const std::string &chip) {
  KernelArtifact artifact;
  artifact.entry = "increment";
  artifact.triple = "nvptx64-nvidia-cuda";
  artifact.chip = chip;
  std::string number = std::to_string(std::atoi(chip.c_str() + 3));
  std::string image = "fake increment 32 0 0 8 8 chip=" + chip + " add=" + number;
  artifact.cubin.assign(image.c_str(), image.c_str() + image.size() + 1);
  artifact.blockThreads = 128;
  artifact.params = {{"x", KernelParam::Kind::Pointer, ScalarFormat::getInt(32), 4},
                     {"n", KernelParam::Kind::Scalar, ScalarFormat::getInt(64)}};
  artifact.grid[0] = llvm::cantFail(GridExpr::parse("p1 512 ceildivs", 2));
  artifact.versions = {"0.1.0", "22", "none"};
  return artifact;
}

static void setObjects(mlir::ModuleOp module, llvm::ArrayRef<std::string> chips) {
  mlir::MLIRContext *context = module.getContext();
  llvm::SmallVector<mlir::Attribute> objects;
  for (const std::string &chip : chips) {
    ArtifactFile file;
    file.artifacts.push_back(makeIncrement(chip));
    auto target =
        mlir::NVVM::NVVMTargetAttr::get(context, 3, "nvptx64-nvidia-cuda", chip, "", nullptr, nullptr,
                                        /*verifyTarget=*/false);
    objects.push_back(
        mlir::gpu::ObjectAttr::get(target, mlir::gpu::CompilationTarget::Offload,
                                   mlir::StringAttr::get(context, llvm::cantFail(serializeArtifacts(file)))));
  }
  auto binary = *module.getOps<mlir::gpu::BinaryOp>().begin();
  binary.setObjectsAttr(mlir::ArrayAttr::get(context, objects));
}

/// The text of the program, with a binary whose objects are not there yet.
static std::string makeText(const std::string &sizes, const std::string &arguments, bool isAsync) {
  std::string text = "module attributes {gpu.container_module} {\n"
                     "gpu.binary @kernels <#tilus.dispatch> [#gpu.object<#nvvm.target, offload = \"\">]\n"
                     "llvm.func @run(%stream: !llvm.ptr, %x: i64, %n: i64) {\n";
  llvm::SmallVector<llvm::StringRef> list;
  llvm::StringRef(sizes).split(list, ", ");
  std::string names;
  for (auto [index, size] : llvm::enumerate(list)) {
    std::string name = "%s" + std::to_string(index);
    text += "  " + name + " = llvm.mlir.constant(" + size.str() + " : i64) : i64\n";
    names += (index == 0 ? "blocks in (" : index == 3 ? ") threads in (" : ", ") + name;
  }
  text += "  gpu.launch_func ";
  text += isAsync ? "<%stream : !llvm.ptr> " : "";
  text += "@kernels::@increment " + names + ") : i64 args(" + arguments + ")\n  llvm.return\n}\n}";
  return text;
}

HostProgram::HostProgram(std::vector<std::string> chips, std::string sizes, std::string arguments,
                         bool isAsync) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(makeText(sizes, arguments, isAsync), &context);
  if (!module)
    return;
  setObjects(*module, chips);
  mlir::ExecutionEngineOptions options;
  llvm::StringRef libraries[] = {TILUS_RUNTIME_LIBRARY};
  options.sharedLibPaths = libraries;
  llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>> made =
      mlir::ExecutionEngine::create(*module, options);
  if (!made) {
    ADD_FAILURE() << llvm::toString(made.takeError());
    return;
  }
  engine = std::move(*made);
  engine->initialize();
  llvm::Expected<void *> found = engine->lookup("run");
  if (!found)
    ADD_FAILURE() << llvm::toString(found.takeError());
  else
    run = reinterpret_cast<RunFunction>(*found);
}

//===----------------------------------------------------------------------===//
// The fixture
//===----------------------------------------------------------------------===//

void HostTest::SetUp() {
  setenv("TILUS_CUDA_DRIVER", TILUS_FAKE_CUDA, /*replace=*/1);
  FakeDriverTest::SetUp();
  runtime = dlopen(TILUS_RUNTIME_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(runtime) << dlerror();
  auto set =
      reinterpret_cast<decltype(&tilusHostSetErrorHandler)>(dlsym(runtime, "tilusHostSetErrorHandler"));
  set(
      [](void *self, const char *, const char *message) {
        auto *test = static_cast<HostTest *>(self);
        std::lock_guard lock(test->mutex);
        test->failures += std::string(message) + "\n";
      },
      this);
}

void HostTest::TearDown() {
  EXPECT_EQ(takeFailures(), "");
  FakeDriverTest::TearDown();
}

void HostTest::reset(const char *devices) {
  FakeDriverTest::reset(devices);
  ASSERT_EQ((*driver)->init(0), 0);
}

std::string HostTest::takeFailures() {
  std::lock_guard lock(mutex);
  return std::exchange(failures, "");
}

int HostTest::launch(const HostProgram &program, unsigned device, const void *stream) {
  constexpr int64_t n = 1000;
  std::vector<int32_t> values(n);
  llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<uint8_t *>(values.data()), n * sizeof(int32_t));
  std::unique_ptr<Device> memory = llvm::cantFail(Device::open(*driver, device));
  DeviceBuffer buffer = llvm::cantFail(DeviceBuffer::allocate(*memory, bytes.size()));
  llvm::cantFail(buffer.copyFrom(bytes));
  program.getRun()(stream, static_cast<int64_t>(buffer.getAddress()), n);
  llvm::cantFail(buffer.copyTo({reinterpret_cast<uint8_t *>(values.data()), bytes.size()}));
  for (int32_t value : values)
    EXPECT_EQ(value, values.front());
  return values.back();
}

unsigned HostTest::count(const std::string &text) { return llvm::StringRef(log()).count(text); }
