// Printing: verification.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpVerification.h"

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

namespace {
/// The conversions of a printf format by the kind of their argument.
struct ConversionKind {
  StringLiteral letters, what;
  bool (*accepts)(Type);
};
} // namespace

static constexpr ConversionKind kConversionKinds[] = {
    {"diuoxXc", "an integer", [](Type type) { return type.isIntOrIndex(); }},
    {"fFeEgGaA", "a float", [](Type type) { return isFloatElement(type); }},
    {"p", "a pointer", [](Type type) { return isa<PtrType>(type); }},
};

/// The conversions of a format, such as "%5.2f", in order; "%%" is none.
static SmallVector<StringRef> findConversions(StringRef format) {
  SmallVector<StringRef> conversions;
  for (size_t begin = format.find('%'); begin != StringRef::npos; begin = format.find('%')) {
    format = format.drop_front(begin);
    size_t end = std::min(format.find_first_not_of("-+ #0123456789.lhz", 1), format.size() - 1);
    StringRef conversion = format.take_front(end + 1);
    format = format.drop_front(end + 1);
    if (conversion != "%%")
      conversions.push_back(conversion);
  }
  return conversions;
}

/// Checks that a conversion formats a value of this type: the kind, and 'l' or 'll' on integers of more than
/// 32 bits and only there, for the device reads as many bytes as the conversion says.
static LogicalResult verifyConversion(Operation *op, StringRef conversion, Type type) {
  const ConversionKind *kind = llvm::find_if(kConversionKinds, [&](const ConversionKind &kind) {
    return conversion.size() > 1 && kind.letters.contains(conversion.back());
  });
  if (kind == std::end(kConversionKinds))
    return op->emitOpError("expected a conversion that ends in one of 'diuoxXcfFeEgGaAp', but got '")
           << conversion << "'";
  if (!kind->accepts(type))
    return op->emitOpError("expected ") << kind->what << " for '" << conversion << "', but got " << type;
  bool isLong = type.isIntOrIndex() && getElementBits(type) > 32;
  if (isLong != conversion.contains('l') || conversion.find_first_of("hz") != StringRef::npos)
    return op->emitOpError("expected ") << (isLong ? "length 'll'" : "no length") << " in the conversion of "
                                        << type << ", but got '" << conversion << "'";
  return success();
}

LogicalResult PrintfOp::verify() {
  SmallVector<StringRef> conversions = findConversions(getFormat());
  if (conversions.size() != getArgs().size())
    return emitOpError("expected one argument for each of the ")
           << conversions.size() << " conversions of the format, but got " << getArgs().size();
  for (auto [conversion, type] : llvm::zip_equal(conversions, getArgs().getTypes()))
    if (failed(verifyConversion(*this, conversion, type)))
      return failure();
  return success();
}

LogicalResult PrintOp::verify() {
  if (getMessage().contains('%'))
    return emitOpError("expected a message without '%', but got '") << getMessage() << "'";
  return success();
}
