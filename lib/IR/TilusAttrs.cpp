// Attributes of the dialect: syntax and verification.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilusAttrs.h"
#include "Tilus/IR/Atoms/MmaAtoms.h"
#include "Tilus/IR/TilusDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilus;

#define GET_ATTRDEF_CLASSES
#include "Tilus/IR/TilusAttrs.cpp.inc"

void TilusDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tilus/IR/TilusAttrs.cpp.inc"
      >();
}

/// Parses `name = [a, b, …]`.
static ParseResult parseNamedList(AsmParser &parser, StringRef name, SmallVectorImpl<int64_t> &values) {
  return failure(parser.parseKeyword(name) || parser.parseEqual() ||
                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                                [&] { return parser.parseInteger(values.emplace_back()); }));
}

static void printNamedList(AsmPrinter &printer, StringRef name, ArrayRef<int64_t> values) {
  printer << name << " = [";
  llvm::interleaveComma(values, printer);
  printer << "]";
}

//===----------------------------------------------------------------------===//
// Register layout
//===----------------------------------------------------------------------===//

Attribute RegisterLayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape, modes, spatial, local;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseNamedList(parser, "shape", shape) || parser.parseComma() ||
      parseNamedList(parser, "modes", modes) || parser.parseComma() ||
      parseNamedList(parser, "spatial", spatial) || parser.parseComma() ||
      parseNamedList(parser, "local", local) || parser.parseGreater())
    return {};
  auto layout = RegisterLayout::get(shape, modes, spatial, local,
                                    [&](const Twine &message) { parser.emitError(loc, message); });
  return layout ? RegisterLayoutAttr::get(parser.getContext(), *layout) : Attribute();
}

void RegisterLayoutAttr::print(AsmPrinter &printer) const {
  const RegisterLayout &layout = getLayout();
  printer << "<";
  printNamedList(printer, "shape", layout.getShape());
  printer << ", ";
  printNamedList(printer, "modes", layout.getModeShape());
  printer << ", ";
  printNamedList(printer, "spatial", layout.getSpatialModes());
  printer << ", ";
  printNamedList(printer, "local", layout.getLocalModes());
  printer << ">";
}

LogicalResult RegisterLayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                                 function_ref<InFlightDiagnostic()> emitError) const {
  if (shape == getLayout().getShape())
    return success();
  return emitError() << "expected a layout of shape [" << shape << "], but got " << *this;
}

//===----------------------------------------------------------------------===//
// Shared layout
//===----------------------------------------------------------------------===//

Attribute SharedLayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape, modes, strides, swizzle;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseNamedList(parser, "shape", shape) || parser.parseComma() ||
      parseNamedList(parser, "modes", modes) || parser.parseComma() ||
      parseNamedList(parser, "strides", strides))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parseNamedList(parser, "swizzle", swizzle))
    return {};
  if (parser.parseGreater())
    return {};
  auto onError = [&](const Twine &message) { parser.emitError(loc, message); };
  std::optional<Swizzle> pattern;
  if (!swizzle.empty()) {
    if (swizzle.size() != 3)
      return onError("expected three numbers for the swizzle (base, bits, shift), but got " +
                     Twine(swizzle.size())),
             Attribute();
    if (!(pattern = Swizzle::get(swizzle[0], swizzle[1], swizzle[2], onError)))
      return {};
  }
  auto layout = SharedLayout::get(shape, modes, strides, pattern, onError);
  return layout ? SharedLayoutAttr::get(parser.getContext(), *layout) : Attribute();
}

void SharedLayoutAttr::print(AsmPrinter &printer) const {
  const SharedLayout &layout = getLayout();
  printer << "<";
  printNamedList(printer, "shape", layout.getShape());
  printer << ", ";
  printNamedList(printer, "modes", layout.getModeShape());
  printer << ", ";
  printNamedList(printer, "strides", layout.getModeStrides());
  if (auto swizzle = layout.getSwizzle()) {
    printer << ", ";
    printNamedList(printer, "swizzle", {swizzle->base, swizzle->bits, swizzle->shift});
  }
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Atoms and target
//===----------------------------------------------------------------------===//

LogicalResult MmaAtomAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name) {
  if (name == "simt" || lookupMmaAtom(name))
    return success();
  return emitError() << "expected a matrix instruction of the atom table or 'simt', but got '" << name << "'";
}

Attribute MmaAtomAttr::parse(AsmParser &parser, Type) {
  std::string name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeywordOrString(&name) || parser.parseGreater())
    return {};
  return parser.getChecked<MmaAtomAttr>(loc, parser.getContext(), name);
}

void MmaAtomAttr::print(AsmPrinter &printer) const { printer << "<" << getName() << ">"; }

const MmaAtom *MmaAtomAttr::getAtom() const { return lookupMmaAtom(getName()); }

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef triple,
                                 StringRef chip, StringRef) {
  const TargetInfo *info = lookupTarget(chip);
  if (!info || info->chip != chip)
    return emitError() << describeUnknownTarget(chip);
  if (triple != info->triple)
    return emitError() << "expected the triple '" << info->triple << "' for " << chip << ", but got '"
                       << triple << "'";
  return success();
}

const TargetInfo *TargetAttr::getInfo() const { return lookupTarget(getChip()); }
