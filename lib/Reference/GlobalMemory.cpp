// Global memory: buffers, walks over views, loads and stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GlobalMemory.h"

#include <cstring>

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

unsigned GlobalMemory::add(GlobalBuffer buffer) {
  buffers.push_back(std::make_unique<GlobalBuffer>(std::move(buffer)));
  return buffers.size() - 1;
}

std::optional<unsigned> GlobalMemory::getWorkspace(Operation *alloc, uint64_t bytes) {
  constexpr uint64_t maxBytes = uint64_t(1) << 32;
  auto it = workspaces.find(alloc);
  if (it != workspaces.end())
    return it->second;
  if (bytes > maxBytes)
    return std::nullopt;
  unsigned number = add({{}, "the workspace", alloc, std::vector<uint8_t>(bytes)});
  buffers[number]->bytes = buffers[number]->storage;
  workspaces[alloc] = number;
  return number;
}

LogicalResult GlobalMemory::checkRange(Operation *op, const View &view, int64_t place, int64_t last) {
  const GlobalBuffer &buffer = get(view.buffer);
  if (place > last)
    std::swap(place, last);
  unsigned bits = view.element.format.bits;
  int64_t count = int64_t(buffer.bytes.size() * 8 / bits);
  if (place >= 0 && last < count)
    return success();
  InFlightDiagnostic error = op->emitOpError("expected accesses within the ")
                             << count << " elements of " << buffer.name << ", but got element "
                             << (place < 0 ? place : last);
  if (buffer.workspace)
    error.attachNote(buffer.workspace->getLoc()) << "the workspace is allocated here";
  return error;
}

/// Cuts the row to what lies within the view along its dimension.
static void cutRow(AccessRow &row, int64_t offset, int64_t size, int64_t count) {
  if (offset <= -count || offset >= size)
    return;
  row.low = std::max<int64_t>(-offset, 0);
  row.high =
      std::clamp<int64_t>(std::min(size, std::numeric_limits<int64_t>::max() - count) - offset, 0, count);
}

/// Moves the outer indices of a tile to the next row; false after the last.
static bool advance(MutableArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  for (int64_t dim = int64_t(index.size()) - 1; dim >= 0; --dim) {
    if (++index[dim] < shape[dim])
      return true;
    index[dim] = 0;
  }
  return false;
}

LogicalResult GlobalMemory::forEachRow(Operation *op, const TileAccess &access,
                                       function_ref<void(const AccessRow &)> body) {
  const View &view = *access.view;
  int64_t rank = access.shape.size(), count = rank ? access.shape.back() : 1;
  for (auto [dim, offset] : llvm::enumerate(access.offsets))
    if (!llvm::is_contained(access.dims, int64_t(dim)) && (offset < 0 || offset >= view.shape[dim]))
      return success();
  AccessRow row;
  if (rank)
    cutRow(row, access.offsets[access.dims.back()], view.shape[access.dims.back()], count);
  else
    row.high = 1;
  row.stride = rank ? view.strides[access.dims.back()] : 0;
  int64_t base = view.offset;
  for (auto [offset, stride] : llvm::zip(access.offsets, view.strides))
    base = multiplyAdd(base, offset, stride);

  Shape index(std::max<int64_t>(rank - 1, 0), 0);
  for (bool more = row.low < row.high; more; more = advance(index, access.shape), row.first += count) {
    bool isInside = true;
    row.place = base;
    for (auto [dim, position] : llvm::enumerate(index)) {
      int64_t viewDim = access.dims[dim], at = multiplyAdd(access.offsets[viewDim], position, 1);
      isInside &= at >= 0 && at < view.shape[viewDim];
      row.place = multiplyAdd(row.place, position, view.strides[viewDim]);
    }
    if (!isInside)
      continue;
    int64_t extent;
    if (__builtin_mul_overflow(row.high - 1 - row.low, row.stride, &extent))
      extent = std::numeric_limits<int64_t>::max();
    int64_t place = row.getPlace(row.low);
    if (failed(checkRange(op, view, place, multiplyAdd(place, extent, 1))))
      return failure();
    body(row);
  }
  return success();
}

uint64_t GlobalMemory::load(const View &view, int64_t place) {
  const ScalarFormat &format = view.element.format;
  uint64_t code = readElement(get(view.buffer).bytes, uint64_t(place) * format.bits, format.bits);
  return view.element.isBool() ? code != 0 : code;
}

void GlobalMemory::store(const View &view, int64_t place, uint64_t code) {
  unsigned bits = view.element.format.bits;
  writeElement(get(view.buffer).bytes, uint64_t(place) * bits, bits, code);
}

LogicalResult GlobalMemory::loadTile(Operation *op, const TileAccess &access, Tile &tile) {
  const View &view = *access.view;
  const Element &element = view.element;
  const uint8_t *bytes = get(view.buffer).bytes.data();
  return forEachRow(op, access, [&](const AccessRow &row) {
    if (element.isPlain() && row.stride == 1) {
      std::memcpy(tile.at(row.first + row.low), bytes + row.getPlace(row.low) * element.bytes,
                  (row.high - row.low) * element.bytes);
      return;
    }
    for (int64_t i = row.low; i < row.high; ++i)
      tile.setCode(row.first + i, load(view, row.getPlace(i)));
  });
}

LogicalResult GlobalMemory::storeTile(Operation *op, const TileAccess &access, const Tile &tile) {
  const View &view = *access.view;
  const Element &element = view.element;
  uint8_t *bytes = get(view.buffer).bytes.data();
  return forEachRow(op, access, [&](const AccessRow &row) {
    if (element.isPlain() && row.stride == 1) {
      std::memcpy(bytes + row.getPlace(row.low) * element.bytes, tile.at(row.first + row.low),
                  (row.high - row.low) * element.bytes);
      return;
    }
    for (int64_t i = row.low; i < row.high; ++i)
      store(view, row.getPlace(i), tile.getCode(row.first + i));
  });
}
