// Targets of the C API, and the scopes of a thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Handles.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilus;
using namespace tilus::capi;

/// The scopes of the thread that the C API began, the innermost last. A scope is an object of C++ that ends
/// with a block, which calls of C do not have.
static thread_local std::vector<std::unique_ptr<TargetScope>> scopes;

/// Whether there is such a version for the chip is the compiler's to say.
static TilusError *checkFeatures(llvm::StringRef features) {
  for (llvm::StringRef word : llvm::split(features, ',')) {
    llvm::StringRef digits = word.trim();
    unsigned version;
    bool isVersion = digits.consume_front("+ptx") && digits.size() <= 3 && !digits.getAsInteger(10, version);
    if (!isVersion && !word.trim().empty())
      return makeError("a PTX version such as '+ptx88' as a feature of a target", "'" + word + "'");
  }
  return nullptr;
}

TilusError *tilusTargetLookup(const char *chip, const char *features, const TilusTarget **result) {
  if (!result)
    return makeNullError("a place for the target");
  *result = nullptr;
  if (!chip)
    return makeNullError("the name of a chip");
  if (TilusError *error = checkFeatures(features ? features : ""))
    return error;
  llvm::Expected<const Target *> target = Target::lookup(chip, features ? features : "");
  if (!target)
    return wrapError(target.takeError());
  *result = wrapTarget(*target);
  return nullptr;
}

size_t tilusTargetGetChipCount() { return allTargets().size(); }

const char *tilusTargetGetChipAt(size_t index) {
  return index < allTargets().size() ? allTargets()[index].chip.data() : nullptr;
}

const char *tilusTargetGetName(const TilusTarget *target) {
  return target ? unwrap(target)->getName().data() : "";
}

const char *tilusTargetGetChip(const TilusTarget *target) {
  return target ? unwrap(target)->getChip().data() : "";
}

const char *tilusTargetGetFeatures(const TilusTarget *target) {
  return target ? unwrap(target)->getFeatures().data() : "";
}

const char *tilusTargetGetTriple(const TilusTarget *target) {
  return target ? unwrap(target)->getInfo().triple.data() : "";
}

uint64_t tilusTargetGetSharedMemory(const TilusTarget *target) {
  return target ? unwrap(target)->getInfo().maxSharedMemoryPerBlock : 0;
}

bool tilusTargetSupports(const TilusTarget *target, const TilusTarget *other) {
  return target && other && unwrap(target)->getInfo().supports(unwrap(other)->getInfo());
}

bool tilusTargetHasFeature(const TilusTarget *target, const char *feature) {
  if (!target || !feature)
    return false;
  std::optional<Feature> found = lookupFeature(feature);
  return found && unwrap(target)->getInfo().hasFeature(*found);
}

bool tilusTargetCanRunOn(const TilusTarget *target, int major, int minor) {
  return target && unwrap(target)->getInfo().canRunOn({major, minor});
}

TilusError *tilusTargetScopePush(const TilusTarget *target) {
  if (!target)
    return makeNullError("a target to make the current one");
  scopes.push_back(std::make_unique<TargetScope>(*unwrap(target)));
  return nullptr;
}

TilusError *tilusTargetScopePop() {
  if (scopes.empty())
    return makeError("a scope of this thread to end", "none");
  scopes.pop_back();
  return nullptr;
}

const TilusTarget *tilusTargetGetCurrent() { return wrapTarget(getCurrentTarget()); }
