// The connection between a process that tunes and the one that measures for it.
//
// Owns how numbers and bytes travel, deadlines, and what ends a connection. The order of the messages is in
// MeasureProtocol.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tilus {

/// A connected socket. After the first failure nothing more is sent, and zeros and empty strings are
/// received; takeError() tells what it was, so that a caller may check once after several steps.
class MeasureChannel {
public:
  using Clock = std::chrono::steady_clock;

  explicit MeasureChannel(int socket) : socket(socket) {}

  /// Until when sending and receiving may take; without one there is no limit.
  void setDeadline(std::optional<Clock::time_point> time) { deadline = time; }

  void sendNumber(uint64_t value);
  void sendReal(double value);
  void sendBytes(llvm::ArrayRef<uint8_t> bytes);
  void sendText(llvm::StringRef text);

  uint64_t receiveNumber();
  double receiveReal();
  /// Fails if more than `limit` bytes are announced.
  std::vector<uint8_t> receiveBytes(uint64_t limit);
  std::string receiveText(uint64_t limit);

  bool hasFailed() const { return !failure.empty(); }
  /// Whether the failure was the deadline.
  bool isLate() const { return late; }
  /// The first failure, or success.
  llvm::Error takeError();

private:
  bool wait(short events);
  void transfer(void *bytes, size_t count, bool isSending);
  void fail(llvm::StringRef text);

  int socket;
  std::optional<Clock::time_point> deadline;
  std::string failure;
  bool late = false;
};

} // namespace tilus
