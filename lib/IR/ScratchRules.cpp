// Shared memory that ops need while they run, given the layouts of their tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilusOps.h"
#include "Tilus/Layout/LayoutConversion.h"
#include "Tilus/Support/IntMath.h"

using namespace mlir;
using namespace tilus;

/// Bytes of one element in scratch: whole words of 4 or 8 bytes.
static int64_t getScratchElementBytes(Value tile) {
  return getElementBits(getElementTypeOrSelf(tile.getType())) > 32 ? 8 : 4;
}

/// Whether a digit of the thread id crosses warps or is not made of whole bits of the lane number, so that
/// warp shuffles in butterflies do not reach all its values.
static bool needsScratch(const LayoutDigit &digit) {
  bool isBits = llvm::isPowerOf2_64(digit.size) && llvm::isPowerOf2_64(digit.stride);
  return !isBits || digit.size * digit.stride > 32;
}

/// Scratch of a combination along `dim`: one slot set a thread if some digit of the dimension needs it.
static int64_t getCombineScratch(Value source, int64_t dim, bool keepsDim) {
  RegisterLayoutAttr attr = getTileLayout(source.getType());
  if (!attr)
    return 0;
  const RegisterLayout &layout = attr.getLayout();
  bool isNeeded = llvm::any_of(layout.getSpatialDigits(), [&](const LayoutDigit &digit) {
    return digit.dim == dim && needsScratch(digit);
  });
  if (!isNeeded)
    return 0;
  int64_t slots = layout.getNumLocals();
  if (!keepsDim)
    slots = layout.reduce({dim}, /*keepDims=*/true)->getNumLocals();
  return layout.getNumThreads() * slots * getScratchElementBytes(source);
}

int64_t ReduceOp::getScratchBytes() { return getCombineScratch(getSource(), getDim(), /*keepsDim=*/false); }

int64_t ScanOp::getScratchBytes() { return getCombineScratch(getSource(), getDim(), /*keepsDim=*/true); }

int64_t ConvertLayoutOp::getScratchBytes() {
  RegisterLayoutAttr source = getTileLayout(getSource().getType()),
                     result = getTileLayout(getResult().getType());
  if (!source || !result || source == result)
    return 0;
  int64_t bits = getElementBits(getElementTypeOrSelf(getSource().getType()));
  std::optional<ConversionPlan> plan = planConversion(source.getLayout(), result.getLayout(), bits);
  return plan && plan->staging ? plan->staging->sizeBytes : 0;
}

int64_t MmaOp::getScratchBytes() {
  if (!getAtom() || getAtom()->getAtom())
    return 0;
  // Scalar instructions read both operands from scratch.
  int64_t bytes = 0;
  for (Value operand : {getA(), getB()}) {
    auto type = cast<RankedTensorType>(operand.getType());
    bytes += llvm::alignTo(type.getNumElements() * getElementBits(type.getElementType()) / 8, 16);
  }
  return bytes;
}
