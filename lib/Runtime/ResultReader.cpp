// Reading of what candidates wrote, back from the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ResultReader.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <atomic>

namespace tilus {

/// The bytes of a piece, and those of it that one thread compares.
static constexpr uint64_t pieceBytes = uint64_t(8) << 20, partBytes = uint64_t(512) << 10;

//===----------------------------------------------------------------------===//
// Page-locked memory
//===----------------------------------------------------------------------===//

void FreePageLocked::operator()(uint8_t *memory) const {
  llvm::Expected<ContextScope> scope = device->enter();
  if (scope)
    device->getDriver()->memFreeHost(memory);
  else
    llvm::consumeError(scope.takeError());
}

llvm::Expected<ResultReader::Stage> ResultReader::createStage(const Device &device) {
  llvm::Expected<Stream> stream = Stream::create(device);
  if (!stream)
    return stream.takeError();
  llvm::Expected<ContextScope> scope = device.enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device.getDriver();
  void *memory = nullptr;
  if (llvm::Error error =
          driver.check(driver->memAllocHost(&memory, pieceBytes), "cuMemAllocHost_v2",
                       llvm::Twine(pieceBytes) + " bytes that " + device.describe() + " copies to"))
    return std::move(error);
  return Stage{PageLockedMemory(static_cast<uint8_t *>(memory), {&device}), std::move(*stream)};
}

llvm::Expected<ResultReader> ResultReader::create(const Device &device) {
  llvm::Expected<Stage> first = createStage(device);
  if (!first)
    return first.takeError();
  llvm::Expected<Stage> second = createStage(device);
  if (!second)
    return second.takeError();
  return ResultReader(device, {std::move(*first), std::move(*second)});
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

llvm::Error ResultReader::startCopy(Stage &stage, uint64_t address, uint64_t bytes) {
  llvm::Expected<ContextScope> scope = device->enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device->getDriver();
  return driver.check(driver->memcpyDtoHAsync(stage.memory.get(), address, bytes, stage.stream.getHandle()),
                      "cuMemcpyDtoHAsync_v2",
                      "the contents of " + llvm::Twine(bytes) + " bytes on " + device->describe());
}

bool ResultReader::isEqual(llvm::ArrayRef<uint8_t> a, llvm::ArrayRef<uint8_t> b) {
  if (a.size() <= partBytes)
    return a == b;
  std::atomic<bool> isDifferent = false;
  for (uint64_t begin = 0; begin < a.size(); begin += partBytes)
    pool->async([&, begin] {
      uint64_t bytes = std::min(partBytes, a.size() - begin);
      if (!isDifferent && a.slice(begin, bytes) != b.slice(begin, bytes))
        isDifferent = true;
    });
  pool->wait();
  return !isDifferent;
}

namespace {
/// What is known of the contents while they arrive.
struct Arrival {
  /// The contents that they may be: those before, and the known ones.
  std::vector<llvm::ArrayRef<uint8_t>> models;
  /// The numbers of those that agree so far.
  std::vector<unsigned> matches;
  /// Their own bytes, once no model agrees.
  std::shared_ptr<std::vector<uint8_t>> own;
};
} // namespace

llvm::Expected<Contents> ResultReader::read(uint64_t address, llvm::ArrayRef<uint8_t> before,
                                            KnownContents &known) {
  Arrival arrival;
  arrival.models.push_back(before);
  for (const Contents &contents : known.get())
    arrival.models.push_back(*contents);
  for (unsigned number = 0; number < arrival.models.size(); ++number)
    arrival.matches.push_back(number);
  const auto start = [&](uint64_t begin) -> llvm::Error {
    if (begin >= before.size())
      return llvm::Error::success();
    return startCopy(stages[begin / pieceBytes % 2], address + begin,
                     std::min(pieceBytes, before.size() - begin));
  };
  if (llvm::Error error = start(0))
    return std::move(error);
  for (uint64_t begin = 0; begin < before.size(); begin += pieceBytes) {
    if (llvm::Error error = start(begin + pieceBytes))
      return std::move(error);
    const Stage &stage = stages[begin / pieceBytes % 2];
    if (llvm::Error error = stage.stream.synchronize())
      return std::move(error);
    llvm::ArrayRef<uint8_t> piece(stage.memory.get(), std::min(pieceBytes, before.size() - begin));
    if (!arrival.own) {
      unsigned last = arrival.matches.front();
      llvm::erase_if(arrival.matches, [&](unsigned number) {
        return !isEqual(arrival.models[number].slice(begin, piece.size()), piece);
      });
      if (arrival.matches.empty()) {
        arrival.own = std::make_shared<std::vector<uint8_t>>(before.size());
        llvm::copy(arrival.models[last].take_front(begin), arrival.own->begin());
      }
    }
    if (arrival.own)
      llvm::copy(piece, arrival.own->begin() + begin);
  }
  if (arrival.own) {
    known.add(arrival.own);
    return arrival.own;
  }
  unsigned match = arrival.matches.front();
  return match == 0 ? nullptr : known.get()[match - 1];
}

} // namespace tilus
