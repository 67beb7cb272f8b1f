// Dispatchers for the kernels of tilus-run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DispatchedKernel.h"

using namespace tilus;
using llvm::Expected;
using llvm::StringRef;

CallValue tilus::makeCallValue(const KernelParam &param, uint64_t code) {
  if (param.isPointer())
    return CallValue::getPointer(code);
  if (param.format.isFloat())
    return CallValue::getFloat(param.format.decode(code));
  return CallValue::getInt(param.format.decodeInt(code));
}

static CallParam::Kind getKind(const KernelParam &param) {
  if (param.isPointer())
    return CallParam::Kind::Pointer;
  return param.format.isFloat() ? CallParam::Kind::Float : CallParam::Kind::Integer;
}

Expected<DispatchedKernel> DispatchedKernel::create(StringRef name, std::vector<KernelParam> params,
                                                    ArtifactFunction compile) {
  std::vector<CallParam> callParams;
  for (const KernelParam &param : params)
    callParams.push_back({param.name, getKind(param), /*divisors=*/0});
  Expected<CallSignature> signature = CallSignature::create(name, std::move(callParams));
  if (!signature)
    return signature.takeError();
  DispatcherOptions options;
  options.compile = [compile](const CompileRequest &request) -> Expected<std::vector<Candidate>> {
    Expected<SharedArtifact> artifact = compile(request.target.getInfo());
    if (!artifact)
      return artifact.takeError();
    return std::vector<Candidate>{{*artifact, (*artifact)->schedule, (*artifact)->schedule}};
  };
  options.log = getDispatchLogFromEnvironment();
  DispatchedKernel kernel(name, std::move(params));
  kernel.dispatcher = std::make_unique<Dispatcher>(std::move(*signature), std::move(options));
  return std::move(kernel);
}

Expected<SharedArtifact> DispatchedKernel::compile(const TargetInfo &target) const {
  std::vector<CallValue> values;
  for (const KernelParam &param : params)
    values.push_back(makeCallValue(param, 0));
  Expected<const JitInstance *> instance = dispatcher->compile(values, &Target::get(target));
  if (!instance)
    return instance.takeError();
  return (*instance)->candidates.front().artifact;
}
