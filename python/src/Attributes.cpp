// Attributes in Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IR.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

using namespace nanobind::literals;

namespace tilus::python {

//===----------------------------------------------------------------------===//
// Making attributes
//===----------------------------------------------------------------------===//

static Attribute parseAttribute(std::string_view text, const Context &context) {
  size_t before = context.state->diagnostics.size();
  MlirAttribute attribute = mlirAttributeParseGet(context.state->context, makeRef(text));
  if (!attribute.ptr)
    raiseDiagnostics(*context.state, before, "expected an attribute, but got '" + std::string(text) + "'");
  return {context.state, attribute};
}

/// An integer that the type can hold as a signed or an unsigned number.
static Attribute makeInteger(const Type &type, nb::int_ value) {
  if (!mlirTypeIsAInteger(type.type) && !mlirTypeIsAIndex(type.type))
    throw nb::type_error("expected an integer type or index, but got another type");
  unsigned width = mlirTypeIsAIndex(type.type) ? 64 : mlirIntegerTypeGetWidth(type.type);
  if (width > 64)
    throw nb::value_error("expected an integer type of at most 64 bits, but got a wider one");
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  bool fits = overflow == 0;
  if (fits && width < 64)
    fits = number >= -(1LL << (width - 1)) && number < (1LL << width);
  if (overflow > 0 && width == 64) {
    number = static_cast<long long>(PyLong_AsUnsignedLongLong(value.ptr()));
    fits = !PyErr_Occurred();
    PyErr_Clear();
  }
  if (!fits)
    throw nb::value_error(("expected an integer of " + std::to_string(width) + " bits, but got " +
                           nb::cast<std::string>(nb::str(value)))
                              .c_str());
  return {type.context, mlirIntegerAttrGet(type.type, number)};
}

static Attribute makeFloat(const Type &type, double value) {
  if (!mlirTypeIsAFloat(type.type))
    throw nb::type_error("expected a float type, but got another type");
  return {type.context, mlirFloatAttrDoubleGet(type.context->context, type.type, value)};
}

static std::vector<MlirAttribute> unwrapAttributes(const std::vector<Attribute> &attributes,
                                                   const ContextRef &context) {
  std::vector<MlirAttribute> result;
  for (const Attribute &attribute : attributes) {
    checkContext(context, attribute.context);
    result.push_back(attribute.attribute);
  }
  return result;
}

static Attribute makeArray(const std::vector<Attribute> &elements, const Context &context) {
  std::vector<MlirAttribute> list = unwrapAttributes(elements, context.state);
  return {context.state, mlirArrayAttrGet(context.state->context, list.size(), list.data())};
}

static Attribute makeDictionary(const std::vector<std::pair<std::string, Attribute>> &entries,
                                const Context &context) {
  std::vector<MlirNamedAttribute> list;
  for (const auto &[name, attribute] : entries) {
    checkContext(context.state, attribute.context);
    list.push_back(
        mlirNamedAttributeGet(mlirIdentifierGet(context.state->context, makeRef(name)), attribute.attribute));
  }
  return {context.state, mlirDictionaryAttrGet(context.state->context, list.size(), list.data())};
}

static MlirType checkTensor(const Type &type) {
  if (!mlirTypeIsAShaped(type.type) || !mlirShapedTypeHasRank(type.type) ||
      !mlirShapedTypeHasStaticShape(type.type))
    throw nb::type_error("expected a type with a static shape, but got another");
  return type.type;
}

static Attribute makeSplat(const Type &type, const Attribute &element) {
  MlirType shaped = checkTensor(type);
  checkContext(type.context, element.context);
  if (!mlirTypeEqual(mlirAttributeGetType(element.attribute), mlirShapedTypeGetElementType(shaped)) ||
      !(mlirAttributeIsAInteger(element.attribute) || mlirAttributeIsAFloat(element.attribute)))
    throw nb::type_error("expected a number of the tensor's element type, but got another attribute");
  return {type.context, mlirDenseElementsAttrSplatGet(shaped, element.attribute)};
}

/// Elements in row-major order, each in as many whole bytes as its type needs.
static Attribute makeDense(const Type &type, nb::bytes data) {
  MlirType shaped = checkTensor(type);
  MlirAttribute attribute = mlirDenseElementsAttrRawBufferGet(shaped, data.size(), data.c_str());
  if (!attribute.ptr)
    throw nb::value_error("expected the bytes of all elements, or of one, but got another number of bytes");
  return {type.context, attribute};
}

//===----------------------------------------------------------------------===//
// Asking attributes
//===----------------------------------------------------------------------===//

static std::string printAttribute(const Attribute &self) {
  std::string text;
  mlirAttributePrint(self.attribute, appendText, &text);
  return text;
}

static nb::object getIntegerValue(MlirAttribute attribute) {
  MlirType type = mlirAttributeGetType(attribute);
  if (mlirAttributeIsABool(attribute))
    return nb::cast(mlirBoolAttrGetValue(attribute));
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsUnsigned(type))
    return nb::cast(mlirIntegerAttrGetValueUInt(attribute));
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsSigned(type))
    return nb::cast(mlirIntegerAttrGetValueSInt(attribute));
  return nb::cast(mlirIntegerAttrGetValueInt(attribute));
}

template <typename Get> static nb::object getElements(MlirAttribute attribute, Get get) {
  nb::list list;
  for (intptr_t i = 0, n = mlirDenseArrayGetNumElements(attribute); i != n; ++i)
    list.append(get(attribute, i));
  return list;
}

/// The value in Python: a number, a string, a list, a dict, a type, or True for a unit.
static nb::object getValue(const Attribute &self) {
  MlirAttribute attribute = self.attribute;
  if (mlirAttributeIsAUnit(attribute))
    return nb::cast(true);
  if (mlirAttributeIsAInteger(attribute))
    return getIntegerValue(attribute);
  if (mlirAttributeIsAFloat(attribute))
    return nb::cast(mlirFloatAttrGetValueDouble(attribute));
  if (mlirAttributeIsAString(attribute))
    return nb::cast(makeString(mlirStringAttrGetValue(attribute)));
  if (mlirAttributeIsAFlatSymbolRef(attribute))
    return nb::cast(makeString(mlirFlatSymbolRefAttrGetValue(attribute)));
  if (mlirAttributeIsAType(attribute))
    return nb::cast(Type{self.context, mlirTypeAttrGetValue(attribute)});
  if (mlirAttributeIsADenseI64Array(attribute))
    return getElements(attribute, mlirDenseI64ArrayGetElement);
  if (mlirAttributeIsADenseI32Array(attribute))
    return getElements(attribute, mlirDenseI32ArrayGetElement);
  if (mlirAttributeIsADenseBoolArray(attribute))
    return getElements(attribute, mlirDenseBoolArrayGetElement);
  if (mlirAttributeIsAArray(attribute)) {
    nb::list list;
    for (intptr_t i = 0, n = mlirArrayAttrGetNumElements(attribute); i != n; ++i)
      list.append(getValue({self.context, mlirArrayAttrGetElement(attribute, i)}));
    return list;
  }
  if (mlirAttributeIsADictionary(attribute)) {
    nb::dict dict;
    for (intptr_t i = 0, n = mlirDictionaryAttrGetNumElements(attribute); i != n; ++i) {
      MlirNamedAttribute entry = mlirDictionaryAttrGetElement(attribute, i);
      dict[nb::cast(makeString(mlirIdentifierStr(entry.name)))] = getValue({self.context, entry.attribute});
    }
    return dict;
  }
  throw nb::type_error(
      ("expected an attribute with a value of Python, but got '" + printAttribute(self) + "'").c_str());
}

static std::optional<Type> getType(const Attribute &self) {
  MlirType type = mlirAttributeGetType(self.attribute);
  if (!type.ptr || mlirTypeIsANone(type))
    return std::nullopt;
  return Type{self.context, type};
}

static void bindAttributeClass(nb::module_ &module) {
  nb::class_<Attribute>(module, "Attribute", "An attribute; equal attributes compare equal.")
      .def_static("parse", parseAttribute, "text"_a, "context"_a)
      .def_prop_ro("context", [](const Attribute &self) { return Context{self.context}; })
      .def_prop_ro("type", getType, "The type of a number or of elements, or None.")
      .def_prop_ro("value", getValue,
                   "The value in Python: a number, a string, a list, a dict, a type, or True for a unit.")
      .def("__eq__",
           [](const Attribute &self, const Attribute &other) {
             return mlirAttributeEqual(self.attribute, other.attribute);
           })
      .def(
          "__eq__", [](const Attribute &, nb::object) { return false; }, nb::arg().none())
      .def("__hash__",
           [](const Attribute &self) { return reinterpret_cast<intptr_t>(self.attribute.ptr) >> 4; })
      .def("__str__", printAttribute)
      .def("__repr__", [](const Attribute &self) { return "Attribute(" + printAttribute(self) + ")"; });
}

//===----------------------------------------------------------------------===//
// Classes without instances
//===----------------------------------------------------------------------===//

template <typename Tag, typename Get, typename... Args>
static void bindKind(nb::module_ &module, const char *name, Get get, Args... args) {
  nb::class_<Tag>(module, name).def_static("get", get, args...);
}

static void bindScalars(nb::module_ &module) {
  struct IntegerAttr {};
  struct FloatAttr {};
  struct BoolAttr {};
  struct StringAttr {};
  struct SymbolAttr {};
  struct UnitAttr {};
  struct TypeAttr {};
  bindKind<IntegerAttr>(module, "IntegerAttr", makeInteger, "type"_a, "value"_a);
  bindKind<FloatAttr>(module, "FloatAttr", makeFloat, "type"_a, "value"_a);
  bindKind<BoolAttr>(
      module, "BoolAttr",
      [](bool value, const Context &context) {
        return Attribute{context.state, mlirBoolAttrGet(context.state->context, value)};
      },
      "value"_a, "context"_a);
  bindKind<StringAttr>(
      module, "StringAttr",
      [](std::string_view value, const Context &context) {
        return Attribute{context.state, mlirStringAttrGet(context.state->context, makeRef(value))};
      },
      "value"_a, "context"_a);
  bindKind<SymbolAttr>(
      module, "FlatSymbolRefAttr",
      [](std::string_view value, const Context &context) {
        return Attribute{context.state, mlirFlatSymbolRefAttrGet(context.state->context, makeRef(value))};
      },
      "value"_a, "context"_a);
  bindKind<UnitAttr>(
      module, "UnitAttr",
      [](const Context &context) {
        return Attribute{context.state, mlirUnitAttrGet(context.state->context)};
      },
      "context"_a);
  bindKind<TypeAttr>(
      module, "TypeAttr",
      [](const Type &type) { return Attribute{type.context, mlirTypeAttrGet(type.type)}; }, "type"_a);
}

static void bindCollections(nb::module_ &module) {
  struct ArrayAttr {};
  struct DictAttr {};
  struct DenseI32ArrayAttr {};
  struct DenseI64ArrayAttr {};
  struct DenseBoolArrayAttr {};
  struct DenseElementsAttr {};
  bindKind<ArrayAttr>(module, "ArrayAttr", makeArray, "elements"_a, "context"_a);
  bindKind<DictAttr>(
      module, "DictAttr",
      [](nb::dict entries, const Context &context) {
        std::vector<std::pair<std::string, Attribute>> list;
        for (auto [name, attribute] : entries)
          list.emplace_back(nb::cast<std::string>(name), nb::cast<Attribute>(attribute));
        return makeDictionary(list, context);
      },
      "entries"_a, "context"_a);
  bindKind<DenseI32ArrayAttr>(
      module, "DenseI32ArrayAttr",
      [](const std::vector<int32_t> &values, const Context &context) {
        return Attribute{context.state,
                         mlirDenseI32ArrayGet(context.state->context, values.size(), values.data())};
      },
      "values"_a, "context"_a);
  bindKind<DenseI64ArrayAttr>(
      module, "DenseI64ArrayAttr",
      [](const std::vector<int64_t> &values, const Context &context) {
        return Attribute{context.state,
                         mlirDenseI64ArrayGet(context.state->context, values.size(), values.data())};
      },
      "values"_a, "context"_a);
  bindKind<DenseBoolArrayAttr>(
      module, "DenseBoolArrayAttr",
      [](const std::vector<bool> &values, const Context &context) {
        std::vector<int> numbers(values.begin(), values.end());
        return Attribute{context.state,
                         mlirDenseBoolArrayGet(context.state->context, numbers.size(), numbers.data())};
      },
      "values"_a, "context"_a);
  nb::class_<DenseElementsAttr>(module, "DenseElementsAttr")
      .def_static("get_splat", makeSplat, "type"_a, "element"_a)
      .def_static("get", makeDense, "type"_a, "data"_a,
                  "Elements in row-major order, each in as many whole bytes as its type needs.");
}

void bindAttributes(nb::module_ &module) {
  bindAttributeClass(module);
  bindScalars(module);
  bindCollections(module);
}

} // namespace tilus::python
