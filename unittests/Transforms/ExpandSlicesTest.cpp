// Expanded slices, executed by the CPU reference, against slices of the bytes themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilusDialect.h"
#include "Tilus/IR/TilusOps.h"
#include "Tilus/Reference/ReferenceExecutor.h"
#include "Tilus/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace tilus;

namespace {
constexpr int64_t kRows = 4, kColumns = 8;

struct ElementCase {
  const char *type;
  int64_t bits;
  /// Bits of a byte that elements of this type may have set.
  uint8_t mask;
};

using Bytes = std::vector<uint8_t>;

class ExpandSlices : public ::testing::TestWithParam<ElementCase> {
protected:
  ExpandSlices() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {}

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerTilusDialects(registry);
    return registry;
  }

  Bytes drawRows(int64_t rows) {
    Bytes bytes(rows * getRowBytes());
    for (uint8_t &byte : bytes)
      byte = uint8_t(random()) & GetParam().mask;
    return bytes;
  }

  int64_t getRowBytes() const { return kColumns * GetParam().bits / 8; }

  /// Runs a body with the tile %t from the first buffer and the row %s from the second; %r goes to the third.
  void run(const std::string &offsetType, int64_t offset, const std::string &op, int64_t resultRows,
           Bytes &tile, Bytes &row, Bytes &result) {
    std::string e = GetParam().type, shape = "4x8x" + e, one = "8x" + e, res = resultRows == 1 ? one : shape;
    std::string at = resultRows == 1 ? "[%c0]" : "[%c0, %c0]";
    std::string text =
        "tilus.kernel @k(%x: !tilus.ptr<" + e + ">, %y: !tilus.ptr<" + e + ">, %z: !tilus.ptr<" + e +
        ">, %i: " + offsetType + ") warps(1) grid {\n%g = arith.constant 1 : i32\ntilus.grid [%g]\n} {\n" +
        "%c0 = arith.constant 0 : i32\n%vx = tilus.global_view %x : !tilus.ptr<" + e + "> -> !tilus.global<" +
        shape + ">\n%vy = tilus.global_view %y : !tilus.ptr<" + e + "> -> !tilus.global<" + one +
        ">\n%vz = tilus.global_view %z : !tilus.ptr<" + e + "> -> !tilus.global<" + res +
        ">\n%t = tilus.load_global %vx[%c0, %c0] : !tilus.global<" + shape + "> -> tensor<" + shape +
        ">\n%s = tilus.load_global %vy[%c0] : !tilus.global<" + one + "> -> tensor<" + one + ">\n" + op +
        "\ntilus.store_global %r, %vz" + at + " : tensor<" + res + ">, !tilus.global<" + res + ">\n}\n";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    PassManager passes(&context);
    passes.addPass(createExpandSlicesPass());
    ASSERT_TRUE(succeeded(passes.run(*module)));
    module->walk([](Operation *each) { ASSERT_FALSE((isa<ExtractSliceOp, InsertSliceOp>(each))); });
    KernelArgument args[] = {{0, tile}, {0, row}, {0, result}, {uint64_t(offset), {}}};
    ASSERT_TRUE(succeeded(executeKernel(*module->getOps<KernelOp>().begin(), args, ReferenceOptions())));
  }

  std::mt19937 random{11};
  MLIRContext context;
};
} // namespace

/// Offsets of a type: each row, and some outside, among them those whose low 32 bits are a row.
static std::vector<std::pair<std::string, int64_t>> getOffsets() {
  std::vector<std::pair<std::string, int64_t>> offsets;
  for (const char *type : {"i32", "i64", "i8", "index"})
    for (int64_t offset : {0, 1, 2, 3, 4, 100, -1})
      offsets.push_back({type, offset});
  for (int64_t offset : {int64_t(1) << 32, (int64_t(1) << 32) + 2, INT64_MIN, INT64_MIN + 1})
    offsets.push_back({"i64", offset});
  return offsets;
}

static bool isRow(int64_t offset) { return offset >= 0 && offset < kRows; }

TEST_P(ExpandSlices, ExtractsBits) {
  std::string e = GetParam().type;
  for (auto [type, offset] : getOffsets()) {
    Bytes tile = drawRows(kRows), row = drawRows(1), result = drawRows(1), expected(getRowBytes(), 0);
    run(type, offset,
        "%r = tilus.extract_slice %t[%i : " + type + "] dims [0] : tensor<4x8x" + e + "> -> tensor<8x" + e +
            ">",
        1, tile, row, result);
    if (isRow(offset))
      expected.assign(tile.begin() + offset * getRowBytes(), tile.begin() + (offset + 1) * getRowBytes());
    EXPECT_EQ(result, expected) << type << " " << offset;
  }
}

TEST_P(ExpandSlices, InsertsBits) {
  std::string e = GetParam().type;
  for (auto [type, offset] : getOffsets()) {
    Bytes tile = drawRows(kRows), row = drawRows(1), result = drawRows(kRows), expected = tile;
    run(type, offset,
        "%r = tilus.insert_slice %s, %t[%i : " + type + "] dims [0] : tensor<8x" + e + ">, tensor<4x8x" + e +
            ">",
        kRows, tile, row, result);
    if (isRow(offset))
      std::copy(row.begin(), row.end(), expected.begin() + offset * getRowBytes());
    EXPECT_EQ(result, expected) << type << " " << offset;
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, ExpandSlices,
                         ::testing::Values(ElementCase{"f32", 32, 0xff}, ElementCase{"f16", 16, 0xff},
                                           ElementCase{"bf16", 16, 0xff}, ElementCase{"f64", 64, 0xff},
                                           ElementCase{"f8E4M3FN", 8, 0xff}, ElementCase{"f8E5M2", 8, 0xff},
                                           ElementCase{"f4E2M1FN", 4, 0xff}, ElementCase{"f6E2M3FN", 6, 0xff},
                                           ElementCase{"!tilus.float<4, 3>", 8, 0xff},
                                           ElementCase{"!tilus.float<2, 2>", 5, 0xff},
                                           ElementCase{"!tilus.bit", 1, 0xff}, ElementCase{"i1", 8, 0x01},
                                           ElementCase{"i4", 4, 0xff}, ElementCase{"i8", 8, 0xff},
                                           ElementCase{"i64", 64, 0xff}, ElementCase{"index", 64, 0xff}));
