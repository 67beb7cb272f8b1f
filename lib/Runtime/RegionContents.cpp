// The contents of the regions of a tuning before it, which the process that measures shares.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegionContents.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/MathExtras.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace tilus {

using Mapping = llvm::sys::fs::mapped_file_region;

RegionContents::RegionContents(RegionContents &&other)
    : file(std::exchange(other.file, -1)), mapping(std::move(other.mapping)),
      regions(std::move(other.regions)) {}

RegionContents::~RegionContents() {
  if (file >= 0)
    close(file);
}

llvm::Expected<RegionContents> RegionContents::create(llvm::ArrayRef<TuneRegion> regions) {
  int lowest = memfd_create("tilus regions", MFD_CLOEXEC);
  // Not the place of a standard stream that this process has closed.
  RegionContents contents(lowest < 0 ? -1 : fcntl(lowest, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (lowest >= 0)
    close(lowest);
  if (contents.file < 0)
    return llvm::createStringError("expected a file in memory, but got '" + llvm::sys::StrError() + "'");
  if (llvm::Error error = contents.map(regions, /*isNew=*/true))
    return std::move(error);
  return std::move(contents);
}

llvm::Expected<RegionContents> RegionContents::open(int file, llvm::ArrayRef<TuneRegion> regions) {
  RegionContents contents(file);
  if (llvm::Error error = contents.map(regions, /*isNew=*/false))
    return std::move(error);
  close(std::exchange(contents.file, -1));
  return std::move(contents);
}

llvm::Error RegionContents::map(llvm::ArrayRef<TuneRegion> of, bool isNew) {
  uint64_t bytes = 0;
  for (const TuneRegion &region : of)
    bytes += llvm::alignTo(region.bytes, tuneAlignment);
  // Nothing can be mapped of an empty file.
  std::error_code code;
  if (bytes > 0 && (!isNew || !(code = llvm::sys::fs::resize_file(file, bytes))))
    mapping = Mapping(file, isNew ? Mapping::readwrite : Mapping::readonly, bytes, 0, code);
  if (code)
    return llvm::createStringError("expected " + llvm::Twine(bytes) +
                                   " bytes of memory for a tuning, but got '" + code.message() + "'");
  uint64_t begin = 0;
  for (const TuneRegion &region : of) {
    regions.emplace_back(reinterpret_cast<const uint8_t *>(mapping.const_data()) + begin, region.bytes);
    begin += llvm::alignTo(region.bytes, tuneAlignment);
  }
  return llvm::Error::success();
}

llvm::MutableArrayRef<uint8_t> RegionContents::getWritable(unsigned region) {
  uint64_t begin = regions[region].data() - regions.front().data();
  return {reinterpret_cast<uint8_t *>(mapping.data()) + begin, regions[region].size()};
}

} // namespace tilus
