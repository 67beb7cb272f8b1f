// Targets as interned objects, and the current target of a thread.
//
// Owns: the identity of a target (chip and features) within the process, and thread-scoped targets. What a
// chip is and can do belongs to TargetInfo.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/TargetInfo/TargetInfo.h"

#include "llvm/Support/Error.h"

namespace tilus {

/// What code is compiled for: a chip and features. There is one object a distinct target in a process and it
/// lives as long as the process, so two targets are equal if their addresses are.
class Target {
public:
  /// The target of a row of the target table. `features` are LLVM subtarget features apart by commas, such as
  /// "+ptx88"; their order and repetitions do not matter.
  static const Target &get(const TargetInfo &info, llvm::StringRef features = "");
  /// The target of a chip's name, as lookupTarget() reads it. Fails for an unknown chip, with a suggestion.
  static llvm::Expected<const Target *> lookup(llvm::StringRef chip, llvm::StringRef features = "");

  const TargetInfo &getInfo() const { return info; }
  llvm::StringRef getChip() const { return info.chip; }
  /// The features, sorted, apart by commas; empty if there are none.
  llvm::StringRef getFeatures() const { return features; }
  /// "sm_90a", or "sm_90a,+ptx88" with features.
  llvm::StringRef getName() const { return name; }
  /// The name in letters, digits, '_', '.' and '-', different for different targets.
  llvm::StringRef getFileName() const { return fileName; }
  /// A hash of triple and name that is the same in every process.
  uint64_t getHash() const { return hash; }

  Target(const Target &) = delete;
  Target &operator=(const Target &) = delete;

private:
  Target(const TargetInfo &info, std::string features);

  const TargetInfo &info;
  std::string features;
  std::string name;
  std::string fileName;
  uint64_t hash;
};

namespace detail {
/// Each call looks at it. The keyword of the compiler, unlike that of the language, takes no function call.
extern __thread const Target *currentTarget;
} // namespace detail

/// The target of the innermost TargetScope of the calling thread, or null outside of any.
inline const Target *getCurrentTarget() { return detail::currentTarget; }

/// Makes a target the current one of this thread for as long as the scope lives. Scopes nest; one must end on
/// the thread that began it, and the last one begun must end first.
class TargetScope {
public:
  explicit TargetScope(const Target &target);
  ~TargetScope();
  TargetScope(const TargetScope &) = delete;
  TargetScope &operator=(const TargetScope &) = delete;

private:
  const Target *former;
};

} // namespace tilus
