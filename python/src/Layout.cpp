// The layouts of tiles in Python: thin objects over the C API, to which tilus.ir.layout gives its names.
//
// Lists go in as sequences of integers and come out as tuples. What the C API refuses raises
// LayoutOperationError with its words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Layout.h"

#include "Tilus-c/LayoutPlan.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nanobind::literals;

namespace tilus::python {

namespace {

using List = std::vector<int64_t>;

struct LayoutOperationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A handle of the C API, shared by copies.
template <typename T, void (*destroy)(T *)> struct Handle {
  Handle() = default;
  explicit Handle(T *object) : object(object, destroy) {}
  T *get() const { return object.get(); }

  std::shared_ptr<T> object;
};
using RegisterLayout = Handle<TilusRegisterLayout, tilusRegisterLayoutDestroy>;
using SharedLayout = Handle<TilusSharedLayout, tilusSharedLayoutDestroy>;
using Conversion = Handle<TilusConversion, tilusConversionDestroy>;

} // namespace

static void check(TilusError *error) {
  if (!error)
    return;
  std::string message = tilusErrorGetMessage(error);
  tilusErrorDestroy(error);
  throw LayoutOperationError(message);
}

static TilusExtents wrap(const List &list) { return {list.empty() ? nullptr : list.data(), list.size()}; }

static nb::tuple makeTuple(TilusExtents extents) {
  nb::list list;
  for (size_t index = 0; index < extents.count; ++index)
    list.append(extents.values[index]);
  return nb::tuple(list);
}

static nb::tuple makeTuple(const List &list) { return makeTuple(wrap(list)); }

static std::string takeText(TilusBlob *blob) {
  TilusBytes bytes = tilusBlobGetBytes(blob);
  std::string text(static_cast<const char *>(bytes.data), bytes.size);
  tilusBlobDestroy(blob);
  return text;
}

/// The layout that a function of the C API makes of the arguments.
template <typename T, typename Function, typename... Args> static T make(Function function, Args... args) {
  decltype(std::declval<T>().get()) object = nullptr;
  check(function(args..., &object));
  return T(object);
}

template <TilusExtents (*get)(const TilusRegisterLayout *)>
static nb::tuple getList(const RegisterLayout &self) {
  return makeTuple(get(self.get()));
}

template <TilusExtents (*get)(const TilusSharedLayout *)> static nb::tuple getList(const SharedLayout &self) {
  return makeTuple(get(self.get()));
}

template <int64_t (*get)(const TilusRegisterLayout *)> static int64_t getNumber(const RegisterLayout &self) {
  return get(self.get());
}

/// A method that changes a layout by a list.
template <TilusError *(*change)(const TilusRegisterLayout *, TilusExtents, TilusRegisterLayout **)>
static RegisterLayout changeBy(const RegisterLayout &self, const List &list) {
  return make<RegisterLayout>(change, self.get(), wrap(list));
}

template <TilusError *(*change)(const TilusSharedLayout *, TilusExtents, TilusSharedLayout **)>
static SharedLayout changeBy(const SharedLayout &self, const List &list) {
  return make<SharedLayout>(change, self.get(), wrap(list));
}

/// A method that combines two layouts.
template <TilusError *(*combine)(const TilusRegisterLayout *, const TilusRegisterLayout *,
                                 TilusRegisterLayout **)>
static RegisterLayout combineWith(const RegisterLayout &self, const RegisterLayout &other) {
  return make<RegisterLayout>(combine, self.get(), other.get());
}

//===----------------------------------------------------------------------===//
// Register layouts
//===----------------------------------------------------------------------===//

static std::string printRegister(const RegisterLayout &self) {
  TilusBlob *blob = nullptr;
  check(tilusRegisterLayoutPrint(self.get(), &blob));
  return takeText(blob);
}

static nb::tuple getIndex(const RegisterLayout &self, int64_t thread, int64_t slot) {
  List index(tilusRegisterLayoutGetShape(self.get()).count + 1);
  check(tilusRegisterLayoutGetIndex(self.get(), thread, slot, index.data()));
  index.pop_back();
  return makeTuple(index);
}

static int64_t getSlot(const RegisterLayout &self, const List &index) {
  int64_t slot = 0;
  check(tilusRegisterLayoutGetSlot(self.get(), wrap(index), &slot));
  return slot;
}

static nb::tuple getThreads(const RegisterLayout &self, const List &index) {
  List threads(tilusRegisterLayoutGetReplication(self.get()));
  check(tilusRegisterLayoutGetThreads(self.get(), wrap(index), threads.data()));
  return makeTuple(threads);
}

static bool covers(const RegisterLayout &self, const RegisterLayout &other) {
  bool result = false;
  check(tilusRegisterLayoutCovers(self.get(), other.get(), &result));
  return result;
}

static void bindRegisterConstructors(nb::class_<RegisterLayout> &layout) {
  layout
      .def_static(
          "create",
          [](const List &shape, const List &modes, const List &spatial, const List &local) {
            return make<RegisterLayout>(tilusRegisterLayoutCreate, wrap(shape), wrap(modes), wrap(spatial),
                                        wrap(local));
          },
          "shape"_a, "mode_shape"_a, "spatial_modes"_a, "local_modes"_a)
      .def_static(
          "spatial",
          [](const List &shape, const List &ranks) {
            return make<RegisterLayout>(tilusRegisterLayoutCreateSpatial, wrap(shape), wrap(ranks));
          },
          "shape"_a, "ranks"_a)
      .def_static(
          "local",
          [](const List &shape, const List &ranks) {
            return make<RegisterLayout>(tilusRegisterLayoutCreateLocal, wrap(shape), wrap(ranks));
          },
          "shape"_a, "ranks"_a)
      .def_static(
          "replicated",
          [](const List &shape, int64_t threads) {
            return make<RegisterLayout>(tilusRegisterLayoutCreateReplicated, wrap(shape), threads);
          },
          "shape"_a, "threads"_a)
      .def_static(
          "distributed",
          [](const List &shape, int64_t threads, size_t vectorDim, int64_t vectorSize) {
            return make<RegisterLayout>(tilusRegisterLayoutCreateDistributed, wrap(shape), threads, vectorDim,
                                        vectorSize);
          },
          "shape"_a, "threads"_a, "vector_dim"_a, "vector_size"_a);
}

static void bindRegisterLayout(nb::module_ &module) {
  nb::class_<RegisterLayout> layout(module, "RegisterLayout", "How a tile is spread over threads and slots.");
  bindRegisterConstructors(layout);
  layout.def_prop_ro("shape", getList<tilusRegisterLayoutGetShape>)
      .def_prop_ro("mode_shape", getList<tilusRegisterLayoutGetModes>)
      .def_prop_ro("spatial_modes", getList<tilusRegisterLayoutGetSpatialModes>)
      .def_prop_ro("local_modes", getList<tilusRegisterLayoutGetLocalModes>)
      .def_prop_ro("num_threads", getNumber<tilusRegisterLayoutGetThreadCount>)
      .def_prop_ro("num_slots", getNumber<tilusRegisterLayoutGetSlotCount>)
      .def_prop_ro("replication", getNumber<tilusRegisterLayoutGetReplication>)
      .def("get_index", getIndex, "thread"_a, "slot"_a)
      .def("get_slot", getSlot, "index"_a)
      .def("get_threads", getThreads, "index"_a)
      .def("covers", covers, "other"_a)
      .def("compose", combineWith<tilusRegisterLayoutCompose>, "inner"_a)
      .def("divide", combineWith<tilusRegisterLayoutDivide>, "inner"_a)
      .def("left_divide", combineWith<tilusRegisterLayoutLeftDivide>, "outer"_a)
      .def("concat", combineWith<tilusRegisterLayoutConcat>, "other"_a)
      .def("permute", changeBy<tilusRegisterLayoutPermute>, "dims"_a)
      .def("reduce_to", changeBy<tilusRegisterLayoutReduceTo>, "shape"_a)
      .def("expand_to", changeBy<tilusRegisterLayoutExpandTo>, "shape"_a)
      .def("reshape", changeBy<tilusRegisterLayoutReshape>, "shape"_a)
      .def("squeeze", changeBy<tilusRegisterLayoutSqueeze>, "dims"_a)
      .def("unsqueeze", changeBy<tilusRegisterLayoutUnsqueeze>, "dims"_a)
      .def(
          "reduce",
          [](const RegisterLayout &self, const List &dims, bool keepDims) {
            return make<RegisterLayout>(tilusRegisterLayoutReduce, self.get(), wrap(dims), keepDims);
          },
          "dims"_a, "keepdims"_a)
      .def("__eq__",
           [](const RegisterLayout &self, const RegisterLayout &other) {
             return tilusRegisterLayoutIsEqual(self.get(), other.get());
           })
      .def("__str__", printRegister);
}

//===----------------------------------------------------------------------===//
// Shared layouts
//===----------------------------------------------------------------------===//

using SwizzleParts = std::tuple<int64_t, int64_t, int64_t>;

static TilusSwizzle makeSwizzle(const SwizzleParts &parts) {
  return {std::get<0>(parts), std::get<1>(parts), std::get<2>(parts)};
}

static SharedLayout createShared(const List &shape, const List &modes, const List &strides,
                                 const std::optional<SwizzleParts> &swizzle) {
  TilusSwizzle pattern = swizzle ? makeSwizzle(*swizzle) : TilusSwizzle();
  return make<SharedLayout>(tilusSharedLayoutCreate, wrap(shape), wrap(modes), wrap(strides),
                            swizzle ? &pattern : nullptr);
}

static std::optional<SwizzleParts> getSwizzle(const SharedLayout &self) {
  TilusSwizzle swizzle;
  if (!tilusSharedLayoutGetSwizzle(self.get(), &swizzle))
    return std::nullopt;
  return SwizzleParts(swizzle.base, swizzle.bits, swizzle.shift);
}

static std::string printShared(const SharedLayout &self) {
  TilusBlob *blob = nullptr;
  check(tilusSharedLayoutPrint(self.get(), &blob));
  return takeText(blob);
}

static int64_t getOffset(const SharedLayout &self, const List &index, int64_t origin) {
  int64_t offset = 0;
  check(tilusSharedLayoutGetOffset(self.get(), wrap(index), origin, &offset));
  return offset;
}

static void bindSharedLayout(nb::module_ &module) {
  nb::class_<SharedLayout>(module, "SharedLayout", "Where the elements of a tile lie in shared memory.")
      .def_static("create", createShared, "shape"_a, "mode_shape"_a, "mode_strides"_a, "swizzle"_a.none())
      .def_static(
          "swizzled",
          [](const List &shape, int64_t elementBits) {
            return make<SharedLayout>(tilusSharedLayoutCreateSwizzled, wrap(shape), elementBits);
          },
          "shape"_a, "element_bits"_a)
      .def_prop_ro("shape", getList<tilusSharedLayoutGetShape>)
      .def_prop_ro("mode_shape", getList<tilusSharedLayoutGetModes>)
      .def_prop_ro("mode_strides", getList<tilusSharedLayoutGetStrides>)
      .def_prop_ro("swizzle", getSwizzle)
      .def_prop_ro("count_size",
                   [](const SharedLayout &self) { return tilusSharedLayoutGetElementCount(self.get()); })
      .def("get_offset", getOffset, "index"_a, "origin"_a = 0)
      .def(
          "compose",
          [](const SharedLayout &self, const SharedLayout &inner) {
            return make<SharedLayout>(tilusSharedLayoutCompose, self.get(), inner.get());
          },
          "inner"_a)
      .def("permute", changeBy<tilusSharedLayoutPermute>, "dims"_a)
      .def("reshape", changeBy<tilusSharedLayoutReshape>, "shape"_a)
      .def("unsqueeze", changeBy<tilusSharedLayoutUnsqueeze>, "dims"_a)
      .def("slice", changeBy<tilusSharedLayoutSlice>, "dims"_a)
      .def(
          "prepend_dim",
          [](const SharedLayout &self, int64_t count) {
            return make<SharedLayout>(tilusSharedLayoutPrependDim, self.get(), count);
          },
          "count"_a)
      .def(
          "apply_swizzle",
          [](const SharedLayout &self, const SwizzleParts &swizzle) {
            return make<SharedLayout>(tilusSharedLayoutApplySwizzle, self.get(), makeSwizzle(swizzle));
          },
          "swizzle"_a)
      .def("__eq__",
           [](const SharedLayout &self, const SharedLayout &other) {
             return tilusSharedLayoutIsEqual(self.get(), other.get());
           })
      .def("__str__", printShared);
}

//===----------------------------------------------------------------------===//
// What the compiler makes of them
//===----------------------------------------------------------------------===//

static const char *getKind(const Conversion &self) {
  static constexpr const char *names[] = {"identity", "in_thread", "shuffle", "shared_memory"};
  return names[tilusConversionGetKind(self.get())];
}

static std::tuple<int64_t, int64_t, int64_t> getMove(const Conversion &self, size_t round, int64_t thread) {
  TilusConversionMove move;
  check(tilusConversionGetMove(self.get(), round, thread, &move));
  return {move.publishSlot, move.sourceLane, move.writeSlot};
}

/// The buffer's layout and what the trip through it costs; None for a conversion without.
static nb::object getStaging(const Conversion &self) {
  if (tilusConversionGetKind(self.get()) != TilusConversionKindSharedMemory)
    return nb::none();
  TilusConversionStaging staging;
  TilusSharedLayout *layout = nullptr;
  check(tilusConversionGetStaging(self.get(), &staging, &layout));
  nb::dict result;
  result["layout"] = SharedLayout(layout);
  result["storage_bits"] = staging.storageBits;
  result["size_bytes"] = staging.sizeBytes;
  result["store_vector"] = staging.storeVector;
  result["store_cycles"] = staging.storeCycles;
  result["store_conflicts"] = staging.storeConflicts;
  result["load_vector"] = staging.loadVector;
  result["load_cycles"] = staging.loadCycles;
  result["load_conflicts"] = staging.loadConflicts;
  return result;
}

static void bindConversion(nb::module_ &module) {
  nb::class_<Conversion>(module, "Conversion", "How to convert a tile from one register layout to another.")
      .def_static(
          "plan",
          [](const RegisterLayout &source, const RegisterLayout &target, int64_t elementBits) {
            return make<Conversion>(tilusConversionPlan, source.get(), target.get(), elementBits);
          },
          "source"_a, "target"_a, "element_bits"_a)
      .def_prop_ro("kind", getKind)
      .def_prop_ro("cost", [](const Conversion &self) { return tilusConversionGetCost(self.get()); })
      .def_prop_ro("num_rounds",
                   [](const Conversion &self) { return tilusConversionGetRoundCount(self.get()); })
      .def_prop_ro("staging", getStaging)
      .def("get_move", getMove, "round"_a, "thread"_a);
}

static std::tuple<int64_t, int64_t> getAccessCost(const List &addresses, int64_t widthBytes) {
  TilusAccessCost cost;
  check(tilusAccessGetCost(wrap(addresses), widthBytes, &cost));
  return {cost.cycles, cost.conflicts};
}

static std::tuple<int64_t, int64_t> getAccessVector(const RegisterLayout &tile, const SharedLayout &shared,
                                                    int64_t elementBits) {
  TilusAccessVector vector;
  check(tilusSharedAccessGetVector(tile.get(), shared.get(), elementBits, &vector));
  return {vector.dim, vector.size};
}

static std::optional<int64_t> getAccessCycles(const std::string &access, const RegisterLayout &tile,
                                              const SharedLayout &shared, int64_t elementBits) {
  static constexpr const char *names[] = {"vector", "matrix", "matrix_transposed"};
  size_t kind = 0;
  while (kind < std::size(names) && access != names[kind])
    ++kind;
  bool isPossible = false;
  int64_t cycles = 0;
  check(tilusSharedAccessGetCycles(static_cast<TilusSharedAccess>(kind), tile.get(), shared.get(),
                                   elementBits, &isPossible, &cycles));
  return isPossible ? std::optional(cycles) : std::nullopt;
}

/// A dictionary for each matrix instruction, in the compiler's order of preference.
static nb::list getMmaAtoms() {
  nb::list atoms;
  for (size_t index = 0; index < tilusMmaAtomGetCount(); ++index) {
    const TilusMmaAtom *atom = tilusMmaAtomGetAt(index);
    int64_t shape[3];
    tilusMmaAtomGetShape(atom, shape);
    nb::list types, layouts;
    for (size_t operand = 0; operand < 3; ++operand) {
      types.append(tilusMmaAtomGetType(atom, operand));
      layouts.append(make<RegisterLayout>(tilusMmaAtomGetLayout, atom, operand));
    }
    nb::dict row;
    row["name"] = tilusMmaAtomGetName(atom);
    row["shape"] = nb::make_tuple(shape[0], shape[1], shape[2]);
    row["types"] = nb::tuple(types);
    row["layouts"] = nb::tuple(layouts);
    atoms.append(row);
  }
  return atoms;
}

void bindLayouts(nb::module_ &module) {
  // Of both kinds, since callers expect either.
  nb::exception<LayoutOperationError>(
      module, "LayoutOperationError",
      nb::make_tuple(nb::handle(PyExc_ValueError), nb::handle(PyExc_RuntimeError)));
  bindRegisterLayout(module);
  bindSharedLayout(module);
  bindConversion(module);
  module.def("get_access_cost", getAccessCost, "addresses"_a, "width_bytes"_a);
  module.def("get_access_vector", getAccessVector, "tile"_a, "shared"_a, "element_bits"_a);
  module.def("get_access_cycles", getAccessCycles, "access"_a, "tile"_a, "shared"_a, "element_bits"_a);
  module.def("get_mma_atoms", getMmaAtoms);
}

} // namespace tilus::python
