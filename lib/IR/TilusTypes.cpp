// Types of the dialect: syntax, verification, and what an element and a tile are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilusTypes.h"
#include "Tilus/IR/TilusDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilus;

#define GET_TYPEDEF_CLASSES
#include "Tilus/IR/TilusTypes.cpp.inc"

void TilusDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Tilus/IR/TilusTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Elements and tiles
//===----------------------------------------------------------------------===//

bool tilus::isElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() && integer.getWidth() >= 1 && integer.getWidth() <= 64;
  return isa<IndexType, LowFloatType, BitType, Float64Type, Float32Type, FloatTF32Type, Float16Type,
             BFloat16Type, Float8E5M2Type, Float8E4M3Type, Float8E4M3FNType, Float8E3M4Type, Float6E3M2FNType,
             Float6E2M3FNType, Float4E2M1FNType>(type);
}

unsigned tilus::getElementBits(Type type) {
  if (type.isInteger(1))
    return 8;
  if (type.isTF32())
    return 32;
  if (auto low = dyn_cast<LowFloatType>(type))
    return 1 + low.getExponent() + low.getMantissa();
  if (isa<BitType>(type))
    return 1;
  return isa<IndexType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

bool tilus::isPackedElement(Type type) { return getElementBits(type) < 8; }

bool tilus::isFloatElement(Type type) { return isa<FloatType, LowFloatType>(type); }

bool tilus::isTileType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getRank() <= 5 &&
         (!tensor.getEncoding() || isa<RegisterLayoutAttr>(tensor.getEncoding())) &&
         isElementType(tensor.getElementType()) && checkedProduct(tensor.getShape());
}

RegisterLayoutAttr tilus::getTileLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<RegisterLayoutAttr>(tensor.getEncoding()) : RegisterLayoutAttr();
}

RankedTensorType tilus::withTileLayout(RankedTensorType type, RegisterLayoutAttr layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static LogicalResult verifyElement(function_ref<InFlightDiagnostic()> emitError, Type type) {
  if (isElementType(type))
    return success();
  return emitError()
         << "expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, "
            "f8E4M3, "
            "f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got "
         << type;
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type elementType) {
  return verifyElement(emitError, elementType);
}

LogicalResult GlobalType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                 Type elementType, ArrayRef<int64_t> strides) {
  if (shape.size() > 5)
    return emitError() << "expected a view of rank 0 to 5, but got rank " << shape.size();
  SmallVector<int64_t> known = llvm::to_vector(
      llvm::make_filter_range(shape, [](int64_t size) { return !ShapedType::isDynamic(size) && size != 0; }));
  if (!checkedProduct(known))
    return emitError() << "expected sizes that are not negative with a product of at most " << kMaxLayoutSize
                       << ", but got [" << known << "]";
  if (!strides.empty() && strides.size() != shape.size())
    return emitError() << "expected one stride for each of the " << shape.size() << " dimensions, but got "
                       << strides.size();
  return verifyElement(emitError, elementType);
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                 Type elementType, SharedLayoutAttr layout) {
  if (shape.size() > 6)
    return emitError() << "expected a shared tile of rank 0 to 6, but got rank " << shape.size();
  for (int64_t size : shape)
    if (ShapedType::isDynamic(size) || size <= 0)
      return emitError() << "expected static positive sizes for a shared tile, but got "
                         << (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  if (!checkedProduct(shape))
    return emitError() << "expected a shared tile of at most " << kMaxLayoutSize << " elements, but got ["
                       << shape << "]";
  if (layout && layout.getLayout().getShape() != shape)
    return emitError() << "expected a layout of the tile's shape, but got " << layout;
  return verifyElement(emitError, elementType);
}

LogicalResult LowFloatType::verify(function_ref<InFlightDiagnostic()> emitError, unsigned exponent,
                                   unsigned mantissa) {
  uint64_t bits = uint64_t(1) + exponent + mantissa;
  if (exponent < 1 || exponent > 5 || bits < 3 || bits > 8)
    return emitError() << "expected 1 to 5 exponent bits and 3 to 8 bits in all, but got " << exponent
                       << " and " << bits;
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

SmallVector<int64_t> GlobalType::getStaticStrides() const {
  if (!getStrides().empty())
    return SmallVector<int64_t>(getStrides());
  SmallVector<int64_t> strides(getRank(), 1);
  for (int64_t dim = getRank() - 2; dim >= 0; --dim) {
    int64_t size = getShape()[dim + 1];
    bool known = !ShapedType::isDynamic(size) && !ShapedType::isDynamic(strides[dim + 1]);
    strides[dim] = known ? strides[dim + 1] * size : ShapedType::kDynamic;
  }
  return strides;
}

int64_t GlobalType::getNumDynamicSizes() const { return llvm::count_if(getShape(), ShapedType::isDynamic); }
int64_t GlobalType::getNumDynamicStrides() const {
  return llvm::count_if(getStrides(), ShapedType::isDynamic);
}
int64_t SharedType::getNumElements() const { return ShapedType::getNumElements(getShape()); }

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

static void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape, Type elementType) {
  printer.printDimensionList(shape);
  printer << (shape.empty() ? "" : "x") << elementType;
}

/// Parses `[a, ?, c]`.
static ParseResult parseExtents(AsmParser &parser, SmallVectorImpl<int64_t> &extents) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      extents.push_back(ShapedType::kDynamic);
      return success();
    }
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseInteger(extents.emplace_back()))
      return failure();
    if (ShapedType::isDynamic(extents.back()))
      return parser.emitError(loc, "expected an extent above -2^63, but got ") << extents.back();
    return success();
  });
}

Type GlobalType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type element;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/true) ||
      parser.parseType(element))
    return {};
  if (succeeded(parser.parseOptionalComma()))
    if (parser.parseKeyword("strides") || parser.parseEqual() || parseExtents(parser, strides))
      return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<GlobalType>(loc, parser.getContext(), shape, element, strides);
}

void GlobalType::print(AsmPrinter &printer) const {
  printer << "<";
  printShape(printer, getShape(), getElementType());
  if (!getStrides().empty()) {
    printer << ", strides = [";
    llvm::interleaveComma(getStrides(), printer, [&](int64_t stride) {
      if (ShapedType::isDynamic(stride))
        printer << "?";
      else
        printer << stride;
    });
    printer << "]";
  }
  printer << ">";
}

Type SharedType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  SharedLayoutAttr layout;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<SharedType>(loc, parser.getContext(), shape, element, layout);
}

void SharedType::print(AsmPrinter &printer) const {
  printer << "<";
  printShape(printer, getShape(), getElementType());
  if (getLayout())
    printer << ", " << getLayout();
  printer << ">";
}
