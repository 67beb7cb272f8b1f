// Register layouts of the C API.
//
// The layout library trusts its callers with sizes and indices; what comes from C is checked here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutHandles.h"

using namespace tilus;
using namespace tilus::capi;

int tilusLayoutGetVersion() { return TILUS_LAYOUT_C_API_VERSION; }

TilusError *capi::checkIndex(TilusExtents index, llvm::ArrayRef<int64_t> shape) {
  if (TilusError *error = checkExtents(index))
    return error;
  llvm::ArrayRef<int64_t> values = unwrap(index);
  bool isInside = values.size() == shape.size();
  for (size_t dim = 0; isInside && dim < shape.size(); ++dim)
    isInside = values[dim] >= 0 && values[dim] < shape[dim];
  return isInside ? nullptr
                  : makeError("an index within shape " + formatExtents(shape), formatExtents(values));
}

/// Null if the list is a shape that together with `factor` describes no more than a layout may.
static TilusError *checkShape(TilusExtents shape, int64_t factor) {
  if (TilusError *error = checkExtents(shape))
    return error;
  llvm::SmallVector<int64_t> sizes(unwrap(shape));
  sizes.push_back(factor);
  if (checkedProduct(sizes))
    return nullptr;
  return makeError("positive sizes and at most 2^40 elements, threads and slots",
                   "shape " + formatExtents(unwrap(shape)) +
                       (factor == 1 ? "" : " times " + std::to_string(factor)));
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

TilusError *tilusRegisterLayoutCreate(TilusExtents shape, TilusExtents modes, TilusExtents spatial,
                                      TilusExtents local, TilusRegisterLayout **result) {
  if (TilusError *error = checkHandles(result))
    return error;
  for (TilusExtents list : {shape, modes, spatial, local})
    if (TilusError *error = checkExtents(list))
      return error;
  return makeHandle(result, [&](ErrorCallback onError) {
    return RegisterLayout::get(unwrap(shape), unwrap(modes), unwrap(spatial), unwrap(local), onError);
  });
}

/// `make` is RegisterLayout::spatial or RegisterLayout::local.
template <typename Make>
static TilusError *createRanked(TilusExtents shape, TilusExtents ranks, TilusRegisterLayout **result,
                                Make make) {
  if (TilusError *error = checkHandles(result))
    return error;
  if (TilusError *error = checkShape(shape, 1))
    return error;
  if (TilusError *error = checkExtents(ranks))
    return error;
  return makeHandle(result, [&](ErrorCallback onError) -> std::optional<RegisterLayout> {
    if (ranks.count && !checkPermutation(unwrap(ranks), shape.count, onError))
      return std::nullopt;
    return make(unwrap(shape), unwrap(ranks));
  });
}

TilusError *tilusRegisterLayoutCreateSpatial(TilusExtents shape, TilusExtents ranks,
                                             TilusRegisterLayout **result) {
  return createRanked(shape, ranks, result, RegisterLayout::spatial);
}

TilusError *tilusRegisterLayoutCreateLocal(TilusExtents shape, TilusExtents ranks,
                                           TilusRegisterLayout **result) {
  return createRanked(shape, ranks, result, RegisterLayout::local);
}

TilusError *tilusRegisterLayoutCreateReplicated(TilusExtents shape, int64_t threadCount,
                                                TilusRegisterLayout **result) {
  if (TilusError *error = checkHandles(result))
    return error;
  if (TilusError *error = checkShape(shape, threadCount))
    return error;
  *result = new TilusRegisterLayout{RegisterLayout::replicated(unwrap(shape), threadCount)};
  return nullptr;
}

TilusError *tilusRegisterLayoutCreateDistributed(TilusExtents shape, int64_t threadCount, size_t vectorDim,
                                                 int64_t vectorSize, TilusRegisterLayout **result) {
  if (TilusError *error = checkHandles(result))
    return error;
  if (TilusError *error = checkShape(shape, threadCount))
    return error;
  if (vectorDim >= shape.count && shape.count)
    return makeIndexError("dimensions", shape.count, vectorDim);
  if (vectorSize < 1)
    return makeError("vectors of at least 1 element", std::to_string(vectorSize));
  *result = new TilusRegisterLayout{
      RegisterLayout::distribute(threadCount, unwrap(shape), shape.count ? vectorDim : -1, vectorSize)};
  return nullptr;
}

void tilusRegisterLayoutDestroy(TilusRegisterLayout *layout) { delete layout; }

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

TilusExtents tilusRegisterLayoutGetShape(const TilusRegisterLayout *layout) {
  return layout ? wrapExtents(layout->layout.getShape()) : TilusExtents();
}

TilusExtents tilusRegisterLayoutGetModes(const TilusRegisterLayout *layout) {
  return layout ? wrapExtents(layout->layout.getModeShape()) : TilusExtents();
}

TilusExtents tilusRegisterLayoutGetSpatialModes(const TilusRegisterLayout *layout) {
  return layout ? wrapExtents(layout->layout.getSpatialModes()) : TilusExtents();
}

TilusExtents tilusRegisterLayoutGetLocalModes(const TilusRegisterLayout *layout) {
  return layout ? wrapExtents(layout->layout.getLocalModes()) : TilusExtents();
}

int64_t tilusRegisterLayoutGetThreadCount(const TilusRegisterLayout *layout) {
  return layout ? layout->layout.getNumThreads() : 0;
}

int64_t tilusRegisterLayoutGetSlotCount(const TilusRegisterLayout *layout) {
  return layout ? layout->layout.getNumLocals() : 0;
}

int64_t tilusRegisterLayoutGetReplication(const TilusRegisterLayout *layout) {
  return layout ? layout->layout.getReplication() : 0;
}

bool tilusRegisterLayoutIsEqual(const TilusRegisterLayout *a, const TilusRegisterLayout *b) {
  return a && b && a->layout == b->layout;
}

TilusError *tilusRegisterLayoutCovers(const TilusRegisterLayout *layout, const TilusRegisterLayout *other,
                                      bool *result) {
  if (!layout || !other || !result)
    return makeNullError(result ? "a layout" : "a place for the result");
  if (layout->layout.getShape() != other->layout.getShape())
    return makeError("layouts of one shape", formatExtents(layout->layout.getShape()) + " and " +
                                                 formatExtents(other->layout.getShape()));
  *result = layout->layout.covers(other->layout);
  return nullptr;
}

TilusError *tilusRegisterLayoutPrint(const TilusRegisterLayout *layout, TilusBlob **result) {
  if (TilusError *error = checkHandles(result, layout))
    return error;
  const RegisterLayout &value = layout->layout;
  *result = new TilusBlob{"#tilus.reg<shape = " + formatExtents(value.getShape()) +
                          ", modes = " + formatExtents(value.getModeShape()) +
                          ", spatial = " + formatExtents(value.getSpatialModes()) +
                          ", local = " + formatExtents(value.getLocalModes()) + ">"};
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The map
//===----------------------------------------------------------------------===//

TilusError *tilusRegisterLayoutGetIndex(const TilusRegisterLayout *layout, int64_t thread, int64_t slot,
                                        int64_t *index) {
  if (!layout || !index)
    return makeNullError(layout ? "a place for the index" : "a layout");
  const RegisterLayout &value = layout->layout;
  if (thread < 0 || thread >= value.getNumThreads() || slot < 0 || slot >= value.getNumLocals())
    return makeError("one of " + llvm::Twine(value.getNumThreads()) + " threads and " +
                         llvm::Twine(value.getNumLocals()) + " slots",
                     "thread " + llvm::Twine(thread) + " and slot " + llvm::Twine(slot));
  llvm::copy(value.getIndex(thread, slot), index);
  return nullptr;
}

TilusError *tilusRegisterLayoutGetSlot(const TilusRegisterLayout *layout, TilusExtents index, int64_t *slot) {
  if (!layout || !slot)
    return makeNullError(layout ? "a place for the slot" : "a layout");
  if (TilusError *error = checkIndex(index, layout->layout.getShape()))
    return error;
  *slot = layout->layout.getLocal(unwrap(index));
  return nullptr;
}

TilusError *tilusRegisterLayoutGetThreads(const TilusRegisterLayout *layout, TilusExtents index,
                                          int64_t *threads) {
  if (!layout || !threads)
    return makeNullError(layout ? "a place for the threads" : "a layout");
  if (TilusError *error = checkIndex(index, layout->layout.getShape()))
    return error;
  llvm::copy(layout->layout.getThreads(unwrap(index)), threads);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Algebra
//===----------------------------------------------------------------------===//

/// The layout of two that `combine` makes, if the sizes of the two together are within bounds.
template <typename Combine>
static TilusError *combineAll(const TilusRegisterLayout *a, const TilusRegisterLayout *b,
                              TilusRegisterLayout **result, Combine combine) {
  if (TilusError *error = checkHandles(result, a, b))
    return error;
  int64_t factors[] = {a->layout.getNumThreads(), a->layout.getNumLocals(), b->layout.getNumThreads(),
                       b->layout.getNumLocals()};
  if (!checkedProduct(factors))
    return makeError("at most 2^40 elements, threads and slots",
                     "the product of threads and slots " + formatExtents(factors));
  *result = new TilusRegisterLayout{combine(a->layout, b->layout)};
  return nullptr;
}

/// The layout that a change of `layout` by a list gives.
template <typename Change>
static TilusError *changeLayout(const TilusRegisterLayout *layout, TilusExtents list,
                                TilusRegisterLayout **result, Change change) {
  if (TilusError *error = checkHandles(result, layout))
    return error;
  if (TilusError *error = checkExtents(list))
    return error;
  return makeHandle(result, [&](ErrorCallback onError) { return change(layout->layout, onError); });
}

TilusError *tilusRegisterLayoutCompose(const TilusRegisterLayout *outer, const TilusRegisterLayout *inner,
                                       TilusRegisterLayout **result) {
  return combineAll(outer, inner, result,
                    [](const RegisterLayout &a, const RegisterLayout &b) { return a.compose(b); });
}

TilusError *tilusRegisterLayoutConcat(const TilusRegisterLayout *first, const TilusRegisterLayout *second,
                                      TilusRegisterLayout **result) {
  return combineAll(first, second, result,
                    [](const RegisterLayout &a, const RegisterLayout &b) { return a.concat(b); });
}

TilusError *tilusRegisterLayoutDivide(const TilusRegisterLayout *layout, const TilusRegisterLayout *inner,
                                      TilusRegisterLayout **result) {
  if (TilusError *error = checkHandles(result, layout, inner))
    return error;
  return makeHandle(result,
                    [&](ErrorCallback onError) { return layout->layout.divide(inner->layout, onError); });
}

TilusError *tilusRegisterLayoutLeftDivide(const TilusRegisterLayout *layout, const TilusRegisterLayout *outer,
                                          TilusRegisterLayout **result) {
  if (TilusError *error = checkHandles(result, layout, outer))
    return error;
  return makeHandle(result,
                    [&](ErrorCallback onError) { return layout->layout.leftDivide(outer->layout, onError); });
}

TilusError *tilusRegisterLayoutPermute(const TilusRegisterLayout *layout, TilusExtents dims,
                                       TilusRegisterLayout **result) {
  return changeLayout(layout, dims, result, [&](const RegisterLayout &value, ErrorCallback onError) {
    return value.permute(unwrap(dims), onError);
  });
}

TilusError *tilusRegisterLayoutReduce(const TilusRegisterLayout *layout, TilusExtents dims, bool keepDims,
                                      TilusRegisterLayout **result) {
  return changeLayout(layout, dims, result, [&](const RegisterLayout &value, ErrorCallback onError) {
    return value.reduce(unwrap(dims), keepDims, onError);
  });
}

TilusError *tilusRegisterLayoutReduceTo(const TilusRegisterLayout *layout, TilusExtents shape,
                                        TilusRegisterLayout **result) {
  return changeLayout(layout, shape, result, [&](const RegisterLayout &value, ErrorCallback onError) {
    return value.reduceTo(unwrap(shape), onError);
  });
}

TilusError *tilusRegisterLayoutExpandTo(const TilusRegisterLayout *layout, TilusExtents shape,
                                        TilusRegisterLayout **result) {
  return changeLayout(layout, shape, result, [&](const RegisterLayout &value, ErrorCallback onError) {
    return value.expandTo(unwrap(shape), onError);
  });
}

TilusError *tilusRegisterLayoutReshape(const TilusRegisterLayout *layout, TilusExtents shape,
                                       TilusRegisterLayout **result) {
  return changeLayout(layout, shape, result, [&](const RegisterLayout &value, ErrorCallback onError) {
    return value.reshape(unwrap(shape), onError);
  });
}

TilusError *tilusRegisterLayoutSqueeze(const TilusRegisterLayout *layout, TilusExtents dims,
                                       TilusRegisterLayout **result) {
  return changeLayout(layout, dims, result, [&](const RegisterLayout &value, ErrorCallback onError) {
    return value.squeeze(unwrap(dims), onError);
  });
}

TilusError *tilusRegisterLayoutUnsqueeze(const TilusRegisterLayout *layout, TilusExtents dims,
                                         TilusRegisterLayout **result) {
  return changeLayout(layout, dims, result, [&](const RegisterLayout &value, ErrorCallback onError) {
    return value.unsqueeze(unwrap(dims), onError);
  });
}
