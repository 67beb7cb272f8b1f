// The contents of the regions of a tuning before it, which the process that measures shares.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "TuneMemory.h"

#include "llvm/Support/FileSystem.h"

namespace tilus {

/// The bytes of each region, mapped from a file in memory.
class RegionContents {
public:
  /// Zeros.
  static llvm::Expected<RegionContents> create(llvm::ArrayRef<TuneRegion> regions);
  /// What another process has created for the same regions; only to be read. Closes the file.
  static llvm::Expected<RegionContents> open(int file, llvm::ArrayRef<TuneRegion> regions);
  RegionContents(RegionContents &&other);
  RegionContents &operator=(RegionContents &&) = delete;
  ~RegionContents();

  size_t size() const { return regions.size(); }
  llvm::ArrayRef<uint8_t> operator[](unsigned region) const { return regions[region]; }
  /// Only of what was created here.
  llvm::MutableArrayRef<uint8_t> getWritable(unsigned region);
  /// For the other process; -1 where that is this one.
  int getFile() const { return file; }

private:
  explicit RegionContents(int file) : file(file) {}
  llvm::Error map(llvm::ArrayRef<TuneRegion> of, bool isNew);

  int file;
  llvm::sys::fs::mapped_file_region mapping;
  std::vector<llvm::ArrayRef<uint8_t>> regions;
};

} // namespace tilus
