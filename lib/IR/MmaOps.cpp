// Matrix products: verification, requirement, layouts and scratch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutRules.h"
#include "OpVerification.h"
#include "Tilus/IR/Atoms/MmaAtoms.h"

using namespace mlir;
using namespace tilus;

/// Whether products of a and b elements can be summed in acc: floats of at most the accumulator's width, or
/// 8-bit integers in i32.
static bool isProduct(Type a, Type b, Type acc) {
  if (isa<FloatType>(acc) && acc.getIntOrFloatBitWidth() >= 16 && !acc.isTF32()) {
    bool isFloat = isa<FloatType>(a) && isa<FloatType>(b);
    bool isSameKind = a == b || (getElementBits(a) == 8 && getElementBits(b) == 8);
    return isFloat && isSameKind && getElementBits(a) <= getElementBits(acc);
  }
  return acc.isInteger(32) && a == b && (a.isInteger(8) || a.isInteger(32));
}

LogicalResult MmaOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType()),
       acc = cast<RankedTensorType>(getAcc().getType());
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2)
    return emitOpError("expected tiles of rank 2, but got ranks ")
           << a.getRank() << ", " << b.getRank() << " and " << acc.getRank();
  if (a.getDimSize(1) != b.getDimSize(0))
    return emitOpError("expected 'a' and 'b' to agree on k, but got ")
           << formatShape(a.getShape()) << " and " << formatShape(b.getShape());
  if (acc.getDimSize(0) != a.getDimSize(0) || acc.getDimSize(1) != b.getDimSize(1))
    return emitOpError("expected an accumulator of shape ")
           << formatShape({a.getDimSize(0), b.getDimSize(1)}) << ", but got " << formatShape(acc.getShape());
  if (!isProduct(a.getElementType(), b.getElementType(), acc.getElementType()))
    return emitOpError(
               "expected floats of one type (or of 8 bits each) summed in a float at least as wide, or i8 or "
               "i32 summed in i32, but got ")
           << a.getElementType() << ", " << b.getElementType() << " and " << acc.getElementType();
  if ((getUnsignedA() || getUnsignedB()) && !a.getElementType().isInteger(8))
    return emitOpError("expected operands of i8 where 'unsigned_a' or 'unsigned_b' is given, but got ")
           << a.getElementType();
  const MmaAtom *atom = getAtom() ? getAtom()->getAtom() : nullptr;
  if (atom && !atom->matchesTypes(a.getElementType(), b.getElementType(), acc.getElementType()))
    return emitOpError("expected an atom for ") << a.getElementType() << ", " << b.getElementType() << " and "
                                                << acc.getElementType() << ", but got '" << atom->name << "'";
  return success();
}

TargetRequirement MmaOp::getTargetRequirement() {
  const MmaAtom *atom = getAtom() ? getAtom()->getAtom() : nullptr;
  return atom ? TargetRequirement(atom->feature) : TargetRequirement();
}

void MmaOp::inferLayouts(LayoutQuery &query) {
  TargetAttr target = getTarget(*this);
  Type a = getElementTypeOrSelf(getA().getType()), b = getElementTypeOrSelf(getB().getType()),
       acc = getElementTypeOrSelf(getAcc().getType());
  int64_t m = getTileShape(getA())[0], k = getTileShape(getA())[1], n = getTileShape(getB())[1];
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
