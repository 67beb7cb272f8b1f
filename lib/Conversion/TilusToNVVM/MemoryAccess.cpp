// Addresses and accesses of global and shared memory that the patterns share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InlinePTX.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

GlobalParts tilus::createGlobalParts(OpBuilder &builder, Location loc, GlobalType type, ValueRange values) {
  GlobalParts parts;
  parts.base = values.front();
  ValueRange dynamic = values.drop_front();
  for (int64_t size : type.getShape()) {
    bool isDynamic = ShapedType::isDynamic(size);
    parts.sizes.push_back(isDynamic ? dynamic.front() : createI64(builder, loc, size));
    dynamic = isDynamic ? dynamic.drop_front() : dynamic;
  }
  for (int64_t stride : type.getStrides()) {
    bool isDynamic = ShapedType::isDynamic(stride);
    parts.strides.push_back(isDynamic ? dynamic.front() : createI64(builder, loc, stride));
    dynamic = isDynamic ? dynamic.drop_front() : dynamic;
  }
  if (!type.getStrides().empty() || type.getRank() == 0)
    return parts;
  parts.strides.assign(type.getRank(), createI64(builder, loc, 1));
  for (int64_t dim = type.getRank() - 2; dim >= 0; --dim)
    parts.strides[dim] =
        builder.createOrFold<arith::MulIOp>(loc, parts.strides[dim + 1], parts.sizes[dim + 1]);
  return parts;
}

Value tilus::createElementPointer(OpBuilder &builder, Location loc, Value base, Value elements,
                                  int64_t bits) {
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getIntegerType(bits), base,
                             ArrayRef<LLVM::GEPArg>{elements});
}

/// Name of the block's shared memory, whose size the launch gives.
static constexpr StringLiteral kSharedMemoryName = "tilus_shared_memory";

Value tilus::createSharedPointer(OpBuilder &builder, Location loc, Operation *op, int64_t bytes) {
  unsigned space = unsigned(NVVM::NVVMMemorySpace::Shared);
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  Operation *global = SymbolTable::lookupSymbolIn(module, kSharedMemoryName);
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::External,
                           kSharedMemoryName, Attribute(), /*alignment=*/1024, space);
  }
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), space);
  Value base = LLVM::AddressOfOp::create(builder, loc, pointer, kSharedMemoryName);
  return bytes ? LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                                     ArrayRef<LLVM::GEPArg>{int32_t(bytes)})
                     .getResult()
               : base;
}

Value tilus::createScratchPointer(OpBuilder &builder, Location loc, Operation *op) {
  auto offset = op->getAttrOfType<IntegerAttr>(TilusDialect::kScratchOffsetAttrName);
  return createSharedPointer(builder, loc, op, offset ? offset.getInt() : 0);
}

//===----------------------------------------------------------------------===//
// Shared tiles
//===----------------------------------------------------------------------===//

SharedAddresser::SharedAddresser(OpBuilder &, Location, SharedType type, ValueRange parts)
    : layout(type.getLayout().getLayout()), elementBits(getElementBits(type.getElementType())),
      base(parts[0]), origin(parts[1]) {
  APInt known;
  if (matchPattern(origin, m_ConstantInt(&known)))
    constantOrigin = known.getSExtValue();
}

Value tilus::createLinearOffset(OpBuilder &builder, Location loc, const SharedLayout &layout,
                                ArrayRef<Value> index) {
  Value offset = createI32(builder, loc, 0);
  for (auto [dim, value] : llvm::enumerate(index)) {
    int64_t inner = layout.getShape()[dim];
    for (auto [size, stride] : layout.getDimModes(dim)) {
      inner /= size;
      Value digit = createDigit(builder, loc, value, inner, size, layout.getShape()[dim]);
      Value part = builder.createOrFold<arith::MulIOp>(loc, digit, createI32(builder, loc, stride));
      offset = builder.createOrFold<arith::AddIOp>(loc, offset, part);
    }
  }
  return offset;
}

static Value createSwizzle(OpBuilder &builder, Location loc, const Swizzle &swizzle, Value offset) {
  int64_t mask = ((int64_t(1) << swizzle.bits) - 1) << (swizzle.base + swizzle.shift);
  Value source = arith::AndIOp::create(builder, loc, offset, createI32(builder, loc, mask));
  Value moved = arith::ShRUIOp::create(builder, loc, source, createI32(builder, loc, swizzle.shift));
  return arith::XOrIOp::create(builder, loc, offset, moved);
}

/// The bits that the linear offsets of all threads' parts may set: the union over the spatial digits, or all
/// bits where sums carry.
static uint64_t getThreadBits(const SharedLayout &shared, ArrayRef<LayoutDigit> digits) {
  uint64_t bits = 0;
  for (const LayoutDigit &digit : digits) {
    if (digit.isReplication())
      continue;
    SmallVector<int64_t> index(shared.getRank(), 0);
    for (int64_t value = 1; value < digit.size; value *= 2) {
      index[digit.dim] = value * digit.indexStride;
      uint64_t offset = shared.getLinearOffset(index);
      if ((bits & offset) || !llvm::isPowerOf2_64(digit.size) || !llvm::isPowerOf2_64(offset))
        return ~uint64_t(0);
      bits |= offset;
    }
  }
  return bits;
}

/// The largest remainder by `divisor` of what the digits of a dimension add up to.
static int64_t getMaxRemainder(ArrayRef<LayoutDigit> digits, int64_t dim, int64_t divisor) {
  SmallVector<int64_t> sums{0};
  for (const LayoutDigit &digit : digits) {
    if (digit.isReplication() || digit.dim != dim)
      continue;
    for (int64_t count = sums.size(), value = 1; value < digit.size; ++value)
      for (int64_t index = 0; index < count; ++index)
        sums.push_back((sums[index] + value * digit.indexStride) % divisor);
  }
  return *std::max_element(sums.begin(), sums.end());
}

void SharedAddresser::setThreadIndex(OpBuilder &builder, Location loc, ArrayRef<Value> thread,
                                     ArrayRef<LayoutDigit> digits) {
  threadIndex.assign(thread.begin(), thread.end());
  carries.clear();
  for (int64_t dim = 0; dim < layout.getRank(); ++dim) {
    int64_t boundary = layout.getShape()[dim];
    for (auto [size, stride] : layout.getDimModes(dim)) {
      boundary /= size;
      if (boundary > 1)
        carries.push_back({dim, boundary, getMaxRemainder(digits, dim, boundary)});
    }
  }
  threadOffset = createLinearOffset(builder, loc, layout, thread);
  threadBits = constantOrigin ? getThreadBits(layout, digits) : ~uint64_t(0);
  if (!constantOrigin)
    threadOffset = arith::AddIOp::create(builder, loc, threadOffset, origin);
  swizzledThread = threadOffset;
  if (auto swizzle = layout.getSwizzle())
    swizzledThread = createSwizzle(builder, loc, *swizzle, threadOffset);
}

bool SharedAddresser::hasCarry(ArrayRef<int64_t> slot) const {
  return llvm::any_of(carries, [&](const Carry &carry) {
    return carry.remainder + slot[carry.dim] % carry.boundary >= carry.boundary;
  });
}

/// The offset of the sum of the thread's and the slot's index, computed as a whole.
Value SharedAddresser::getCarriedOffset(OpBuilder &builder, Location loc, ArrayRef<int64_t> slot) {
  SmallVector<Value> index;
  for (auto [thread, distance] : llvm::zip(threadIndex, slot))
    index.push_back(builder.createOrFold<arith::AddIOp>(loc, thread, createI32(builder, loc, distance)));
  Value offset = createLinearOffset(builder, loc, layout, index);
  if (constantOrigin != 0)
    offset = arith::AddIOp::create(builder, loc, offset, origin);
  if (auto swizzle = layout.getSwizzle())
    offset = createSwizzle(builder, loc, *swizzle, offset);
  return offset;
}

Value SharedAddresser::getPointer(OpBuilder &builder, Location loc, ArrayRef<int64_t> slot) {
  if (hasCarry(slot))
    return createElementPointer(builder, loc, base, getCarriedOffset(builder, loc, slot), elementBits);
  // The slot's part, with an origin that is known, joins the thread's without carries where their bits are
  // disjoint; then the swizzle, being linear over bits, applies to each part alone. A part that the swizzle
  // leaves alone becomes an immediate offset.
  int64_t constant = layout.getLinearOffset(slot) + constantOrigin.value_or(0);
  std::optional<Swizzle> swizzle = layout.getSwizzle();
  bool isDisjoint = threadBits != ~uint64_t(0) && !(threadBits & uint64_t(constant));
  Value offset = swizzledThread;
  if (swizzle && !isDisjoint) {
    offset = arith::AddIOp::create(builder, loc, threadOffset, createI32(builder, loc, constant));
    offset = createSwizzle(builder, loc, *swizzle, offset);
    constant = 0;
  } else if (swizzle) {
    int64_t block = ((int64_t(1) << swizzle->bits) - 1) << swizzle->base;
    int64_t swizzled = swizzle->apply(constant);
    if (swizzled & block) // bits that the thread's swizzle may set too
      offset = arith::XOrIOp::create(builder, loc, offset, createI32(builder, loc, swizzled & block));
    constant = swizzled & ~block;
  }
  Value pointer = createElementPointer(builder, loc, base, offset, elementBits);
  if (!constant)
    return pointer;
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), builder.getIntegerType(elementBits), pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(constant)});
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

SmallVector<Value> tilus::createLoad(OpBuilder &builder, Location loc, Value pointer, Type word,
                                     int64_t words, Value mask, CacheHint cache) {
  if (mask || cache != CacheHint::Default)
    return createPredicatedLoad(builder, loc, pointer, word, words, mask, cache);
  int64_t bytes = words * word.getIntOrFloatBitWidth() / 8;
  Type type = words == 1 ? word : VectorType::get({words}, word);
  Value loaded = LLVM::LoadOp::create(builder, loc, type, pointer, bytes);
  if (words == 1)
    return {loaded};
  SmallVector<Value> result;
  for (int64_t index = 0; index < words; ++index)
    result.push_back(LLVM::ExtractElementOp::create(builder, loc, loaded, createI32(builder, loc, index)));
  return result;
}

void tilus::createStore(OpBuilder &builder, Location loc, Value pointer, ValueRange words, Value mask,
                        CacheHint cache) {
  if (mask || cache != CacheHint::Default)
    return createPredicatedStore(builder, loc, pointer, words, mask, cache);
  Type word = words.front().getType();
  int64_t bytes = words.size() * word.getIntOrFloatBitWidth() / 8;
  Value stored = words.front();
  if (words.size() > 1) {
    stored = LLVM::PoisonOp::create(builder, loc, VectorType::get({int64_t(words.size())}, word));
    for (auto [index, value] : llvm::enumerate(words))
      stored = LLVM::InsertElementOp::create(builder, loc, stored, value, createI32(builder, loc, index));
  }
  LLVM::StoreOp::create(builder, loc, stored, pointer, bytes);
}
