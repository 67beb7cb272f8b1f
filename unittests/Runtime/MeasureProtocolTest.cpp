// Tests of the messages between a process that tunes and the one that measures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Runtime/MeasureProtocol.h"

#include "gtest/gtest.h"
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace tilus;

namespace {

class MeasureProtocolTest : public testing::Test {
protected:
  static constexpr uint64_t bytes = 10000;

  void SetUp() override {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    plan.regions.resize(2);
    for (TuneRegion &region : plan.regions)
      region.bytes = bytes;
  }
  void TearDown() override {
    for (int socket : sockets)
      close(socket);
  }
  static Contents make(uint8_t value) { return std::make_shared<std::vector<uint8_t>>(bytes, value); }
  /// Sends results and receives them; the bytes on the way.
  int travel(const std::vector<Contents> &results) {
    MeasureChannel sender(sockets[0]), receiver(sockets[1]);
    sendMeasurement(sender, {1.5, results}, sent);
    int count = 0;
    ioctl(sockets[1], FIONREAD, &count);
    arrived = receiveMeasurement(receiver, plan, received);
    EXPECT_EQ(message(receiver.takeError()), "");
    EXPECT_EQ(arrived.milliseconds, 1.5);
    for (unsigned region = 0; region < 2; ++region) {
      EXPECT_EQ(bool(arrived.results[region]), bool(results[region]));
      EXPECT_TRUE(!results[region] || *arrived.results[region] == *results[region]);
    }
    return count;
  }
  static std::string message(llvm::Error error) { return llvm::toString(std::move(error)); }

  int sockets[2];
  TunePlan plan;
  std::vector<KnownContents> sent{2}, received{2};
  Measurement arrived;
};

} // namespace

TEST_F(MeasureProtocolTest, ContentsTravelOnce) {
  Contents one = make(1), two = make(2);
  EXPECT_EQ(travel({nullptr, one}), 8 + 8 + 8 + 8 + int(bytes));
  std::vector<Contents> first = arrived.results;
  EXPECT_EQ(travel({nullptr, one}), 8 + 8 + 8);
  EXPECT_EQ(arrived.results, first);
  EXPECT_EQ(travel({two, two}), 8 + 2 * (8 + 8 + int(bytes)));
  EXPECT_EQ(travel({nullptr, two}), 8 + 8 + 8);
  EXPECT_EQ(travel({nullptr, one}), 8 + 8 + 8);
  EXPECT_EQ(arrived.results, first);
}

/// What neither end keeps travels each time.
TEST_F(MeasureProtocolTest, MoreContentsThanAreKept) {
  std::vector<Contents> many;
  for (int i = 0; i < 6; ++i)
    many.push_back(make(i + 1));
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 6; ++i)
      EXPECT_EQ(travel({nullptr, many[i]}) > int(bytes), round == 0 || i >= 4);
}
