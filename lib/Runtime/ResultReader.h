// Reading of what candidates wrote, back from the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/EventTimer.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/ThreadPool.h"
#include <array>
#include <memory>
#include <vector>

namespace tilus {

/// The bytes of a region after a launch; null where they are as before it.
using Contents = std::shared_ptr<const std::vector<uint8_t>>;

/// Contents that a region had after earlier launches. Those that are equal are one object.
class KnownContents {
public:
  llvm::ArrayRef<Contents> get() const { return contents; }
  /// Keeps the first few: where each launch gives other bytes, none will be met again.
  void add(const Contents &added) {
    if (contents.size() < mostContents)
      contents.push_back(added);
  }

private:
  static constexpr size_t mostContents = 4;
  std::vector<Contents> contents;
};

/// Host memory that the device copies to without a detour.
struct FreePageLocked {
  const Device *device;
  void operator()(uint8_t *memory) const;
};
using PageLockedMemory = std::unique_ptr<uint8_t[], FreePageLocked>;

/// Copies device memory piece by piece to page-locked memory, compares a piece while the next one is copied,
/// and keeps only bytes that it does not know.
class ResultReader {
public:
  static llvm::Expected<ResultReader> create(const Device &device);

  /// The contents of device memory on which no work is under way: null if they are those of `before`, which
  /// has their size, else one of `known` or new ones, which are added to it.
  llvm::Expected<Contents> read(uint64_t address, llvm::ArrayRef<uint8_t> before, KnownContents &known);

private:
  /// Where a piece arrives.
  struct Stage {
    PageLockedMemory memory;
    Stream stream;
  };
  ResultReader(const Device &device, std::array<Stage, 2> stages)
      : device(&device), stages(std::move(stages)), pool(std::make_unique<llvm::DefaultThreadPool>()) {}
  static llvm::Expected<Stage> createStage(const Device &device);
  llvm::Error startCopy(Stage &stage, uint64_t address, uint64_t bytes);
  bool isEqual(llvm::ArrayRef<uint8_t> a, llvm::ArrayRef<uint8_t> b);

  const Device *device;
  std::array<Stage, 2> stages;
  std::unique_ptr<llvm::DefaultThreadPool> pool;
};

} // namespace tilus
