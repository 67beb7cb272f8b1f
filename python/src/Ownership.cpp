// Who owns operations, and what happens to what Python holds when they end or move.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IR.h"

namespace tilus::python {

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

/// Calls `onOperation`, `onBlock` and `onValue` for all of an operation and what is inside it.
template <typename OnOperation, typename OnBlock, typename OnValue>
static void visit(MlirOperation operation, OnOperation &&onOperation, OnBlock &&onBlock, OnValue &&onValue) {
  onOperation(operation);
  for (intptr_t i = 0, n = mlirOperationGetNumResults(operation); i != n; ++i)
    onValue(mlirOperationGetResult(operation, i));
  for (intptr_t i = 0, n = mlirOperationGetNumRegions(operation); i != n; ++i) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(operation, i));
    for (; block.ptr; block = mlirBlockGetNextInRegion(block)) {
      onBlock(block);
      for (intptr_t arg = 0, count = mlirBlockGetNumArguments(block); arg != count; ++arg)
        onValue(mlirBlockGetArgument(block, arg));
      for (MlirOperation inner = mlirBlockGetFirstOperation(block); inner.ptr;
           inner = mlirOperationGetNextInBlock(inner))
        visit(inner, onOperation, onBlock, onValue);
    }
  }
}

/// Calls the function for the records of an operation, and of all that is inside it.
template <typename Function>
static void forRecords(ContextState &context, MlirOperation operation, Function &&function) {
  auto onAddress = [&](const void *address) {
    if (auto it = context.records.find(address); it != context.records.end())
      function(*it->second);
  };
  visit(
      operation, [&](MlirOperation op) { onAddress(op.ptr); }, [&](MlirBlock block) { onAddress(block.ptr); },
      [&](MlirValue value) {
        if (mlirValueIsABlockArgument(value))
          onAddress(value.ptr);
      });
}

static bool isInside(MlirOperation operation, MlirOperation ancestor) {
  for (; operation.ptr; operation = mlirOperationGetParentOperation(operation))
    if (operation.ptr == ancestor.ptr)
      return true;
  return false;
}

static MlirOperation findRoot(MlirOperation operation) {
  while (mlirOperationGetBlock(operation).ptr) {
    MlirOperation parent = mlirOperationGetParentOperation(operation);
    if (!parent.ptr)
      break;
    operation = parent;
  }
  return operation;
}

/// Whether something outside of the operation uses a value that it or something inside it has.
static bool isUsedOutside(MlirOperation operation) {
  bool isUsed = false;
  visit(
      operation, [](MlirOperation) {}, [](MlirBlock) {},
      [&](MlirValue value) {
        for (MlirOpOperand use = mlirValueGetFirstUse(value); !isUsed && !mlirOpOperandIsNull(use);
             use = mlirOpOperandGetNextUse(use))
          isUsed = !isInside(mlirOpOperandGetOwner(use), operation);
      });
  return isUsed;
}

//===----------------------------------------------------------------------===//
// Contexts, trees and records
//===----------------------------------------------------------------------===//

ContextState::~ContextState() {
  // These may use each other's values.
  for (auto &[address, root] : unheld)
    visit(
        root, [](MlirOperation op) { mlirOperationSetOperands(op, 0, nullptr); }, [](MlirBlock) {},
        [](MlirValue) {});
  for (auto &[address, root] : unheld)
    mlirOperationDestroy(root);
  mlirContextDestroy(context);
}

Tree::Tree(ContextRef context, MlirOperation root) : context(std::move(context)), root(root) {
  this->context->trees.emplace(root.ptr, this);
}

Tree::~Tree() {
  if (!root.ptr)
    return;
  context->trees.erase(root.ptr);
  if (isUsedOutside(root))
    context->unheld.emplace(root.ptr, root);
  else
    mlirOperationDestroy(root);
}

void Tree::join(std::shared_ptr<Tree> other) {
  release();
  parent = std::move(other);
}

void Tree::release() {
  context->trees.erase(root.ptr);
  root.ptr = nullptr;
}

Record::Record(std::shared_ptr<Tree> tree, const void *address) : tree(std::move(tree)), address(address) {
  getContext().records.emplace(address, this);
}

Record::~Record() {
  if (isAlive)
    getContext().records.erase(address);
}

/// Marks what the record is of as ended.
static void endRecord(Record &record) {
  record.getContext().records.erase(record.address);
  record.isAlive = false;
}

static const void *checkAlive(const Record &record, const char *what) {
  if (!record.isAlive)
    throw nb::value_error(
        (std::string("expected ") + what + " that is in use, but got one that was erased").c_str());
  return record.address;
}

MlirOperation Operation::get() const { return {const_cast<void *>(checkAlive(*record, "an operation"))}; }

MlirBlock Block::get() const { return {const_cast<void *>(checkAlive(*record, "a block"))}; }

MlirValue Value::get() const {
  checkAlive(*record, "a value");
  return value;
}

/// The tree that an operation is in; makes one if its root is held by nobody.
static std::shared_ptr<Tree> findTree(const ContextRef &context, MlirOperation operation) {
  MlirOperation root = findRoot(operation);
  if (auto it = context->trees.find(root.ptr); it != context->trees.end())
    return it->second->shared_from_this();
  context->unheld.erase(root.ptr);
  return std::make_shared<Tree>(context, root);
}

/// The record of something in the operation's tree.
static RecordRef findRecord(const ContextRef &context, const void *address, MlirOperation operation) {
  if (auto it = context->records.find(address); it != context->records.end())
    return RecordRef(it->second);
  return RecordRef(new Record(findTree(context, operation), address));
}

Operation wrapOperation(const ContextRef &context, MlirOperation operation) {
  return {findRecord(context, operation.ptr, operation)};
}

Block wrapBlock(const ContextRef &context, MlirBlock block) {
  return {findRecord(context, block.ptr, mlirBlockGetParentOperation(block))};
}

Value wrapValue(const ContextRef &context, MlirValue value) {
  if (mlirValueIsAOpResult(value))
    return {wrapOperation(context, mlirOpResultGetOwner(value)).record, value};
  MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  return {findRecord(context, value.ptr, parent), value};
}

Operation adoptOperation(const ContextRef &context, MlirOperation operation) {
  return {RecordRef(new Record(std::make_shared<Tree>(context, operation), operation.ptr))};
}

//===----------------------------------------------------------------------===//
// Moving and ending
//===----------------------------------------------------------------------===//

void checkContext(const ContextRef &context, const ContextRef &other) {
  if (context != other)
    throw nb::value_error("expected objects of one context, but got those of two");
}

void insertOperation(const Operation &operation, const Block &block, MlirOperation before) {
  MlirOperation op = operation.get();
  MlirBlock target = block.get();
  checkContext(operation.getContext(), block.getContext());
  if (mlirOperationGetBlock(op).ptr)
    throw nb::value_error("expected an operation that is in no block, but got one that is: take it out by "
                          "detach_from_parent()");
  if (isInside(mlirBlockGetParentOperation(target), op))
    throw nb::value_error("expected a block outside of the operation, but got one inside it");
  if (before.ptr)
    mlirBlockInsertOwnedOperationBefore(target, before, op);
  else
    mlirBlockAppendOwnedOperation(target, op);
  operation.record->tree->join(block.record->tree);
}

void detachOperation(const Operation &operation) {
  MlirOperation op = operation.get();
  if (!mlirOperationGetBlock(op).ptr)
    throw nb::value_error("expected an operation in a block, but got one that is in none");
  ContextRef context = operation.getContext();
  mlirOperationRemoveFromParent(op);
  auto tree = std::make_shared<Tree>(context, op);
  // The old tree may end here, and with it what the operation left.
  forRecords(*context, op, [&](Record &record) { record.tree = tree; });
}

void eraseOperation(const Operation &operation) {
  MlirOperation op = operation.get();
  if (isUsedOutside(op))
    throw nb::value_error("expected an operation whose values nobody uses, but got one with users");
  ContextRef context = operation.getContext();
  bool isRoot = !mlirOperationGetBlock(op).ptr;
  std::shared_ptr<Tree> tree = operation.record->tree;
  forRecords(*context, op, endRecord);
  if (isRoot)
    tree->release();
  mlirOperationDestroy(op);
}

void eraseArgument(const Block &block, unsigned index) {
  MlirBlock target = block.get();
  if (intptr_t(index) >= mlirBlockGetNumArguments(target))
    throw nb::index_error("expected the number of an argument of the block, but got one past the end");
  MlirValue argument = mlirBlockGetArgument(target, index);
  if (!mlirOpOperandIsNull(mlirValueGetFirstUse(argument)))
    throw nb::value_error("expected an argument that nobody uses, but got one with users");
  ContextState &context = *block.getContext();
  if (auto it = context.records.find(argument.ptr); it != context.records.end())
    endRecord(*it->second);
  mlirBlockEraseArgument(target, index);
}

} // namespace tilus::python
