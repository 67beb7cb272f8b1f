// Lowering of matrix products: mma.sync per atom, or scalar instructions through shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InlinePTX.h"
#include "Lowering.h"
#include "Tilus/IR/Atoms/MmaAtoms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilus;

static RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static const RegisterLayout &layoutOf(Value tile) { return getTileLayout(tile.getType()).getLayout(); }

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

/// The name of an operand type in the instruction.
static std::optional<NVVM::MMATypes> getMmaType(Type element, bool isUnsigned) {
  if (element.isInteger(8))
    return isUnsigned ? NVVM::MMATypes::u8 : NVVM::MMATypes::s8;
  return llvm::TypeSwitch<Type, std::optional<NVVM::MMATypes>>(element)
      .Case<Float16Type>([](Type) { return NVVM::MMATypes::f16; })
      .Case<BFloat16Type>([](Type) { return NVVM::MMATypes::bf16; })
      .Case<FloatTF32Type>([](Type) { return NVVM::MMATypes::tf32; })
      .Case<Float64Type>([](Type) { return NVVM::MMATypes::f64; })
      .Case<Float8E4M3FNType>([](Type) { return NVVM::MMATypes::e4m3; })
      .Case<Float8E5M2Type>([](Type) { return NVVM::MMATypes::e5m2; })
      .Default([](Type) { return std::nullopt; });
}

/// The registers of a fragment as the instruction takes them: f16 pairs, f32, f64, or 32-bit words.
static SmallVector<Value> getFragment(OpBuilder &builder, Location loc, ValueRange registers, int64_t first,
                                      int64_t count) {
  SmallVector<Value> fragment;
  for (Value value : registers.slice(first, count)) {
    Type element = getElementTypeOrSelf(value.getType());
    bool isAsIs = element.isF16() || element.isF64() || value.getType().isInteger(32);
    fragment.push_back(
        isAsIs ? value : LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), value).getResult());
  }
  return fragment;
}

/// Registers that an atom takes of a tile of this element type and layout.
static int64_t getAtomRegisters(const RegisterLayout &fragment, Type element) {
  return fragment.getNumLocals() / getSlotsPerRegister(element);
}

/// One matrix instruction.
static Value createMma(OpBuilder &builder, Location loc, const MmaAtom &atom,
                       std::array<NVVM::MMATypes, 2> types, Type resultType, ArrayRef<Value> a,
                       ArrayRef<Value> b, ArrayRef<Value> acc) {
  if (types[0] == NVVM::MMATypes::e4m3 || types[0] == NVVM::MMATypes::e5m2)
    return createMmaF8(builder, loc, NVVM::stringifyMMATypes(types[0]), NVVM::stringifyMMATypes(types[1]),
                       llvm::to_vector(llvm::concat<const Value>(a, b, acc)));
  bool isInteger = types[0] == NVVM::MMATypes::s8 || types[0] == NVVM::MMATypes::u8;
  return NVVM::MmaOp::create(builder, loc, resultType, a, b, acc, ArrayRef<int64_t>{atom.m, atom.n, atom.k},
                             std::nullopt,
                             isInteger ? std::optional(NVVM::MMAIntOverflow::wrapped) : std::nullopt, types,
                             std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row, NVVM::MMALayout::col});
}

namespace {
struct MmaOpLowering : TileLowering<MmaOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(MmaOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getAtom())
      return op.emitOpError("expected an atom, but got none; run tilus-select-atoms before");
    if (const MmaAtom *atom = op.getAtom()->getAtom())
      lowerToAtoms(op, *atom, adaptor, rewriter);
    else
      lowerToScalars(op, adaptor, rewriter);
    return success();
  }

private:
  void lowerToAtoms(MmaOp op, const MmaAtom &atom, Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) const;
  void lowerToScalars(MmaOp op, Adaptor adaptor, ConversionPatternRewriter &rewriter) const;
};
} // namespace

void MmaOpLowering::lowerToAtoms(MmaOp op, const MmaAtom &atom, Adaptor adaptor,
                                 ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  const RegisterLayout &a = layoutOf(op.getA()), &b = layoutOf(op.getB()), &acc = layoutOf(op.getAcc());
  Type aElement = tileOf(op.getA()).getElementType(), bElement = tileOf(op.getB()).getElementType(),
       accElement = tileOf(op.getAcc()).getElementType();
  int64_t aCount = getAtomRegisters(atom.getALayout(), aElement),
          bCount = getAtomRegisters(atom.getBLayout(), bElement);
  int64_t accSlots = atom.getAccLayout().getNumLocals(), accPacked = getSlotsPerRegister(accElement);
  int64_t accCount = accSlots / accPacked;
  SmallVector<Value> sums(adaptor.getAcc());
  auto types = std::array<NVVM::MMATypes, 2>{*getMmaType(aElement, op.getUnsignedA()),
                                             *getMmaType(bElement, op.getUnsignedB())};
  Type resultType = LLVM::LLVMStructType::getLiteral(
      getContext(), SmallVector<Type>(accCount, getRegisterType(accElement)));
  int64_t steps = tileOf(op.getA()).getDimSize(1) / atom.k;
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t slot = 0; slot < acc.getNumLocals(); slot += accSlots) {
      Extents place = acc.getIndex(0, slot);
      int64_t aSlot = a.getLocal({place[0], step * atom.k}), bSlot = b.getLocal({step * atom.k, place[1]});
      SmallVector<Value> aPart =
          getFragment(rewriter, loc, adaptor.getA(), aSlot / getSlotsPerRegister(aElement), aCount);
      SmallVector<Value> bPart =
          getFragment(rewriter, loc, adaptor.getB(), bSlot / getSlotsPerRegister(bElement), bCount);
      ArrayRef<Value> accPart = ArrayRef(sums).slice(slot / accPacked, accCount);
      Value product = createMma(rewriter, loc, atom, types, resultType, aPart, bPart, accPart);
      for (int64_t index = 0; index < accCount; ++index)
        sums[slot / accPacked + index] = LLVM::ExtractValueOp::create(rewriter, loc, product, index);
    }
  rewriter.replaceOpWithMultiple(op, {sums});
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// Stores an operand row-major at `base`, one store a slot.
static void stageOperand(OpBuilder &builder, Location loc, Value thread, RankedTensorType tile,
                         ValueRange registers, Value base) {
  const RegisterLayout &layout = getTileLayout(tile).getLayout();
  TileIndices indices = createTileIndices(builder, loc, thread, layout);
  Value isFirst = createIsRepresentative(builder, loc, thread, layout);
  int64_t columns = tile.getDimSize(1), bits = getSlotBits(tile.getElementType());
  Value row = arith::MulIOp::create(builder, loc, indices.thread[0], createI32(builder, loc, columns));
  Value start = createElementPointer(builder, loc, base,
                                     arith::AddIOp::create(builder, loc, row, indices.thread[1]), bits);
  for (int64_t slot = 0; slot < layout.getNumLocals(); ++slot) {
    ArrayRef<int64_t> offset = indices.slots[slot];
    Value pointer = createElementPointer(builder, loc, start,
                                         createI32(builder, loc, offset[0] * columns + offset[1]), bits);
    createStore(builder, loc, pointer, getWords(builder, loc, tile, registers, slot, 1), isFirst,
                CacheHint::Default);
  }
}

/// Loads element `offset` of a staged operand as an accumulator element.
static Value loadOperand(OpBuilder &builder, Location loc, const LoweringContext &context, Value base,
                         Value offset, Type element, Type accElement, bool isUnsigned) {
  int64_t bits = getSlotBits(element);
  Value word = createLoad(builder, loc, createElementPointer(builder, loc, base, offset, bits),
                          builder.getIntegerType(bits), 1, Value(), CacheHint::Default)
                   .front();
  if (isa<FloatType>(element)) {
    Value slot = LLVM::BitcastOp::create(builder, loc, getSlotType(element), word);
    return createElementCast(builder, loc, context, slot, element, accElement);
  }
  Type type = getSlotType(accElement);
  if (word.getType() == type)
    return word;
  return isUnsigned ? arith::ExtUIOp::create(builder, loc, type, word).getResult()
                    : arith::ExtSIOp::create(builder, loc, type, word).getResult();
}

// Both operands go to scratch, row-major; each thread then walks along k and multiplies the rows and columns
// that its accumulator needs.
void MmaOpLowering::lowerToScalars(MmaOp op, Adaptor adaptor, ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  RankedTensorType aTile = tileOf(op.getA()), bTile = tileOf(op.getB()), accTile = tileOf(op.getAcc());
  Type accElement = accTile.getElementType();
  ThreadGroup group = context.getGroup(op);
  Value thread = createThreadId(rewriter, loc, context, group);
  Value aBase = createScratchPointer(rewriter, loc, op);
  int64_t aBytes = llvm::alignTo(aTile.getNumElements() * getSlotBits(aTile.getElementType()) / 8, 16);
  Value bBase = createElementPointer(rewriter, loc, aBase, createI32(rewriter, loc, aBytes), 8);
  stageOperand(rewriter, loc, thread, aTile, adaptor.getA(), aBase);
  stageOperand(rewriter, loc, thread, bTile, adaptor.getB(), bBase);
  createBarrier(rewriter, loc, context, group);

  const RegisterLayout &layout = layoutOf(op.getAcc());
  TileIndices indices = createTileIndices(rewriter, loc, thread, layout);
  SmallVector<Value> sums = unpackTile(rewriter, loc, accTile, adaptor.getAcc());
  int64_t k = aTile.getDimSize(1), n = bTile.getDimSize(1);
  Value zero = createI32(rewriter, loc, 0), one = createI32(rewriter, loc, 1),
        end = createI32(rewriter, loc, k);
  auto loop = scf::ForOp::create(rewriter, loc, zero, end, one, sums);
  OpBuilder body = OpBuilder::atBlockBegin(loop.getBody());
  Value step = loop.getInductionVar();
  Value aStart = arith::AddIOp::create(
      body, loc, arith::MulIOp::create(body, loc, indices.thread[0], createI32(body, loc, k)), step);
  Value bStart = arith::AddIOp::create(
      body, loc, arith::MulIOp::create(body, loc, step, createI32(body, loc, n)), indices.thread[1]);
  llvm::DenseMap<int64_t, Value> rows, columns;
  SmallVector<Value> next;
  for (int64_t slot = 0; slot < layout.getNumLocals(); ++slot) {
    int64_t rowOffset = indices.slots[slot][0], columnOffset = indices.slots[slot][1];
    Value &row = rows[rowOffset], &column = columns[columnOffset];
    if (!row)
      row = loadOperand(body, loc, context, aBase,
                        arith::AddIOp::create(body, loc, aStart, createI32(body, loc, rowOffset * k)),
                        aTile.getElementType(), accElement, op.getUnsignedA());
    if (!column)
      column = loadOperand(body, loc, context, bBase,
                           arith::AddIOp::create(body, loc, bStart, createI32(body, loc, columnOffset)),
                           bTile.getElementType(), accElement, op.getUnsignedB());
    Value sum = loop.getRegionIterArgs()[slot];
    if (isa<FloatType>(accElement))
      next.push_back(math::FmaOp::create(body, loc, row, column, sum));
    else
      next.push_back(arith::AddIOp::create(body, loc, sum, arith::MulIOp::create(body, loc, row, column)));
  }
  scf::YieldOp::create(body, loc, next);
  rewriter.replaceOpWithMultiple(op,
                                 {packTile(rewriter, loc, accTile, SmallVector<Value>(loop.getResults()))});
}

void tilus::populateMmaToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                              const LoweringContext &context) {
  patterns.add<MmaOpLowering>(converter, patterns.getContext(), context);
}
