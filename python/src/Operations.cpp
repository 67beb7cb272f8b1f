// Operations, modules, regions, blocks and values in Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IR.h"

#include "Tilus-c/Dialect.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/Interfaces.h"

using namespace nanobind::literals;

namespace tilus::python {

//===----------------------------------------------------------------------===//
// Making operations
//===----------------------------------------------------------------------===//

static std::vector<MlirNamedAttribute> unwrapAttributes(const nb::dict &attributes,
                                                        const ContextRef &context) {
  std::vector<MlirNamedAttribute> result;
  for (auto [name, value] : attributes) {
    Attribute attribute = nb::cast<Attribute>(value);
    checkContext(context, attribute.context);
    MlirIdentifier identifier = mlirIdentifierGet(context->context, makeRef(nb::cast<std::string>(name)));
    result.push_back(mlirNamedAttributeGet(identifier, attribute.attribute));
  }
  return result;
}

/// Lets MLIR infer the results' types if there are none given.
static void addResults(MlirOperationState &state, const std::string &name, const ContextRef &context,
                       const std::optional<std::vector<Type>> &results) {
  if (!results) {
    if (!mlirOperationImplementsInterfaceStatic(makeRef(name), context->context,
                                                mlirInferTypeOpInterfaceTypeID()))
      throw nb::value_error(
          ("expected the types of the results of '" + name + "', which do not follow from its operands")
              .c_str());
    mlirOperationStateEnableResultTypeInference(&state);
    return;
  }
  std::vector<MlirType> types;
  for (const Type &type : *results) {
    checkContext(context, type.context);
    types.push_back(type.type);
  }
  mlirOperationStateAddResults(&state, types.size(), types.data());
}

static Operation createOperation(const std::string &name, const std::optional<std::vector<Type>> &results,
                                 const std::vector<Value> &operands, const nb::dict &attributes,
                                 unsigned regions, const Location &location) {
  const ContextRef &context = location.context;
  if (!mlirContextIsRegisteredOperation(context->context, makeRef(name)))
    throw nb::value_error(("expected the name of an operation, but got '" + name + "'").c_str());
  MlirOperationState state = mlirOperationStateGet(makeRef(name), location.location);
  std::vector<MlirNamedAttribute> named = unwrapAttributes(attributes, context);
  std::vector<MlirValue> values;
  for (const Value &operand : operands) {
    checkContext(context, operand.getContext());
    values.push_back(operand.get());
  }
  size_t before = context->diagnostics.size();
  addResults(state, name, context, results);
  mlirOperationStateAddAttributes(&state, named.size(), named.data());
  mlirOperationStateAddOperands(&state, values.size(), values.data());
  std::vector<MlirRegion> bodies(regions);
  for (MlirRegion &body : bodies)
    body = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(&state, bodies.size(), bodies.data());
  MlirOperation operation = mlirOperationCreate(&state);
  if (!operation.ptr)
    raiseDiagnostics(*context, before, "expected operands from which the results of '" + name + "' follow");
  return adoptOperation(context, operation);
}

//===----------------------------------------------------------------------===//
// Asking operations
//===----------------------------------------------------------------------===//

static std::string printOperation(const Operation &self, bool locations, bool generic) {
  std::string text;
  ContextState &context = *self.getContext();
  size_t before = context.diagnostics.size();
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  if (locations)
    mlirOpPrintingFlagsEnableDebugInfo(flags, /*enable=*/true, /*prettyForm=*/false);
  if (generic)
    mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOperationPrintWithFlags(self.get(), flags, appendText, &text);
  mlirOpPrintingFlagsDestroy(flags);
  // The printer verifies what it prints, to choose a form.
  context.diagnostics.resize(std::min(before, context.diagnostics.size()));
  return text;
}

static void verifyOperation(const Operation &self) {
  ContextState &context = *self.getContext();
  size_t before = context.diagnostics.size();
  if (!mlirOperationVerify(self.get()))
    raiseDiagnostics(context, before, "expected valid operations, but got others");
}

static nb::bytes writeBytecode(const Operation &self) {
  std::string data;
  verifyOperation(self);
  mlirOperationWriteBytecode(self.get(), appendText, &data);
  return nb::bytes(data.data(), data.size());
}

static std::vector<Value> getResults(const Operation &self) {
  std::vector<Value> values;
  MlirOperation operation = self.get();
  for (intptr_t i = 0, n = mlirOperationGetNumResults(operation); i != n; ++i)
    values.push_back({self.record, mlirOperationGetResult(operation, i)});
  return values;
}

static std::vector<Value> getOperands(const Operation &self) {
  std::vector<Value> values;
  MlirOperation operation = self.get();
  for (intptr_t i = 0, n = mlirOperationGetNumOperands(operation); i != n; ++i)
    values.push_back(wrapValue(self.getContext(), mlirOperationGetOperand(operation, i)));
  return values;
}

static void checkIndex(intptr_t index, intptr_t count, const char *what) {
  if (index < 0 || index >= count)
    throw nb::index_error((std::string("expected the number of one of ") + std::to_string(count) + " " +
                           what + ", but got " + std::to_string(index))
                              .c_str());
}

static void setOperand(const Operation &self, intptr_t index, const Value &value) {
  MlirOperation operation = self.get();
  checkIndex(index, mlirOperationGetNumOperands(operation), "operands");
  checkContext(self.getContext(), value.getContext());
  mlirOperationSetOperand(operation, index, value.get());
}

static void setOperands(const Operation &self, const std::vector<Value> &values) {
  std::vector<MlirValue> operands;
  for (const Value &value : values) {
    checkContext(self.getContext(), value.getContext());
    operands.push_back(value.get());
  }
  mlirOperationSetOperands(self.get(), operands.size(), operands.data());
}

static std::vector<Region> getRegions(const Operation &self) {
  std::vector<Region> regions;
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(self.get()); i != n; ++i)
    regions.push_back({self, i});
  return regions;
}

static std::optional<Operation> getParent(const Operation &self) {
  MlirOperation operation = self.get();
  if (!mlirOperationGetBlock(operation).ptr)
    return std::nullopt;
  return wrapOperation(self.getContext(), mlirOperationGetParentOperation(operation));
}

static std::optional<Block> getBlock(const Operation &self) {
  MlirBlock block = mlirOperationGetBlock(self.get());
  if (!block.ptr)
    return std::nullopt;
  return wrapBlock(self.getContext(), block);
}

static void collectNested(const ContextRef &context, MlirOperation operation,
                          std::vector<Operation> &result) {
  result.push_back(wrapOperation(context, operation));
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(operation); i != n; ++i) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(operation, i));
    for (; block.ptr; block = mlirBlockGetNextInRegion(block))
      for (MlirOperation inner = mlirBlockGetFirstOperation(block); inner.ptr;
           inner = mlirOperationGetNextInBlock(inner))
        collectNested(context, inner, result);
  }
}

static std::vector<Operation> walk(const Operation &self) {
  std::vector<Operation> result;
  collectNested(self.getContext(), self.get(), result);
  return result;
}

/// Puts the operation before another, wherever it was.
static void moveBefore(const Operation &self, const Operation &other) {
  if (self.get().ptr == other.get().ptr)
    return;
  std::optional<Block> block = getBlock(other);
  if (!block)
    throw nb::value_error("expected an operation in a block, but got one that is in none");
  checkContext(self.getContext(), other.getContext());
  for (MlirOperation outer = other.get(); outer.ptr; outer = mlirOperationGetParentOperation(outer))
    if (outer.ptr == self.get().ptr)
      throw nb::value_error("expected an operation outside of the one to move, but got one inside it");
  if (mlirOperationGetBlock(self.get()).ptr)
    detachOperation(self);
  insertOperation(self, *block, other.get());
}

//===----------------------------------------------------------------------===//
// Attributes of operations
//===----------------------------------------------------------------------===//

static MlirAttribute findAttribute(const AttributeMap &self, std::string_view name) {
  return mlirOperationGetAttributeByName(self.operation.get(), makeRef(name));
}

static Attribute getAttribute(const AttributeMap &self, const std::string &name) {
  MlirAttribute attribute = findAttribute(self, name);
  if (!attribute.ptr)
    throw nb::key_error(name.c_str());
  return {self.operation.getContext(), attribute};
}

static void setAttribute(const AttributeMap &self, std::string_view name, const Attribute &value) {
  checkContext(self.operation.getContext(), value.context);
  mlirOperationSetAttributeByName(self.operation.get(), makeRef(name), value.attribute);
}

static void removeAttribute(const AttributeMap &self, const std::string &name) {
  if (!mlirOperationRemoveAttributeByName(self.operation.get(), makeRef(name)))
    throw nb::key_error(name.c_str());
}

static std::vector<std::string> getAttributeNames(const AttributeMap &self) {
  std::vector<std::string> names;
  MlirOperation operation = self.operation.get();
  for (intptr_t i = 0, n = mlirOperationGetNumAttributes(operation); i != n; ++i)
    names.push_back(makeString(mlirIdentifierStr(mlirOperationGetAttribute(operation, i).name)));
  return names;
}

static void bindAttributeMap(nb::module_ &module) {
  nb::class_<AttributeMap>(module, "OpAttributeMap", "The attributes of an operation, by name.")
      .def("__getitem__", getAttribute)
      .def("__setitem__", setAttribute)
      .def("__delitem__", removeAttribute)
      .def("__contains__", [](const AttributeMap &self,
                              std::string_view name) { return findAttribute(self, name).ptr != nullptr; })
      .def("__len__", [](const AttributeMap &self) { return getAttributeNames(self).size(); })
      .def("__iter__", [](const AttributeMap &self) { return nb::iter(nb::cast(getAttributeNames(self))); })
      .def("keys", getAttributeNames)
      .def(
          "get",
          [](const AttributeMap &self, std::string_view name, nb::object fallback) -> nb::object {
            MlirAttribute attribute = findAttribute(self, name);
            return attribute.ptr ? nb::cast(Attribute{self.operation.getContext(), attribute}) : fallback;
          },
          "name"_a, "default"_a = nb::none());
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// Equality and hash by address.
template <typename T> static void bindIdentity(nb::class_<T> &cls) {
  cls.def("__eq__", [](const T &self, const T &other) { return self.get().ptr == other.get().ptr; })
      .def(
          "__eq__", [](const T &, nb::object) { return false; }, nb::arg().none())
      .def("__hash__", [](const T &self) { return reinterpret_cast<intptr_t>(self.get().ptr) >> 4; });
}

static void bindOperation(nb::module_ &module) {
  nb::class_<Operation> cls(module, "Operation",
                            "An operation; it is used as long as Python or a block holds it.");
  cls.def_static("create", createOperation, "name"_a, "results"_a = nb::list(), "operands"_a = nb::list(),
                 "attributes"_a = nb::dict(), "regions"_a = 0, "loc"_a,
                 "An operation in no block. Results of None are inferred from the operands.")
      .def_prop_ro("context", [](const Operation &self) { return Context{self.getContext()}; })
      .def_prop_ro("name",
                   [](const Operation &self) {
                     return makeString(mlirIdentifierStr(mlirOperationGetName(self.get())));
                   })
      .def_prop_rw(
          "location",
          [](const Operation &self) {
            return Location{self.getContext(), mlirOperationGetLocation(self.get())};
          },
          [](const Operation &self, const Location &location) {
            checkContext(self.getContext(), location.context);
            mlirOperationSetLocation(self.get(), location.location);
          })
      .def_prop_ro("results", getResults)
      .def_prop_rw("operands", getOperands, setOperands)
      .def("set_operand", setOperand, "index"_a, "value"_a)
      .def_prop_ro("attributes", [](const Operation &self) { return AttributeMap{self}; })
      .def_prop_ro("regions", getRegions)
      .def_prop_ro("parent", getParent, "The operation around it, or None.")
      .def_prop_ro("block", getBlock, "The block that it is in, or None.")
      .def("walk", walk, "The operation and all inside it, in order.")
      .def("verify", verifyOperation, "Raises MLIRError if it or something inside it is not valid.")
      .def("erase", eraseOperation, "Ends it and all inside it.")
      .def("detach_from_parent", detachOperation)
      .def("move_before", moveBefore, "other"_a)
      .def("clone",
           [](const Operation &self) {
             return adoptOperation(self.getContext(), mlirOperationClone(self.get()));
           })
      .def("to_bytecode", writeBytecode)
      .def("print", printOperation, "locations"_a = false, "generic"_a = false)
      .def("__str__", [](const Operation &self) { return printOperation(self, false, false); })
      .def("__repr__", [](const Operation &self) { return printOperation(self, false, false); });
  bindIdentity(cls);
}

static std::vector<Block> getBlocks(const Region &self) {
  std::vector<Block> blocks;
  for (MlirBlock block = mlirRegionGetFirstBlock(self.get()); block.ptr;
       block = mlirBlockGetNextInRegion(block))
    blocks.push_back(wrapBlock(self.operation.getContext(), block));
  return blocks;
}

static Block appendBlock(const Region &self, const std::vector<Type> &arguments,
                         const std::optional<Location> &location) {
  const ContextRef &context = self.operation.getContext();
  MlirLocation where = mlirOperationGetLocation(self.operation.get());
  if (location) {
    checkContext(context, location->context);
    where = location->location;
  }
  std::vector<MlirType> types;
  for (const Type &type : arguments) {
    checkContext(context, type.context);
    types.push_back(type.type);
  }
  std::vector<MlirLocation> locations(types.size(), where);
  MlirBlock block = mlirBlockCreate(types.size(), types.data(), locations.data());
  mlirRegionAppendOwnedBlock(self.get(), block);
  return wrapBlock(context, block);
}

/// Puts the blocks of another region in the place of this one's. Both are of operations of one tree, neither
/// inside the other, and this region is empty.
static void takeBody(const Region &self, const Region &other) {
  if (mlirRegionGetFirstBlock(self.get()).ptr)
    throw nb::value_error(
        "expected a region without blocks to take the body of another, but got one with blocks");
  MlirOperation target = self.operation.get(), source = other.operation.get();
  auto isInside = [](MlirOperation inner, MlirOperation outer) {
    for (; inner.ptr; inner = mlirOperationGetParentOperation(inner))
      if (mlirOperationEqual(inner, outer))
        return true;
    return false;
  };
  auto getRoot = [](MlirOperation operation) {
    for (MlirOperation parent = operation; parent.ptr; parent = mlirOperationGetParentOperation(operation))
      operation = parent;
    return operation;
  };
  if (isInside(target, source) || isInside(source, target) ||
      !mlirOperationEqual(getRoot(target), getRoot(source)))
    throw nb::value_error("expected regions of two operations beside one another, but got others");
  mlirRegionTakeBody(self.get(), other.get());
}

static void bindRegion(nb::module_ &module) {
  nb::class_<Region>(module, "Region")
      .def_prop_ro("blocks", getBlocks)
      .def_prop_ro("owner", [](const Region &self) { return self.operation; })
      .def("append", appendBlock, "arguments"_a = nb::list(), "loc"_a = nb::none(),
           "Appends a block with arguments of these types, and returns it.")
      .def("take_body", takeBody, "other"_a,
           "Moves the blocks of a region of a neighbouring operation here.");
}

static std::vector<Value> getArguments(const Block &self) {
  std::vector<Value> values;
  MlirBlock block = self.get();
  for (intptr_t i = 0, n = mlirBlockGetNumArguments(block); i != n; ++i)
    values.push_back(wrapValue(self.getContext(), mlirBlockGetArgument(block, i)));
  return values;
}

static std::vector<Operation> getOperations(const Block &self) {
  std::vector<Operation> operations;
  for (MlirOperation operation = mlirBlockGetFirstOperation(self.get()); operation.ptr;
       operation = mlirOperationGetNextInBlock(operation))
    operations.push_back(wrapOperation(self.getContext(), operation));
  return operations;
}

static Value addArgument(const Block &self, const Type &type, const Location &location) {
  checkContext(self.getContext(), type.context);
  checkContext(self.getContext(), location.context);
  return wrapValue(self.getContext(), mlirBlockAddArgument(self.get(), type.type, location.location));
}

static void bindBlock(nb::module_ &module) {
  nb::class_<Block> cls(module, "Block");
  cls.def_prop_ro("arguments", getArguments)
      .def("add_argument", addArgument, "type"_a, "loc"_a)
      .def("erase_argument", eraseArgument, "index"_a)
      .def(
          "append",
          [](const Block &self, const Operation &operation) { insertOperation(operation, self, {nullptr}); },
          "operation"_a, "Puts an operation that is in no block at the end.")
      .def_prop_ro("operations", getOperations)
      .def_prop_ro("owner", [](const Block &self) {
        return wrapOperation(self.getContext(), mlirBlockGetParentOperation(self.get()));
      });
  bindIdentity(cls);
}

static nb::object getOwner(const Value &self) {
  MlirValue value = self.get();
  if (mlirValueIsAOpResult(value))
    return nb::cast(wrapOperation(self.getContext(), mlirOpResultGetOwner(value)));
  return nb::cast(wrapBlock(self.getContext(), mlirBlockArgumentGetOwner(value)));
}

static std::vector<Operation> getUsers(const Value &self) {
  std::vector<Operation> users;
  for (MlirOpOperand use = mlirValueGetFirstUse(self.get()); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    users.push_back(wrapOperation(self.getContext(), mlirOpOperandGetOwner(use)));
  return users;
}

static void replaceUses(const Value &self, const Value &other) {
  checkContext(self.getContext(), other.getContext());
  if (!mlirTypeEqual(mlirValueGetType(self.get()), mlirValueGetType(other.get())))
    throw nb::value_error("expected a value of the same type, but got one of another");
  mlirValueReplaceAllUsesOfWith(self.get(), other.get());
}

static void bindValue(nb::module_ &module) {
  nb::class_<Value> cls(module, "Value", "A result of an operation or an argument of a block.");
  cls.def_prop_ro("context", [](const Value &self) { return Context{self.getContext()}; })
      .def_prop_ro("type",
                   [](const Value &self) { return Type{self.getContext(), mlirValueGetType(self.get())}; })
      .def_prop_ro("owner", getOwner, "The operation, or the block of an argument.")
      .def_prop_ro("index",
                   [](const Value &self) {
                     MlirValue value = self.get();
                     return mlirValueIsAOpResult(value) ? mlirOpResultGetResultNumber(value)
                                                        : mlirBlockArgumentGetArgNumber(value);
                   })
      .def_prop_ro("is_argument", [](const Value &self) { return mlirValueIsABlockArgument(self.get()); })
      .def_prop_ro("users", getUsers, "The operations that use it, one a use.")
      .def("set_type",
           [](const Value &self, const Type &type) {
             checkContext(self.getContext(), type.context);
             mlirValueSetType(self.get(), type.type);
           })
      .def("replace_all_uses_with", replaceUses, "other"_a)
      .def("__str__", [](const Value &self) {
        std::string text;
        mlirValuePrint(self.get(), appendText, &text);
        return text;
      });
  bindIdentity(cls);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static Module createModule(const Location &location) {
  MlirModule module = mlirModuleCreateEmpty(location.location);
  return {adoptOperation(location.context, mlirModuleGetOperation(module))};
}

static Module parseModule(std::string_view text, const Context &context, const std::string &filename) {
  ContextState &state = *context.state;
  size_t before = state.diagnostics.size();
  TilusModuleSource source = {sizeof(TilusModuleSource), text.data(), text.size(), filename.c_str()};
  MlirModule module = {nullptr};
  if (TilusError *error = tilusParseModule(state.context, &source, &module)) {
    tilusErrorDestroy(error);
    raiseDiagnostics(state, before, "expected a module, but got what is none");
  }
  return {adoptOperation(context.state, mlirModuleGetOperation(module))};
}

static void bindModule(nb::module_ &module) {
  nb::class_<Module>(module, "Module", "A builtin.module.")
      .def_static("create", createModule, "loc"_a)
      .def_static("parse", parseModule, "text"_a, "context"_a, "filename"_a = "module")
      .def_prop_ro("operation", [](const Module &self) { return self.operation; })
      .def_prop_ro("context", [](const Module &self) { return Context{self.operation.getContext()}; })
      .def_prop_ro("body",
                   [](const Module &self) {
                     MlirModule module = mlirModuleFromOperation(self.operation.get());
                     return wrapBlock(self.operation.getContext(), mlirModuleGetBody(module));
                   })
      .def("verify", [](const Module &self) { verifyOperation(self.operation); })
      .def("to_bytecode", [](const Module &self) { return writeBytecode(self.operation); })
      .def("__str__", [](const Module &self) { return printOperation(self.operation, false, false); });
}

void bindOperations(nb::module_ &module) {
  bindOperation(module);
  bindAttributeMap(module);
  bindRegion(module);
  bindBlock(module);
  bindValue(module);
  bindModule(module);
}

} // namespace tilus::python
