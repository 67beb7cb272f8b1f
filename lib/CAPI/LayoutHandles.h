// The objects behind the handles of layouts, and how lists and errors cross the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Handles.h"
#include "Tilus-c/LayoutPlan.h"
#include "Tilus/Layout/LayoutConversion.h"

struct TilusRegisterLayout {
  tilus::RegisterLayout layout;
};

struct TilusSharedLayout {
  tilus::SharedLayout layout;
};

struct TilusConversion {
  tilus::ConversionPlan plan;
  int64_t threadCount;
};

namespace tilus::capi {

inline TilusExtents wrapExtents(llvm::ArrayRef<int64_t> values) {
  return {values.empty() ? nullptr : values.data(), values.size()};
}
inline llvm::ArrayRef<int64_t> unwrap(TilusExtents extents) { return {extents.values, extents.count}; }

/// Sets the place of a result to null, and checks what the function was given: a place and layouts.
template <typename T, typename... Handles> TilusError *checkHandles(T **result, const Handles *...handles) {
  if (!result)
    return makeNullError("a place for the result");
  *result = nullptr;
  if ((!handles || ...))
    return makeNullError("a layout");
  return nullptr;
}

/// Null if the list has values, or none and no size.
inline TilusError *checkExtents(TilusExtents extents) {
  return extents.values || extents.count == 0 ? nullptr : makeNullError("the values of a list");
}

/// Null if the list is an index of a tile of this shape.
TilusError *checkIndex(TilusExtents index, llvm::ArrayRef<int64_t> shape);

/// Makes the handle of what `compute`, which is given a callback for errors, returns.
template <typename T, typename Compute> TilusError *makeHandle(T **result, Compute compute) {
  std::string text;
  auto store = [&](const llvm::Twine &message) { text = message.str(); };
  auto layout = compute(ErrorCallback(store));
  if (!layout)
    return new TilusError{std::move(text)};
  *result = new T{std::move(*layout)};
  return nullptr;
}

} // namespace tilus::capi
