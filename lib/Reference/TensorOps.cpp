// Tiles: making, reshaping and slicing them, the registers' view, and random words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Agent.h"
#include "Handlers.h"

#include <cstring>

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

static ArrayRef<int64_t> getResultShape(const Instruction &inst) {
  return cast<RankedTensorType>(inst.op->getResult(0).getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Calls `body` with each element's number in row-major order and with `base` plus its index times the
/// strides.
template <typename Body>
static void forEachStrided(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, int64_t base, Body body) {
  Shape index(shape.size(), 0);
  int64_t place = base;
  for (int64_t i = 0, count = countElements(shape); i < count; ++i) {
    body(i, place);
    for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
      place += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      place -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
  }
}

/// Copies the strided elements of the source into a dense tile.
static Tile gather(const Tile &source, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, int64_t base) {
  Tile tile(source.element, shape);
  unsigned bytes = source.element.bytes;
  forEachStrided(shape, strides, base,
                 [&](int64_t i, int64_t place) { std::memcpy(tile.at(i), source.at(place), bytes); });
  return tile;
}

static Step runBroadcast(Agent &agent, const Instruction &inst) {
  ArrayRef<int64_t> shape = getResultShape(inst);
  Shape strides(shape.size(), 0);
  if (const auto *scalar = std::get_if<uint64_t>(&agent.get(inst, 0))) {
    Tile single(*getElement(inst.op->getOperand(0).getType()), {});
    single.setCode(0, *scalar);
    agent.setTile(inst, gather(single, shape, strides, 0));
    return Step::Next;
  }
  const Tile &source = agent.getTile(inst, 0);
  Shape sourceStrides = getRowMajorStrides(source.shape);
  size_t lead = shape.size() - source.shape.size();
  for (auto [dim, size] : llvm::enumerate(source.shape))
    strides[lead + dim] = size == 1 ? 0 : sourceStrides[dim];
  agent.setTile(inst, gather(source, shape, strides, 0));
  return Step::Next;
}

static Step runIota(Agent &agent, const Instruction &inst) {
  ArrayRef<int64_t> shape = getResultShape(inst);
  Tile tile(*getElement(inst.op->getResult(0).getType()), shape);
  Shape strides(shape.size(), 0);
  strides[cast<IotaOp>(inst.op).getDim()] = 1;
  forEachStrided(shape, strides, 0, [&](int64_t i, int64_t index) { tile.setCode(i, index); });
  agent.setTile(inst, std::move(tile));
  return Step::Next;
}

/// The same elements in order under another shape or layout.
static Step runReshape(Agent &agent, const Instruction &inst) {
  Tile tile(agent.getTile(inst, 0));
  tile.shape = Shape(getResultShape(inst));
  agent.setTile(inst, std::move(tile));
  return Step::Next;
}

static Step runTranspose(Agent &agent, const Instruction &inst) {
  const Tile &source = agent.getTile(inst, 0);
  Shape strides = getRowMajorStrides(source.shape), permuted;
  for (int64_t dim : cast<TransposeOp>(inst.op).getPermutation())
    permuted.push_back(strides[dim]);
  agent.setTile(inst, gather(source, getResultShape(inst), permuted, 0));
  return Step::Next;
}

static Step runExtract(Agent &agent, const Instruction &inst) {
  agent.set(inst, agent.getTile(inst, 0).getCode(0));
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// A part of a tile with some dimensions indexed.
struct Slice {
  Shape shape, strides;
  int64_t base = 0;
  bool isInside = true;

  Slice(ArrayRef<int64_t> whole, ArrayRef<int64_t> dims, ArrayRef<int64_t> offsets) {
    Shape wholeStrides = getRowMajorStrides(whole);
    for (auto [dim, size] : llvm::enumerate(whole)) {
      const int64_t *indexed = llvm::find(dims, int64_t(dim));
      if (indexed == dims.end()) {
        shape.push_back(size);
        strides.push_back(wholeStrides[dim]);
        continue;
      }
      int64_t offset = offsets[indexed - dims.begin()];
      isInside &= offset >= 0 && offset < size;
      base += isInside ? offset * wholeStrides[dim] : 0;
    }
  }
};
} // namespace

static Step runExtractSlice(Agent &agent, const Instruction &inst) {
  auto op = cast<ExtractSliceOp>(inst.op);
  const Tile &source = agent.getTile(inst, 0);
  Slice slice(source.shape, op.getDims(), agent.getInts(inst, op.getOffsets()));
  agent.setTile(inst, slice.isInside ? gather(source, slice.shape, slice.strides, slice.base)
                                     : Tile(source.element, slice.shape));
  return Step::Next;
}

static Step runInsertSlice(Agent &agent, const Instruction &inst) {
  auto op = cast<InsertSliceOp>(inst.op);
  const Tile &source = agent.getTile(inst, 0);
  Tile tile(agent.getTile(inst, 1));
  Slice slice(tile.shape, op.getDims(), agent.getInts(inst, op.getOffsets()));
  if (slice.isInside)
    forEachStrided(slice.shape, slice.strides, slice.base,
                   [&](int64_t i, int64_t place) { tile.setCode(place, source.getCode(i)); });
  agent.setTile(inst, std::move(tile));
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static int64_t flattenIndex(ArrayRef<int64_t> index, ArrayRef<int64_t> strides) {
  int64_t position = 0;
  for (auto [value, stride] : llvm::zip(index, strides))
    position += value * stride;
  return position;
}

static Step runView(Agent &agent, const Instruction &inst) {
  const Tile &source = agent.getTile(inst, 0);
  const RegisterLayout &from = getTileLayout(inst.op->getOperand(0).getType()).getLayout();
  const RegisterLayout &to = getTileLayout(inst.op->getResult(0).getType()).getLayout();
  Tile tile(*getElement(inst.op->getResult(0).getType()), getResultShape(inst));
  Shape fromStrides = getRowMajorStrides(source.shape), toStrides = getRowMajorStrides(tile.shape);
  unsigned fromBits = source.element.format.bits, toBits = tile.element.format.bits;
  std::vector<uint8_t> registers((from.getNumLocals() * fromBits + 7) / 8);
  // From the last thread to the first: of replicas that differ, the lowest thread's stays.
  for (int64_t thread = from.getNumThreads() - 1; thread >= 0; --thread) {
    for (int64_t slot = 0; slot < from.getNumLocals(); ++slot)
      writeElement(registers, slot * fromBits, fromBits,
                   source.getCode(flattenIndex(from.getIndex(thread, slot), fromStrides)));
    for (int64_t slot = 0; slot < to.getNumLocals(); ++slot) {
      uint64_t code = readElement(registers, slot * toBits, toBits);
      tile.setCode(flattenIndex(to.getIndex(thread, slot), toStrides),
                   tile.element.isBool() ? code != 0 : code);
    }
  }
  agent.setTile(inst, std::move(tile));
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Random words
//===----------------------------------------------------------------------===//

/// Philox 4x32 (Salmon et al., SC 2011, section 4): the words of one counter.
static std::array<uint32_t, 4> philox(uint64_t seed, uint32_t offset, int64_t rounds) {
  constexpr uint64_t multipliers[] = {0xD2511F53, 0xCD9E8D57};
  std::array<uint32_t, 4> counter = {offset, 0, 0, 0};
  uint32_t key0 = uint32_t(seed), key1 = uint32_t(seed >> 32);
  for (int64_t round = 0; round < rounds; ++round) {
    uint64_t even = multipliers[0] * counter[0], odd = multipliers[1] * counter[2];
    counter = {uint32_t(odd >> 32) ^ counter[1] ^ key0, uint32_t(odd),
               uint32_t(even >> 32) ^ counter[3] ^ key1, uint32_t(even)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

static Step runRandom(Agent &agent, const Instruction &inst) {
  auto op = cast<RandomOp>(inst.op);
  const Tile &offsets = agent.getTile(inst, 1);
  Tile tile(offsets.element, getResultShape(inst));
  for (int64_t i = 0; i < offsets.count; ++i) {
    std::array<uint32_t, 4> words =
        philox(agent.getCode(inst, 0), uint32_t(offsets.getCode(i)), op.getRounds());
    for (int64_t word = 0; word < 4; ++word)
      tile.setCode(word * offsets.count + i, words[word]);
  }
  agent.setTile(inst, std::move(tile));
  return Step::Next;
}

void tilus::reference::registerTensorHandlers(HandlerTable &table) {
  table.add<BroadcastOp>(runBroadcast);
  table.add<IotaOp>(runIota);
  table.add<ReshapeOp>(runReshape);
  table.add<ConvertLayoutOp>(runReshape);
  table.add<TransposeOp>(runTranspose);
  table.add<ExtractOp>(runExtract);
  table.add<ExtractSliceOp>(runExtractSlice);
  table.add<InsertSliceOp>(runInsertSlice);
  table.add<ViewOp>(runView);
  table.add<RandomOp>(runRandom);
}
