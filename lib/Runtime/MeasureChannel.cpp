// Sending and receiving between a process that tunes and the one that measures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeasureChannel.h"

#include "llvm/Support/Errno.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace tilus {

void MeasureChannel::fail(llvm::StringRef text) {
  if (failure.empty())
    failure = text.str();
}

llvm::Error MeasureChannel::takeError() {
  if (failure.empty())
    return llvm::Error::success();
  return llvm::createStringError(failure);
}

/// Waits until the socket takes or has bytes.
bool MeasureChannel::wait(short events) {
  for (;;) {
    int timeout = -1;
    if (deadline) {
      auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
      timeout = static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
    }
    pollfd entry = {socket, events, 0};
    int ready = poll(&entry, 1, timeout);
    if (ready > 0)
      return true;
    if (ready == 0) {
      late = true;
      fail("expected an answer in time, but got none");
      return false;
    }
    if (errno != EINTR) {
      fail("expected a connection, but got '" + llvm::sys::StrError() + "'");
      return false;
    }
  }
}

void MeasureChannel::transfer(void *bytes, size_t count, bool isSending) {
  auto *next = static_cast<char *>(bytes);
  while (count > 0 && !hasFailed()) {
    if (!wait(isSending ? POLLOUT : POLLIN))
      return;
    ssize_t done = isSending ? send(socket, next, count, MSG_NOSIGNAL | MSG_DONTWAIT)
                             : recv(socket, next, count, MSG_DONTWAIT);
    if (done > 0) {
      next += done;
      count -= done;
    } else if (done == 0) {
      fail("expected a connection, but got its end");
    } else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
      fail("expected a connection, but got '" + llvm::sys::StrError() + "'");
    }
  }
}

void MeasureChannel::sendNumber(uint64_t value) { transfer(&value, sizeof(value), true); }

void MeasureChannel::sendReal(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  sendNumber(bits);
}

void MeasureChannel::sendBytes(llvm::ArrayRef<uint8_t> bytes) {
  sendNumber(bytes.size());
  transfer(const_cast<uint8_t *>(bytes.data()), bytes.size(), true);
}

void MeasureChannel::sendText(llvm::StringRef text) {
  sendBytes({reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

uint64_t MeasureChannel::receiveNumber() {
  uint64_t value = 0;
  transfer(&value, sizeof(value), false);
  return hasFailed() ? 0 : value;
}

double MeasureChannel::receiveReal() {
  uint64_t bits = receiveNumber();
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::vector<uint8_t> MeasureChannel::receiveBytes(uint64_t limit) {
  uint64_t count = receiveNumber();
  if (count > limit)
    fail("expected at most " + std::to_string(limit) + " bytes, but got " + std::to_string(count));
  std::vector<uint8_t> bytes(hasFailed() ? 0 : count);
  transfer(bytes.data(), bytes.size(), false);
  return bytes;
}

std::string MeasureChannel::receiveText(uint64_t limit) {
  std::vector<uint8_t> bytes = receiveBytes(limit);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace tilus
