// The program tilus-run: from a command line to a session.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/RunTool.h"

#include "ArtifactSession.h"
#include "RunSession.h"
#include "Tilus/Compiler/ParseModule.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilus;

static int printError(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "tilus-run") << message << "\n";
  return 1;
}

static int runOnArtifacts(const RunOptions &options, llvm::StringRef bytes) {
  llvm::Expected<ArtifactFile> file = parseArtifacts(bytes);
  if (!file)
    return printError("'" + options.inputFile + "': " + llvm::toString(file.takeError()));
  return ArtifactSession(options, std::move(*file)).run() ? 0 : 1;
}

static int runOnFile(const RunOptions &options) {
  std::string reason;
  std::unique_ptr<llvm::MemoryBuffer> file = mlir::openInputFile(options.inputFile, &reason);
  if (!file)
    return printError(reason);
  if (hasArtifactMagic(file->getBuffer()))
    return runOnArtifacts(options, file->getBuffer());

  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  const llvm::MemoryBuffer &text = *sources.getMemoryBuffer(sources.getMainFileID());
  if (mlir::failed(checkNesting(text.getBuffer(), &context, text.getBufferIdentifier())))
    return 1;
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return 1;
  return RunSession(options, *module).run() ? 0 : 1;
}

int tilus::runTilusRun(int argc, char **argv) {
  installFatalErrorHandler();
  llvm::Expected<RunOptions> options = parseRunOptions(llvm::ArrayRef<const char *>(argv + 1, argc - 1));
  if (!options)
    return printError(llvm::toString(options.takeError()));
  if (options->help) {
    printRunHelp(llvm::outs());
    return 0;
  }
  if (options->version) {
    llvm::outs() << "tilus-run " << getTilusVersion() << ", LLVM " << getLLVMVersion() << "\n";
    return 0;
  }
  return runOnFile(*options);
}
