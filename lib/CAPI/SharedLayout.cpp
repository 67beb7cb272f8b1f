// Shared layouts of the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutHandles.h"

using namespace tilus;
using namespace tilus::capi;

TilusError *tilusSharedLayoutCreate(TilusExtents shape, TilusExtents modes, TilusExtents strides,
                                    const TilusSwizzle *swizzle, TilusSharedLayout **result) {
  if (TilusError *error = checkHandles(result))
    return error;
  for (TilusExtents list : {shape, modes, strides})
    if (TilusError *error = checkExtents(list))
      return error;
  return makeHandle(result, [&](ErrorCallback onError) -> std::optional<SharedLayout> {
    std::optional<Swizzle> pattern;
    if (swizzle && !(pattern = Swizzle::get(swizzle->base, swizzle->bits, swizzle->shift, onError)))
      return std::nullopt;
    return SharedLayout::get(unwrap(shape), unwrap(modes), unwrap(strides), pattern, onError);
  });
}

TilusError *tilusSharedLayoutCreateSwizzled(TilusExtents shape, int64_t elementBits,
                                            TilusSharedLayout **result) {
  if (TilusError *error = checkHandles(result))
    return error;
  if (TilusError *error = checkExtents(shape))
    return error;
  if (!checkedProduct(unwrap(shape)))
    return makeError("positive sizes and at most 2^40 elements", formatExtents(unwrap(shape)));
  if (elementBits < 1 || elementBits > 128)
    return makeError("elements of 1 to 128 bits", llvm::Twine(elementBits));
  *result = new TilusSharedLayout{SharedLayout::rowMajorSwizzle(unwrap(shape), elementBits)};
  return nullptr;
}

void tilusSharedLayoutDestroy(TilusSharedLayout *layout) { delete layout; }

TilusExtents tilusSharedLayoutGetShape(const TilusSharedLayout *layout) {
  return layout ? wrapExtents(layout->layout.getShape()) : TilusExtents();
}

TilusExtents tilusSharedLayoutGetModes(const TilusSharedLayout *layout) {
  return layout ? wrapExtents(layout->layout.getModeShape()) : TilusExtents();
}

TilusExtents tilusSharedLayoutGetStrides(const TilusSharedLayout *layout) {
  return layout ? wrapExtents(layout->layout.getModeStrides()) : TilusExtents();
}

bool tilusSharedLayoutGetSwizzle(const TilusSharedLayout *layout, TilusSwizzle *swizzle) {
  if (!layout || !layout->layout.getSwizzle())
    return false;
  if (swizzle)
    *swizzle = {layout->layout.getSwizzle()->base, layout->layout.getSwizzle()->bits,
                layout->layout.getSwizzle()->shift};
  return true;
}

int64_t tilusSharedLayoutGetElementCount(const TilusSharedLayout *layout) {
  return layout ? layout->layout.getCountSize() : 0;
}

bool tilusSharedLayoutIsEqual(const TilusSharedLayout *a, const TilusSharedLayout *b) {
  return a && b && a->layout == b->layout;
}

TilusError *tilusSharedLayoutPrint(const TilusSharedLayout *layout, TilusBlob **result) {
  if (TilusError *error = checkHandles(result, layout))
    return error;
  const SharedLayout &value = layout->layout;
  std::string text = "#tilus.smem<shape = " + formatExtents(value.getShape()) +
                     ", modes = " + formatExtents(value.getModeShape()) +
                     ", strides = " + formatExtents(value.getModeStrides());
  if (auto swizzle = value.getSwizzle())
    text += ", swizzle = " + formatExtents({swizzle->base, swizzle->bits, swizzle->shift});
  *result = new TilusBlob{text + ">"};
  return nullptr;
}

TilusError *tilusSharedLayoutGetOffset(const TilusSharedLayout *layout, TilusExtents index, int64_t origin,
                                       int64_t *offset) {
  if (!layout || !offset)
    return makeNullError(layout ? "a place for the offset" : "a layout");
  if (TilusError *error = checkIndex(index, layout->layout.getShape()))
    return error;
  if (origin < 0 || origin > kMaxLayoutSize)
    return makeError("an origin from 0 to 2^40", llvm::Twine(origin));
  *offset = layout->layout.getOffset(unwrap(index), origin);
  return nullptr;
}

/// The layout that a change of `layout` by a list gives.
template <typename Change>
static TilusError *changeLayout(const TilusSharedLayout *layout, TilusExtents list,
                                TilusSharedLayout **result, Change change) {
  if (TilusError *error = checkHandles(result, layout))
    return error;
  if (TilusError *error = checkExtents(list))
    return error;
  return makeHandle(result, [&](ErrorCallback onError) { return change(layout->layout, onError); });
}

TilusError *tilusSharedLayoutCompose(const TilusSharedLayout *outer, const TilusSharedLayout *inner,
                                     TilusSharedLayout **result) {
  if (TilusError *error = checkHandles(result, outer, inner))
    return error;
  llvm::SmallVector<int64_t> sizes(outer->layout.getShape());
  llvm::append_range(sizes, inner->layout.getShape());
  if (!checkedProduct(sizes) || !checkedProduct({outer->layout.getCountSize(), inner->layout.getCountSize()}))
    return makeError("at most 2^40 elements and offsets", "the product of shapes " + formatExtents(sizes));
  return makeHandle(result,
                    [&](ErrorCallback onError) { return outer->layout.compose(inner->layout, onError); });
}

TilusError *tilusSharedLayoutPermute(const TilusSharedLayout *layout, TilusExtents dims,
                                     TilusSharedLayout **result) {
  return changeLayout(layout, dims, result, [&](const SharedLayout &value, ErrorCallback onError) {
    return value.permute(unwrap(dims), onError);
  });
}

TilusError *tilusSharedLayoutReshape(const TilusSharedLayout *layout, TilusExtents shape,
                                     TilusSharedLayout **result) {
  return changeLayout(layout, shape, result, [&](const SharedLayout &value, ErrorCallback onError) {
    return value.reshape(unwrap(shape), onError);
  });
}

TilusError *tilusSharedLayoutUnsqueeze(const TilusSharedLayout *layout, TilusExtents dims,
                                       TilusSharedLayout **result) {
  return changeLayout(layout, dims, result, [&](const SharedLayout &value, ErrorCallback onError) {
    return value.unsqueeze(unwrap(dims), onError);
  });
}

TilusError *tilusSharedLayoutSlice(const TilusSharedLayout *layout, TilusExtents dims,
                                   TilusSharedLayout **result) {
  return changeLayout(layout, dims, result, [&](const SharedLayout &value, ErrorCallback onError) {
    return value.slice(unwrap(dims), onError);
  });
}

TilusError *tilusSharedLayoutPrependDim(const TilusSharedLayout *layout, int64_t count,
                                        TilusSharedLayout **result) {
  if (TilusError *error = checkHandles(result, layout))
    return error;
  if (!checkedProduct({count, layout->layout.getCountSize()}) ||
      !checkedProduct({count, layout->layout.getSize()}))
    return makeError("at least 1 copy, and at most 2^40 elements", llvm::Twine(count) + " copies");
  *result = new TilusSharedLayout{layout->layout.prependDim(count)};
  return nullptr;
}

TilusError *tilusSharedLayoutApplySwizzle(const TilusSharedLayout *layout, TilusSwizzle swizzle,
                                          TilusSharedLayout **result) {
  if (TilusError *error = checkHandles(result, layout))
    return error;
  return makeHandle(result, [&](ErrorCallback onError) -> std::optional<SharedLayout> {
    auto pattern = Swizzle::get(swizzle.base, swizzle.bits, swizzle.shift, onError);
    return pattern ? layout->layout.applySwizzle(*pattern, onError) : std::nullopt;
  });
}
