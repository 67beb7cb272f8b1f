// Tests of the rules and the names of tensor maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/KernelTensorMap.h"

#include "gtest/gtest.h"
#if __has_include(<cuda.h>)
#include <cuda.h>
#endif

using namespace tilus;

namespace {

KernelTensorMap makeMap(unsigned rank, TensorElement element, unsigned innermost) {
  KernelTensorMap map;
  map.shape.resize(rank, GridExpr::constant(1024));
  map.strides.resize(rank ? rank - 1 : 0, GridExpr::constant(4096));
  map.box.resize(rank, 4);
  map.elementStrides.resize(rank, 1);
  if (rank)
    map.box[0] = innermost;
  map.element = element;
  return map;
}

std::string check(const KernelTensorMap &map) {
  llvm::Error error = map.check();
  return error ? llvm::toString(std::move(error)) : "good";
}

} // namespace

TEST(KernelTensorMap, TakesWhatTheHardwareTakes) {
  for (unsigned rank = 1; rank <= 5; ++rank)
    EXPECT_EQ(check(makeMap(rank, TensorElement::Float16, 64)), "good");
  KernelTensorMap map = makeMap(3, TensorElement::Float32, 7);
  map.interleave = TensorInterleave::Bytes32;
  map.swizzle = TensorSwizzle::Span32;
  EXPECT_EQ(check(map), "good");
  EXPECT_EQ(map.getAlignment(), 32u);
  EXPECT_EQ(check(makeMap(2, TensorElement::U4Align16, 128)), "good");
  EXPECT_EQ(makeMap(2, TensorElement::U4Align16, 128).getShapeMultiple(), 128u);
}

TEST(KernelTensorMap, RefusalsAreInWords) {
  EXPECT_EQ(check(makeMap(0, TensorElement::Float16, 64)), "expected 1 to 5 dimensions, but got 0");
  EXPECT_EQ(check(makeMap(6, TensorElement::Float16, 64)), "expected 1 to 5 dimensions, but got 6");
  KernelTensorMap map = makeMap(2, TensorElement::Float16, 64);
  map.interleave = TensorInterleave::Bytes16;
  EXPECT_EQ(check(map), "expected 3 to 5 dimensions, but got 2");
  map = makeMap(2, TensorElement::Float16, 64);
  map.strides.clear();
  EXPECT_EQ(check(map), "expected 1 strides and 2 extents and steps of the box, but got 0, 2 and 2");
  map = makeMap(2, TensorElement::Float16, 64);
  map.box[1] = 257;
  EXPECT_EQ(check(map), "expected 1 to 256 elements along each dimension of the box, but got 257");
  map = makeMap(2, TensorElement::Float16, 64);
  map.elementStrides[1] = 9;
  EXPECT_EQ(check(map), "expected steps of 1 to 8 elements, but got 9");
  EXPECT_EQ(
      check(makeMap(2, TensorElement::Float16, 60)),
      "expected a multiple of 16 bytes along the innermost dimension of the box, but got 60 elements of "
      "type f16");
  map = makeMap(2, TensorElement::Float16, 128);
  map.swizzle = TensorSwizzle::Span128;
  EXPECT_EQ(check(map),
            "expected at most 128 bytes along the innermost dimension of the box, the span of swizzle "
            "128b, but got 256");
  EXPECT_EQ(
      check(makeMap(2, TensorElement::U6Align16, 64)),
      "expected 128 elements of type 16u6_align16 along the innermost dimension of the box, but got 64");
  map = makeMap(3, TensorElement::Float16, 64);
  map.interleave = TensorInterleave::Bytes32;
  EXPECT_EQ(check(map), "expected swizzle 32b with interleave 32b, but got swizzle none");
  map = makeMap(2, TensorElement::Int32, 32);
  map.fill = TensorFill::NaN;
  EXPECT_EQ(check(map), "expected a float type for the fill 'nan', but got i32");
}

TEST(KernelTensorMap, NamesReadBack) {
  for (int value = 0; value < 16; ++value) {
    TensorElement element;
    ASSERT_TRUE(parseName(getName(static_cast<TensorElement>(value)), element));
    EXPECT_EQ(static_cast<int>(element), value);
  }
  for (int value = 0; value < 7; ++value) {
    TensorSwizzle swizzle;
    ASSERT_TRUE(parseName(getName(static_cast<TensorSwizzle>(value)), swizzle));
    EXPECT_EQ(static_cast<int>(swizzle), value);
  }
  TensorFill fill = TensorFill::Zero;
  EXPECT_FALSE(parseName("none", fill));
}

#if __has_include(<cuda.h>)
TEST(KernelTensorMap, ValuesAreTheHeaders) {
  const std::pair<int, int> rows[] = {
      {int(TensorElement::UInt8), CU_TENSOR_MAP_DATA_TYPE_UINT8},
      {int(TensorElement::UInt16), CU_TENSOR_MAP_DATA_TYPE_UINT16},
      {int(TensorElement::UInt32), CU_TENSOR_MAP_DATA_TYPE_UINT32},
      {int(TensorElement::Int32), CU_TENSOR_MAP_DATA_TYPE_INT32},
      {int(TensorElement::UInt64), CU_TENSOR_MAP_DATA_TYPE_UINT64},
      {int(TensorElement::Int64), CU_TENSOR_MAP_DATA_TYPE_INT64},
      {int(TensorElement::Float16), CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
      {int(TensorElement::Float32), CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
      {int(TensorElement::Float64), CU_TENSOR_MAP_DATA_TYPE_FLOAT64},
      {int(TensorElement::BFloat16), CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
      {int(TensorElement::Float32FTZ), CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ},
      {int(TensorElement::TF32), CU_TENSOR_MAP_DATA_TYPE_TFLOAT32},
      {int(TensorElement::TF32FTZ), CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ},
      {int(TensorInterleave::Bytes32), CU_TENSOR_MAP_INTERLEAVE_32B},
      {int(TensorSwizzle::Span32), CU_TENSOR_MAP_SWIZZLE_32B},
      {int(TensorSwizzle::Span64), CU_TENSOR_MAP_SWIZZLE_64B},
      {int(TensorSwizzle::Span128), CU_TENSOR_MAP_SWIZZLE_128B},
      {int(TensorPromotion::Bytes256), CU_TENSOR_MAP_L2_PROMOTION_L2_256B},
      {int(TensorFill::NaN), CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA},
  };
  for (auto [ours, theirs] : rows)
    EXPECT_EQ(ours, theirs);
}
#endif
