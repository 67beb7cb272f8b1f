// What is kept on disk of one kernel family (a script) for one target: which artifacts its specialisations
// are, and which schedules are best.
//
//   scripts/<name>-<chip>-<hash>/
//     manifest.json               specialisations: the keys of their artifacts in the cache, by schedule
//     tuning-<fingerprint>.json   the choices made on one kind of machine; see TuningTable.h
//     tuning.json                 choices that somebody put there; read, never written
// The hash covers the program's text, the options and the target. Where users share the cache, each file ends
// with a line that authenticates its text, its name and its directory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/CacheStore.h"
#include "Tilus/Runtime/TuningTable.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace tilus {

/// The version of the manifest's layout and meaning. Manifests of other versions are not read.
constexpr unsigned specializationCacheVersion = 1;

/// What a script is.
struct ScriptIdentity {
  /// The name of the class or function, for people.
  std::string name;
  /// The text that the kernels are made from.
  std::string program;
  /// The options, in a text that is the same for the same options.
  std::string options;
  std::string triple;
  std::string chip;
  std::string features;
  /// The build of the compiler.
  std::string tilusBuild;

  /// The name of the directory: different for different scripts, options and targets.
  std::string getDirectoryName() const;
};

/// One artifact of a specialisation.
struct SpecializedKernel {
  /// The hash of its schedule; empty where there are no schedules.
  std::string schedule;
  /// Its key in the cache.
  Hash256 artifact;
};

/// The artifacts of one specialisation.
struct Specialization {
  /// The hash of the JIT key.
  Hash256 key;
  std::vector<SpecializedKernel> kernels;
};

/// What was found on disk.
template <typename T> struct Loaded {
  T value;
  /// Why something that is there is not used; empty otherwise.
  std::string problem;
};

class ScriptDirectory {
public:
  /// Opens the directory, making it if it is missing. Other versions than the current one are for tests.
  static llvm::Expected<ScriptDirectory> open(std::shared_ptr<const CacheStore> store,
                                              const ScriptIdentity &identity,
                                              unsigned version = specializationCacheVersion);

  llvm::StringRef getPath() const { return folder.getPath(); }
  /// Whether a name is of the form of a script's directory.
  static bool isFolderName(llvm::StringRef name);
  /// Whether a name is one of a file that is written in such a directory.
  static bool isFileName(llvm::StringRef name);

  /// The specialisations that were noted so far.
  Loaded<std::vector<Specialization>> loadSpecializations() const;
  /// Notes a specialisation, in place of an older one with its key, and keeps the others.
  llvm::Error saveSpecialization(const Specialization &specialization) const;

  /// The choices that hold under the fingerprint: those found on such a machine, and below them those of
  /// tuning.json.
  Loaded<TuningTable> loadTuning(const TuningFingerprint &fingerprint) const;
  /// Adds choices to those that were found on such a machine.
  llvm::Error saveTuning(const TuningTable &table) const;

private:
  ScriptDirectory(std::shared_ptr<const CacheStore> store, TrustedFolder folder, unsigned version,
                  std::string chip)
      : store(std::move(store)), folder(std::move(folder)), version(version), chip(std::move(chip)) {}

  /// The text of a file, checked. Missing: there is none. Refused: it is not trusted.
  llvm::Expected<std::string> read(llvm::StringRef name) const;
  /// The text, or nothing; why not, unless there is no such file, is a problem.
  std::optional<std::string> read(llvm::StringRef name, std::string &problem) const;
  /// What a text ends with where users share the cache; else nothing.
  std::string sign(llvm::StringRef name, llvm::StringRef text) const;
  llvm::Expected<std::vector<Specialization>> parseManifest(llvm::StringRef text) const;
  std::string writeManifest(llvm::ArrayRef<Specialization> specializations) const;
  /// Replaces a file by what `change` makes of its contents, which are empty if there is no file that can be
  /// read. Other processes that do the same wait.
  llvm::Error update(llvm::StringRef name, llvm::function_ref<std::string(llvm::StringRef)> change) const;

  std::shared_ptr<const CacheStore> store;
  TrustedFolder folder;
  unsigned version;
  std::string chip;
};

} // namespace tilus
