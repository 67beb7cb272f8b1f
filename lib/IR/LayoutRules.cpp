// How the layouts of an op's tiles follow from one another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/Atoms/MmaAtoms.h"
#include "Tilus/IR/TilusOps.h"

#include <numeric>

using namespace mlir;
using namespace tilus;

static ArrayRef<int64_t> shapeOf(Value tile) { return cast<RankedTensorType>(tile.getType()).getShape(); }

/// Proposes `layout` for the tile if there is one.
static void proposeIf(LayoutQuery &query, Value tile, const std::optional<RegisterLayout> &layout) {
  if (layout)
    query.propose(tile, *layout);
}

//===----------------------------------------------------------------------===//
// Changes of shape
//===----------------------------------------------------------------------===//

void BroadcastOp::inferLayouts(LayoutQuery &query) {
  if (!isTileType(getSource().getType()))
    return;
  if (const RegisterLayout *result = query.get(getResult()))
    proposeIf(query, getSource(), result->reduceTo(shapeOf(getSource())));
  else if (const RegisterLayout *source = query.get(getSource()))
    proposeIf(query, getResult(), source->expandTo(shapeOf(getResult())));
}

void IotaOp::inferLayouts(LayoutQuery &) {}

/// A layout of the row-major sequence of `size` elements that is one in every shape: threads run over the
/// elements below and above all dimensions' boundaries, what lies between is one walk of slots.
static std::optional<RegisterLayout> getSequenceLayout(int64_t numThreads,
                                                       ArrayRef<ArrayRef<int64_t>> shapes) {
  int64_t size = product(shapes.front()), low = size, high = 1;
  for (ArrayRef<int64_t> shape : shapes) {
    int64_t boundary = 1;
    for (int64_t extent : llvm::reverse(shape)) {
      boundary *= extent;
      if (boundary == 1 || boundary == size)
        continue;
      low = std::gcd(low, boundary);
      high = std::lcm(high, boundary);
    }
  }
  int64_t inner = std::gcd(numThreads, low), rest = numThreads / inner;
  int64_t outer = std::gcd(rest, size / std::lcm(high, inner));
  return RegisterLayout::get({size}, {outer, size / inner / outer, inner}, {-(rest / outer), 0, 2}, {1});
}

void ReshapeOp::inferLayouts(LayoutQuery &query) {
  if (!query.get(getSource()) && !query.get(getResult())) {
    ArrayRef<int64_t> source = shapeOf(getSource()), result = shapeOf(getResult());
    if (auto sequence = getSequenceLayout(query.getNumThreads(), {source, result})) {
      proposeIf(query, getSource(), sequence->reshape(source));
      proposeIf(query, getResult(), sequence->reshape(result));
    }
    return;
  }
  if (const RegisterLayout *result = query.get(getResult()))
    proposeIf(query, getSource(), result->reshape(shapeOf(getSource())));
  if (const RegisterLayout *source = query.get(getSource()))
    proposeIf(query, getResult(), source->reshape(shapeOf(getResult())));
}

void TransposeOp::inferLayouts(LayoutQuery &query) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (const RegisterLayout *source = query.get(getSource()))
    proposeIf(query, getResult(), source->permute(permutation));
  const RegisterLayout *result = query.get(getResult());
  if (!result)
    return;
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [position, dim] : llvm::enumerate(permutation))
    inverse[dim] = position;
  proposeIf(query, getSource(), result->permute(inverse));
}

void ReduceOp::inferLayouts(LayoutQuery &query) {
  if (const RegisterLayout *source = query.get(getSource()))
    proposeIf(query, getResult(), source->reduce({int64_t(getDim())}, getKeepDim()));
}

void ExtractSliceOp::inferLayouts(LayoutQuery &query) {
  if (const RegisterLayout *source = query.get(getSource()))
    proposeIf(query, getResult(), source->slice(getDims()));
}

void InsertSliceOp::inferLayouts(LayoutQuery &query) {
  const RegisterLayout *whole = query.get(getResult());
  if (!whole)
    whole = query.get(getDest());
  if (!whole)
    return;
  RegisterLayout layout = *whole;
  query.propose(getResult(), layout);
  query.propose(getDest(), layout);
  proposeIf(query, getSource(), layout.slice(getDims()));
}

void ExtractOp::inferLayouts(LayoutQuery &query) {
  query.propose(getSource(), RegisterLayout::replicated(shapeOf(getSource()), query.getNumThreads()));
}

void RandomOp::inferLayouts(LayoutQuery &query) {
  if (const RegisterLayout *offset = query.get(getOffset()))
    query.propose(getResult(), RegisterLayout::local({4}).concat(*offset));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The layout whose accesses to memory are as wide as the op allows: neighbours of a vector in neighbouring
/// threads.
static RegisterLayout getAccessLayout(LayoutQuery &query, Operation *access, Value tile) {
  AccessVector vector = query.getAccessVector(access);
  ArrayRef<int64_t> shape = shapeOf(tile);
  int64_t share = std::max<int64_t>(1, ShapedType::getNumElements(shape) / query.getNumThreads());
  int64_t size = vector.size;
  while (size > 1 && size > share)
    size /= 2;
  return RegisterLayout::distribute(query.getNumThreads(), shape, vector.dim, size);
}

void LoadGlobalOp::inferLayouts(LayoutQuery &query) {
  query.propose(getResult(), getAccessLayout(query, *this, getResult()));
}

void StoreGlobalOp::inferLayouts(LayoutQuery &query) {
  query.propose(getValue(), getAccessLayout(query, *this, getValue()));
}

void LoadSharedOp::inferLayouts(LayoutQuery &query) {
  query.propose(getResult(), getAccessLayout(query, *this, getResult()));
}

void StoreSharedOp::inferLayouts(LayoutQuery &query) {
  query.propose(getValue(), getAccessLayout(query, *this, getValue()));
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

void MmaOp::inferLayouts(LayoutQuery &query) {
  TargetAttr target = getTarget(*this);
  Type a = getElementTypeOrSelf(getA().getType()), b = getElementTypeOrSelf(getB().getType()),
       acc = getElementTypeOrSelf(getAcc().getType());
  int64_t m = shapeOf(getA())[0], k = shapeOf(getA())[1], n = shapeOf(getB())[1];
  const RegisterLayout *known = query.get(getResult());
  if (!known)
    known = query.get(getAcc());
  std::optional<MmaPlan> plan;
  if (target && known)
    plan = planMmaForAcc(*known, k, a, b, acc, *target.getInfo());
  if (target && !plan)
    plan = planMma(m, n, k, a, b, acc, query.getNumThreads(), *target.getInfo());
  if (plan) {
    query.propose(getResult(), plan->acc);
    query.propose(getAcc(), plan->acc);
    query.propose(getA(), plan->a);
    query.propose(getB(), plan->b);
    return;
  }
  RegisterLayout layout =
      known ? *known
            : RegisterLayout::distribute(query.getNumThreads(), {m, n}, /*vectorDim=*/1, /*vectorSize=*/4);
  query.propose(getResult(), layout);
  query.propose(getAcc(), layout);
}
