// Bounds, alignment and extent of accesses to views of global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view is followed back to its pointer. Divisors are followed as powers of two, which also hold of
// addresses that wrap around.
#include "Tilus/Analysis/AccessAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilus;

/// The widest access, in bits.
static constexpr uint64_t kMaxVectorBits = 128;
/// Workspaces begin at multiples of so many bits.
static constexpr uint64_t kWorkspaceAlignmentBits = 128 * 8;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getLastDims(int64_t tileRank, int64_t viewRank) {
  return llvm::to_vector(llvm::seq<int64_t>(viewRank - tileRank, viewRank));
}

std::optional<GlobalAccess> tilus::getGlobalAccess(Operation *op) {
  auto shapeOf = [](Value tile) {
    return SmallVector<int64_t>(cast<RankedTensorType>(tile.getType()).getShape());
  };
  return llvm::TypeSwitch<Operation *, std::optional<GlobalAccess>>(op)
      .Case([&](LoadGlobalOp load) {
        return GlobalAccess{op, load.getSource(), load.getOffsets(), shapeOf(load.getResult()),
                            load.getTileDims()};
      })
      .Case([&](StoreGlobalOp store) {
        return GlobalAccess{op, store.getDest(), store.getOffsets(), shapeOf(store.getValue()),
                            store.getTileDims()};
      })
      .Case([&](CopyAsyncOp copy) {
        SmallVector<int64_t> shape(copy.getDest().getType().getShape());
        return GlobalAccess{op, copy.getSource(), copy.getOffsets(), shape, copy.getTileDims()};
      })
      .Case([&](AtomicOp atomic) -> std::optional<GlobalAccess> {
        auto view = dyn_cast<GlobalType>(atomic.getDest().getType());
        if (!view)
          return std::nullopt;
        SmallVector<int64_t> shape = shapeOf(atomic.getValue());
        return GlobalAccess{op, atomic.getDest(), atomic.getOffsets(), shape,
                            getLastDims(shape.size(), view.getRank())};
      })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static ScalarFacts multiply(const ScalarFacts &a, const ScalarFacts &b) {
  return evaluate(ScalarBinary::Mul, a, b, 64);
}

static ScalarFacts add(const ScalarFacts &a, const ScalarFacts &b) {
  return evaluate(ScalarBinary::Add, a, b, 64);
}

/// What an address of elements is a multiple of if nothing is known of it: no access is possible otherwise.
static uint64_t getNaturalAlignmentBits(Type element) {
  return std::max<uint64_t>(powerOfTwoPart(getElementBits(element)), 8);
}

/// What a pointer is a multiple of, in bits, where it is used.
static uint64_t getPointerAlignmentBits(const ScalarAnalysis &scalars, Value pointer, Operation *user) {
  if (auto select = pointer.getDefiningOp<arith::SelectOp>())
    return std::min(getPointerAlignmentBits(scalars, select.getTrueValue(), user),
                    getPointerAlignmentBits(scalars, select.getFalseValue(), user));
  if (auto cast = pointer.getDefiningOp<PointerCastOp>())
    return getPointerAlignmentBits(scalars, cast.getSource(), user);
  Type element = cast<PtrType>(pointer.getType()).getElementType();
  if (auto op = pointer.getDefiningOp<ElementPointerOp>()) {
    ViewFacts view = analyzeView(scalars, op.getView(), user);
    for (auto [dim, offset] : llvm::zip_equal(view.dims, op.getOffsets()))
      view.origin = add(view.origin, multiply(scalars.getFacts(offset, user), dim.stride));
    uint64_t elements = std::min<uint64_t>(powerOfTwoPart(view.origin.divisor), view.alignmentBits);
    return std::min(view.alignmentBits, elements * powerOfTwoPart(getElementBits(element)));
  }
  auto param = dyn_cast<BlockArgument>(pointer);
  auto kernel = param ? dyn_cast<KernelOp>(param.getOwner()->getParentOp()) : KernelOp();
  if (!kernel)
    return getNaturalAlignmentBits(element);
  return powerOfTwoPart(kernel.getParamDivisibility(param.getArgNumber())) * 8;
}

/// The dimensions of a view as its type and the operands of its op give them.
static SmallVector<ViewDim> getDims(const ScalarAnalysis &scalars, GlobalType type, ValueRange sizes,
                                    ValueRange strides, Operation *user) {
  SmallVector<ViewDim> dims;
  for (int64_t size : type.getShape()) {
    ViewDim &dim = dims.emplace_back();
    if (!ShapedType::isDynamic(size)) {
      dim.size = ScalarFacts::constant(size);
    } else if (!sizes.empty()) {
      dim.sizeValue = sizes.front();
      dim.size = scalars.getFacts(dim.sizeValue, user);
      sizes = sizes.drop_front();
    }
  }
  bool isRowMajor = type.getStrides().empty();
  SmallVector<int64_t> statics = type.getStaticStrides();
  for (int64_t index = type.getRank() - 1; isRowMajor && index >= 0; --index) {
    bool isLast = index + 1 == type.getRank();
    dims[index].stride =
        isLast ? ScalarFacts::constant(1) : multiply(dims[index + 1].stride, dims[index + 1].size);
  }
  for (auto [dim, stride] : llvm::zip(dims, statics)) {
    if (isRowMajor)
      break;
    if (!ShapedType::isDynamic(stride)) {
      dim.stride = ScalarFacts::constant(stride);
    } else if (!strides.empty()) {
      dim.stride = scalars.getFacts(strides.front(), user);
      strides = strides.drop_front();
    }
  }
  return dims;
}

ViewFacts tilus::analyzeView(const ScalarAnalysis &scalars, Value view, Operation *user) {
  auto type = cast<GlobalType>(view.getType());
  ScalarFacts zero = ScalarFacts::constant(0);
  if (auto op = view.getDefiningOp<GlobalViewOp>())
    return {getPointerAlignmentBits(scalars, op.getBase(), user), zero,
            getDims(scalars, type, op.getSizes(), op.getStrides(), user)};
  if (auto op = view.getDefiningOp<AllocGlobalOp>())
    return {kWorkspaceAlignmentBits, zero, getDims(scalars, type, op.getSizes(), {}, user)};
  auto slice = view.getDefiningOp<SliceGlobalOp>();
  if (!slice)
    return {getNaturalAlignmentBits(type.getElementType()), zero, getDims(scalars, type, {}, {}, user)};
  ViewFacts facts = analyzeView(scalars, slice.getSource(), user);
  for (auto [dim, offset] : llvm::reverse(llvm::zip_equal(slice.getDims(), slice.getOffsets()))) {
    facts.origin = add(facts.origin, multiply(scalars.getFacts(offset, user), facts.dims[dim].stride));
    facts.dims.erase(facts.dims.begin() + dim);
  }
  return facts;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {
/// One dimension of the view as the access meets it.
struct AccessDim : ViewDim {
  Value offsetValue;
  ScalarFacts offset;
  /// The tile's extent along it; 1 if the tile does not extend along it.
  int64_t extent = 1;
  bool inBounds = false;

  /// Whether the view is so small that only index 0 is inside, so that its stride plays no part.
  bool isSingle() const { return size.max <= 1; }
};
} // namespace

static bool isWithin(const ScalarAnalysis &scalars, const AccessDim &dim, Operation *user) {
  if (!dim.offset.isNonNegative())
    return false;
  if (dim.sizeValue)
    return scalars.isBelow(dim.offsetValue, dim.extent, dim.sizeValue, user);
  return __int128(dim.offset.max) + dim.extent <= dim.size.min;
}

/// Whether groups of `count` elements, aligned within the tile, never straddle an end of the view.
static bool isUniform(const AccessDim &dim, int64_t count) {
  if (dim.inBounds || dim.size.max <= 0)
    return true;
  __int128 end = __int128(dim.offset.max) + dim.extent;
  bool isLowClear = dim.offset.isNonNegative() || dim.offset.isMultipleOf(count) || end <= 0;
  ScalarFacts distance = evaluate(ScalarBinary::Sub, dim.size, dim.offset, 64);
  bool isHighClear = distance.isMultipleOf(count) || end <= dim.size.min || dim.offset.min >= dim.size.max;
  return isLowClear && isHighClear;
}

static int64_t getMaskVector(const AccessDim &dim) {
  int64_t count = int64_t(powerOfTwoPart(dim.extent));
  while (count > 1 && !isUniform(dim, count))
    count /= 2;
  return count;
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

static int countTwos(uint64_t divisor) { return divisor == 0 ? 64 : llvm::countr_zero(divisor); }

/// The power of two that surely divides the bit address of each group's start along dimension `along`, apart
/// from what the group's place along it adds.
static int getAddressTwos(const ViewFacts &view, ArrayRef<AccessDim> dims, size_t along,
                          uint64_t elementBits) {
  int elementTwos = countTwos(elementBits);
  int twos = std::min(countTwos(view.alignmentBits), countTwos(view.origin.divisor) + elementTwos);
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (dim.isSingle())
      continue;
    int strideTwos = countTwos(dim.stride.divisor) + elementTwos;
    twos = std::min(twos, countTwos(dim.offset.divisor) + strideTwos);
    if (index != along && dim.extent > 1)
      twos = std::min(twos, strideTwos);
  }
  return twos;
}

static int64_t getVector(const ViewFacts &view, ArrayRef<AccessDim> dims, size_t along,
                         uint64_t elementBits) {
  if (dims[along].stride != ScalarFacts::constant(1))
    return 1;
  int twos = getAddressTwos(view, dims, along, elementBits);
  auto isPossible = [&](uint64_t count) {
    uint64_t bits = count * elementBits;
    return bits <= kMaxVectorBits && bits % 8 == 0 && countTwos(bits) <= twos;
  };
  uint64_t count = powerOfTwoPart(dims[along].extent);
  while (count > 1 && !isPossible(count))
    count /= 2;
  return int64_t(count);
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

/// Whether offsets in bytes of the elements within the view fit 32 bits.
static bool fitsOffset32(const ViewFacts &view, ArrayRef<AccessDim> dims, uint64_t elementBits) {
  ScalarFacts distance = ScalarFacts::constant(0);
  for (const AccessDim &dim : dims) {
    __int128 end = std::min<__int128>(dim.size.max, __int128(dim.offset.max) + dim.extent);
    int64_t first = std::max<int64_t>(dim.offset.min, 0);
    if (end <= first)
      return true; // no element is within
    distance = add(distance, multiply(ScalarFacts::range(first, int64_t(end - 1)), dim.stride));
  }
  ScalarFacts limit = ScalarFacts::range(INT32_MIN, INT32_MAX);
  for (const ScalarFacts &elements : {distance, add(distance, view.origin)}) {
    ScalarFacts bits = multiply(elements, ScalarFacts::constant(elementBits));
    if (bits.min < limit.min * 8 || bits.max > limit.max * 8 + 7)
      return false;
  }
  return true;
}

AccessFacts tilus::analyzeAccess(const ScalarAnalysis &scalars, const GlobalAccess &access) {
  ViewFacts view = analyzeView(scalars, access.view, access.op);
  uint64_t elementBits = getElementBits(cast<GlobalType>(access.view.getType()).getElementType());
  SmallVector<AccessDim> dims;
  for (auto [dim, offset] : llvm::zip_equal(view.dims, access.offsets))
    dims.push_back({{dim}, offset, scalars.getFacts(offset, access.op)});
  for (auto [dim, extent] : llvm::zip_equal(access.tileDims, access.tileShape))
    dims[dim].extent = extent;

  AccessFacts facts;
  for (AccessDim &dim : dims) {
    dim.inBounds = isWithin(scalars, dim, access.op);
    facts.inBounds.push_back(dim.inBounds);
    facts.nonNegative.push_back(dim.offset.isNonNegative());
  }
  facts.fitsOffset32 = fitsOffset32(view, dims, elementBits);
  for (auto [tileDim, dim] : llvm::enumerate(access.tileDims)) {
    int64_t vector = getVector(view, dims, dim, elementBits), maskVector = getMaskVector(dims[dim]);
    // Of equal ones the last dimension is the usual choice, unless another needs fewer masks.
    bool isWorse =
        vector < facts.vector || (vector == facts.vector && vector > 1 && maskVector < facts.maskVector);
    if (isWorse)
      continue;
    facts.vectorDim = tileDim;
    facts.vector = vector;
    facts.maskVector = maskVector;
  }
  return facts;
}
