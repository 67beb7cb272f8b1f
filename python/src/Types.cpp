// Types in Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IR.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

using namespace nanobind::literals;

namespace tilus::python {

//===----------------------------------------------------------------------===//
// Making types
//===----------------------------------------------------------------------===//

static Type parseType(std::string_view text, const Context &context) {
  size_t before = context.state->diagnostics.size();
  MlirType type = mlirTypeParseGet(context.state->context, makeRef(text));
  if (!type.ptr)
    raiseDiagnostics(*context.state, before, "expected a type, but got '" + std::string(text) + "'");
  return {context.state, type};
}

static void checkWidth(unsigned width) {
  if (width == 0 || width > 64)
    throw nb::value_error(("expected a width of 1 to 64 bits, but got " + std::to_string(width)).c_str());
}

template <MlirType (*make)(MlirContext, unsigned)>
static Type makeInteger(unsigned width, const Context &context) {
  checkWidth(width);
  return {context.state, make(context.state->context, width)};
}

/// A class, which has no instances, of the types that `get` makes.
template <MlirType (*make)(MlirContext)> static void bindSimpleType(nb::module_ &module, const char *name) {
  struct Tag {};
  nb::class_<Tag>(module, name)
      .def_static(
          "get", [](const Context &context) { return Type{context.state, make(context.state->context)}; },
          "context"_a);
}

/// The sizes are -1 where they are dynamic.
static Type makeTensor(const std::vector<int64_t> &shape, const Type &element,
                       const std::optional<Attribute> &encoding) {
  std::vector<int64_t> sizes;
  for (int64_t size : shape)
    sizes.push_back(size == -1 ? mlirShapedTypeGetDynamicSize() : size);
  if (encoding)
    checkContext(element.context, encoding->context);
  ContextState &context = *element.context;
  size_t before = context.diagnostics.size();
  MlirType type =
      mlirRankedTensorTypeGetChecked(mlirLocationUnknownGet(context.context), sizes.size(), sizes.data(),
                                     element.type, encoding ? encoding->attribute : mlirAttributeGetNull());
  if (!type.ptr)
    raiseDiagnostics(context, before, "expected the type of a tensor, but got what is none");
  return {element.context, type};
}

static std::vector<MlirType> unwrapTypes(const std::vector<Type> &types, const ContextRef &context) {
  std::vector<MlirType> result;
  for (const Type &type : types) {
    checkContext(context, type.context);
    result.push_back(type.type);
  }
  return result;
}

static Type makeFunction(const std::vector<Type> &inputs, const std::vector<Type> &results,
                         const Context &context) {
  std::vector<MlirType> in = unwrapTypes(inputs, context.state);
  std::vector<MlirType> out = unwrapTypes(results, context.state);
  return {context.state,
          mlirFunctionTypeGet(context.state->context, in.size(), in.data(), out.size(), out.data())};
}

//===----------------------------------------------------------------------===//
// Asking types
//===----------------------------------------------------------------------===//

static unsigned getWidth(const Type &self) {
  if (mlirTypeIsAInteger(self.type))
    return mlirIntegerTypeGetWidth(self.type);
  if (mlirTypeIsAFloat(self.type))
    return mlirFloatTypeGetWidth(self.type);
  throw nb::type_error("expected an integer or float type, but got one that is neither");
}

static MlirType checkShaped(const Type &self) {
  if (!mlirTypeIsAShaped(self.type) || !mlirShapedTypeHasRank(self.type))
    throw nb::type_error("expected a type with a shape, but got one that has none");
  return self.type;
}

static std::vector<int64_t> getShape(const Type &self) {
  MlirType type = checkShaped(self);
  std::vector<int64_t> shape;
  for (int64_t i = 0, n = mlirShapedTypeGetRank(type); i != n; ++i)
    shape.push_back(mlirShapedTypeIsDynamicDim(type, i) ? -1 : mlirShapedTypeGetDimSize(type, i));
  return shape;
}

static std::optional<Attribute> getEncoding(const Type &self) {
  if (!mlirTypeIsARankedTensor(self.type))
    throw nb::type_error("expected the type of a tensor, but got another");
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(self.type);
  if (!encoding.ptr)
    return std::nullopt;
  return Attribute{self.context, encoding};
}

template <intptr_t (*count)(MlirType), MlirType (*get)(MlirType, intptr_t)>
static std::vector<Type> getFunctionTypes(const Type &self) {
  if (!mlirTypeIsAFunction(self.type))
    throw nb::type_error("expected the type of a function, but got another");
  std::vector<Type> types;
  for (intptr_t i = 0, n = count(self.type); i != n; ++i)
    types.push_back({self.context, get(self.type, i)});
  return types;
}

static std::string printType(const Type &self) {
  std::string text;
  mlirTypePrint(self.type, appendText, &text);
  return text;
}

static void bindTypeClass(nb::module_ &module) {
  nb::class_<Type>(module, "Type", "A type; equal types compare equal.")
      .def_static("parse", parseType, "text"_a, "context"_a)
      .def_prop_ro("context", [](const Type &self) { return Context{self.context}; })
      .def_prop_ro("is_integer", [](const Type &self) { return mlirTypeIsAInteger(self.type); })
      .def_prop_ro("is_index", [](const Type &self) { return mlirTypeIsAIndex(self.type); })
      .def_prop_ro("is_float", [](const Type &self) { return mlirTypeIsAFloat(self.type); })
      .def_prop_ro("is_tensor", [](const Type &self) { return mlirTypeIsARankedTensor(self.type); })
      .def_prop_ro("is_function", [](const Type &self) { return mlirTypeIsAFunction(self.type); })
      .def_prop_ro("width", getWidth, "Bits of an integer or float.")
      .def_prop_ro("shape", getShape, "The sizes, -1 where they are dynamic.")
      .def_prop_ro("element_type",
                   [](const Type &self) {
                     return Type{self.context, mlirShapedTypeGetElementType(checkShaped(self))};
                   })
      .def_prop_ro("encoding", getEncoding, "The encoding of a tensor: its layout, or None.")
      .def_prop_ro("inputs", getFunctionTypes<mlirFunctionTypeGetNumInputs, mlirFunctionTypeGetInput>)
      .def_prop_ro("results", getFunctionTypes<mlirFunctionTypeGetNumResults, mlirFunctionTypeGetResult>)
      .def("__eq__", [](const Type &self, const Type &other) { return mlirTypeEqual(self.type, other.type); })
      .def(
          "__eq__", [](const Type &, nb::object) { return false; }, nb::arg().none())
      .def("__hash__", [](const Type &self) { return reinterpret_cast<intptr_t>(self.type.ptr) >> 4; })
      .def("__str__", printType)
      .def("__repr__", [](const Type &self) { return "Type(" + printType(self) + ")"; });
}

void bindTypes(nb::module_ &module) {
  bindTypeClass(module);
  struct IntegerType {};
  nb::class_<IntegerType>(module, "IntegerType")
      .def_static("get_signless", makeInteger<mlirIntegerTypeGet>, "width"_a, "context"_a)
      .def_static("get_signed", makeInteger<mlirIntegerTypeSignedGet>, "width"_a, "context"_a)
      .def_static("get_unsigned", makeInteger<mlirIntegerTypeUnsignedGet>, "width"_a, "context"_a);
  bindSimpleType<mlirIndexTypeGet>(module, "IndexType");
  bindSimpleType<mlirF16TypeGet>(module, "F16Type");
  bindSimpleType<mlirBF16TypeGet>(module, "BF16Type");
  bindSimpleType<mlirF32TypeGet>(module, "F32Type");
  bindSimpleType<mlirF64TypeGet>(module, "F64Type");
  bindSimpleType<mlirTF32TypeGet>(module, "FloatTF32Type");
  bindSimpleType<mlirFloat8E4M3FNTypeGet>(module, "Float8E4M3FNType");
  bindSimpleType<mlirFloat8E5M2TypeGet>(module, "Float8E5M2Type");
  bindSimpleType<mlirFloat8E8M0FNUTypeGet>(module, "Float8E8M0FNUType");
  bindSimpleType<mlirFloat6E2M3FNTypeGet>(module, "Float6E2M3FNType");
  bindSimpleType<mlirFloat6E3M2FNTypeGet>(module, "Float6E3M2FNType");
  bindSimpleType<mlirFloat4E2M1FNTypeGet>(module, "Float4E2M1FNType");
  struct RankedTensorType {};
  nb::class_<RankedTensorType>(module, "RankedTensorType")
      .def_static("get", makeTensor, "shape"_a, "element_type"_a, "encoding"_a = nb::none());
  struct FunctionType {};
  nb::class_<FunctionType>(module, "FunctionType")
      .def_static("get", makeFunction, "inputs"_a, "results"_a, "context"_a);
}

} // namespace tilus::python
