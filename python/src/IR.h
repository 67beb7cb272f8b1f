// The objects of MLIR in Python: who owns them, who keeps them alive, and what is known of those that ended.
//
// Operations, blocks and arguments of blocks have a record each while Python holds them, by which their end
// is known: what is used afterwards raises. Operations belong to trees; a tree is ended with its last record.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_PYTHON_IR_H
#define TILUS_PYTHON_IR_H

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tilus::python {

namespace nb = nanobind;

//===----------------------------------------------------------------------===//
// Contexts and diagnostics
//===----------------------------------------------------------------------===//

/// A message of the compiler. Line and column are 0 where the place is not known.
struct Diagnostic {
  std::string severity;
  std::string message;
  std::string file;
  int line = 0;
  int column = 0;
  std::vector<Diagnostic> notes;
};

class Record;
class Tree;

/// An MLIR context, and what Python holds of it.
class ContextState {
public:
  ContextState();
  ~ContextState();
  ContextState(const ContextState &) = delete;

  MlirContext context;
  /// What was reported and not taken yet.
  std::vector<Diagnostic> diagnostics;
  /// Operations, blocks and arguments of blocks that Python holds, by address.
  std::unordered_map<const void *, Record *> records;
  /// Trees that Python holds, by the address of the root.
  std::unordered_map<const void *, Tree *> trees;
  /// Roots that nobody holds, but whose values somebody uses.
  std::unordered_map<const void *, MlirOperation> unheld;
};
using ContextRef = std::shared_ptr<ContextState>;

/// Raises MLIRError with the diagnostics that the context got since it had `before` of them, and takes these.
[[noreturn]] void raiseDiagnostics(ContextState &context, size_t before, const std::string &what);
/// Raises MLIRError with these diagnostics.
[[noreturn]] void raiseError(const std::string &what, std::vector<Diagnostic> diagnostics);
/// Appends the diagnostics that MLIR reports; `userData` is a vector of Diagnostic.
MlirLogicalResult collectDiagnostic(MlirDiagnostic diagnostic, void *userData);

//===----------------------------------------------------------------------===//
// Ownership
//===----------------------------------------------------------------------===//

/// Operations below one root, which is in no block and which the tree owns.
class Tree : public std::enable_shared_from_this<Tree> {
public:
  Tree(ContextRef context, MlirOperation root);
  ~Tree();
  Tree(const Tree &) = delete;

  /// The root is in a block of another tree now, which this one keeps alive.
  void join(std::shared_ptr<Tree> other);
  /// The root was destroyed.
  void release();

  ContextRef context;

private:
  MlirOperation root;
  std::shared_ptr<Tree> parent;
};

/// An operation, a block or an argument of a block that Python holds.
class Record {
public:
  Record(std::shared_ptr<Tree> tree, const void *address);
  ~Record();
  Record(const Record &) = delete;

  ContextState &getContext() const { return *tree->context; }

  std::shared_ptr<Tree> tree;
  const void *address;
  bool isAlive = true;
  /// Python's references; see RecordRef.
  size_t references = 0;
};

/// A counted reference to a record.
class RecordRef {
public:
  RecordRef() = default;
  explicit RecordRef(Record *record) : record(record) { ++record->references; }
  RecordRef(const RecordRef &other) : record(other.record) {
    if (record)
      ++record->references;
  }
  RecordRef(RecordRef &&other) noexcept : record(other.record) { other.record = nullptr; }
  RecordRef &operator=(RecordRef other) noexcept {
    std::swap(record, other.record);
    return *this;
  }
  ~RecordRef() {
    if (record && --record->references == 0)
      delete record;
  }
  Record *operator->() const { return record; }
  Record &operator*() const { return *record; }

private:
  Record *record = nullptr;
};

//===----------------------------------------------------------------------===//
// What Python sees
//===----------------------------------------------------------------------===//

struct Context {
  ContextRef state;
};

struct Location {
  ContextRef context;
  MlirLocation location;
};

struct Type {
  ContextRef context;
  MlirType type;
};

struct Attribute {
  ContextRef context;
  MlirAttribute attribute;
};

struct Operation {
  RecordRef record;

  /// Raises if the operation was erased.
  MlirOperation get() const;
  ContextRef getContext() const { return record->tree->context; }
};

struct Block {
  RecordRef record;

  MlirBlock get() const;
  ContextRef getContext() const { return record->tree->context; }
};

struct Region {
  Operation operation;
  intptr_t index;

  MlirRegion get() const { return mlirOperationGetRegion(operation.get(), index); }
};

struct Value {
  /// Of the operation for a result, of itself for an argument.
  RecordRef record;
  MlirValue value;

  MlirValue get() const;
  ContextRef getContext() const { return record->tree->context; }
};

/// A `builtin.module`.
struct Module {
  Operation operation;
};

/// The attributes of an operation, as a mapping.
struct AttributeMap {
  Operation operation;
};

/// Wrap what is in a context. The operation is part of a tree that Python knows, or the root of one that it
/// does not.
Operation wrapOperation(const ContextRef &context, MlirOperation operation);
Block wrapBlock(const ContextRef &context, MlirBlock block);
Value wrapValue(const ContextRef &context, MlirValue value);
/// Takes over an operation that is in no block.
Operation adoptOperation(const ContextRef &context, MlirOperation operation);

/// Puts an operation that is in no block behind `reference`'s place: at the end of the block if it is null,
/// else before it. Raises if it is in a block already, or would be inside itself.
void insertOperation(const Operation &operation, const Block &block, MlirOperation before);
/// Takes the operation out of its block.
void detachOperation(const Operation &operation);
/// Ends the operation and what is inside. Raises if something outside uses its values.
void eraseOperation(const Operation &operation);
/// Ends an argument of a block. Raises if it is used.
void eraseArgument(const Block &block, unsigned index);
/// Raises unless both are in one context.
void checkContext(const ContextRef &context, const ContextRef &other);

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

inline MlirStringRef makeRef(std::string_view text) { return mlirStringRefCreate(text.data(), text.size()); }
inline std::string makeString(MlirStringRef text) { return std::string(text.data, text.length); }
/// An MlirStringCallback; `userData` is a std::string.
void appendText(MlirStringRef text, void *userData);
/// The nearest place in a file of the location: its file, line and column.
void findPlace(MlirLocation location, std::string &file, int &line, int &column);

/// Bind the classes.
void bindContext(nb::module_ &module);
void bindTypes(nb::module_ &module);
void bindAttributes(nb::module_ &module);
void bindOperations(nb::module_ &module);

} // namespace tilus::python

#endif // TILUS_PYTHON_IR_H
