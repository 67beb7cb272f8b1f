// A planted fault and the one error that it must give.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ReferenceFixture.h"

namespace tilus {

/// A body, whose first line is line 6, on parameters `%x` and `%y` of 64 i32 (ones and zeros), and the error
/// that it must give; empty if it is free of faults.
struct HazardCase {
  const char *name, *body, *error;
};

class HazardTest : public ReferenceTest, public testing::WithParamInterface<HazardCase> {
protected:
  void check() {
    std::vector<int32_t> x(64, 1), y(64, 0);
    bool succeeds = runBody("%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>", GetParam().body,
                            {Arg::buffer(x), Arg::buffer(y)});
    EXPECT_EQ(succeeds, *GetParam().error == 0);
    EXPECT_EQ(getError(), GetParam().error);
  }
};

inline std::string getHazardName(const testing::TestParamInfo<HazardCase> &info) { return info.param.name; }

} // namespace tilus
