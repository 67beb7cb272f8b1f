// Kernels, thread groups and the block's place: syntax, verification and ranges.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpVerification.h"
#include "Tilus/IR/GridLimits.h"
#include "Tilus/IR/TilusOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tilus;

/// Parses `%a` or `%b : i64`; an index without a type is an i32.
static ParseResult parseIndex(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
                              SmallVectorImpl<Type> &types) {
  Type type = parser.getBuilder().getI32Type();
  if (parser.parseOperand(indices.emplace_back()) ||
      (succeeded(parser.parseOptionalColon()) && parser.parseType(type)))
    return failure();
  types.push_back(type);
  return success();
}

/// Parses `[%a, %b : i64, …]`.
static ParseResult parseIndices(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
                                SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parseIndex(parser, indices, types); });
}

static void printIndices(OpAsmPrinter &printer, Operation *, OperandRange indices, TypeRange) {
  printer << "[";
  llvm::interleaveComma(indices, printer, [&](Value index) {
    printer << index;
    if (!index.getType().isInteger(32))
      printer << " : " << index.getType();
  });
  printer << "]";
}

/// The same list, or nothing.
static OptionalParseResult parseOptionalIndices(OpAsmParser &parser,
                                                SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
                                                SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalLSquare()))
    return std::nullopt;
  if (succeeded(parser.parseOptionalRSquare()))
    return ParseResult(success());
  return ParseResult(failure(parser.parseCommaSeparatedList([&] {
    return parseIndex(parser, indices, types);
  }) || parser.parseRSquare()));
}

static void printOptionalIndices(OpAsmPrinter &printer, Operation *op, OperandRange indices,
                                 TypeRange types) {
  printIndices(printer, op, indices, types);
}

#define GET_OP_CLASSES
#include "Tilus/IR/TilusOps.cpp.inc"

void TilusDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "Tilus/IR/TilusOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Thread groups
//===----------------------------------------------------------------------===//

int64_t tilus::getNumThreads(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp()) {
    if (auto group = dyn_cast<ThreadGroupOp>(parent))
      return group.getThreads();
    if (auto kernel = dyn_cast<KernelOp>(parent))
      return kernel.getNumThreads();
  }
  return 1;
}

std::optional<int64_t> tilus::getThreadBegin(Operation *op) {
  int64_t begin = 0;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp()) {
    auto group = dyn_cast<ThreadGroupOp>(parent);
    if (!group)
      continue;
    if (!group.getBegin() && group.getThreads() != getNumThreads(group))
      return std::nullopt;
    begin += group.getBegin().value_or(0);
  }
  return begin;
}

LogicalResult ThreadGroupOp::verify() {
  int64_t parent = ::tilus::getNumThreads(*this);
  int64_t begin = int32_t(getBegin().value_or(0)), threads = int32_t(getThreads());
  if (threads < 1 || begin < 0 || begin + threads > parent)
    return emitOpError("expected threads within the ")
           << parent << " of the enclosing group, but got " << begin << " to " << begin + threads;
  return success();
}

bool tilus::isReplicable(Value tile) {
  SmallVector<Value> pending{tile};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || op->getNumRegions() || !isPure(op))
      return false;
    if (!seen.insert(op).second)
      continue;
    for (Value operand : op->getOperands())
      if (isTileType(operand.getType()))
        pending.push_back(operand);
  }
  return true;
}

LogicalResult ThreadGroupOp::verifyRegions() {
  WalkResult result = getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isTileType(operand.getType()) || getBody().isAncestor(operand.getParentRegion()) ||
          isReplicable(operand))
        continue;
      InFlightDiagnostic error = op->emitOpError("expected tiles of its own thread group of ")
                                 << getThreads() << " threads, but got one of the enclosing group";
      error.attachNote(operand.getLoc()) << "the tile is defined here";
      error.attachNote(getLoc()) << "the thread group begins here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

std::string KernelOp::getParamName(unsigned index) {
  ArrayAttr names = getParamNamesAttr();
  return names && index < names.size() ? cast<StringAttr>(names[index]).str() : std::to_string(index);
}

Attribute KernelOp::getParamAttr(unsigned index, StringRef name) {
  ArrayAttr attrs = getArgAttrsAttr();
  return attrs ? cast<DictionaryAttr>(attrs[index]).get(name) : Attribute();
}

void KernelOp::setParamAttr(unsigned index, StringRef name, Attribute value) {
  SmallVector<Attribute> all(getArgumentTypes().size(), DictionaryAttr::get(getContext()));
  if (ArrayAttr attrs = getArgAttrsAttr())
    all.assign(attrs.begin(), attrs.end());
  NamedAttrList list(cast<DictionaryAttr>(all[index]));
  list.set(name, value);
  all[index] = list.getDictionary(getContext());
  setArgAttrsAttr(ArrayAttr::get(getContext(), all));
}

int64_t KernelOp::getParamDivisibility(unsigned index) {
  if (auto value = dyn_cast_or_null<IntegerAttr>(getParamAttr(index, TilusDialect::kDivisibilityAttrName)))
    return value.getInt();
  return isa<PtrType>(getArgumentTypes()[index]) ? 16 : 1;
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  ArrayAttr names = getParamNamesAttr();
  if (!names || region.empty())
    return;
  for (auto [argument, name] : llvm::zip(region.getArguments(), names.getAsRange<StringAttr>()))
    setName(argument, name.getValue());
}

/// Parses `(2, 1, 1)`.
static ParseResult parseCluster(OpAsmParser &parser, OperationState &state) {
  SmallVector<int32_t> cluster;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     [&] { return parser.parseInteger(cluster.emplace_back()); }))
    return failure();
  state.addAttribute("cluster", parser.getBuilder().getDenseI32ArrayAttr(cluster));
  return success();
}

/// Names of the parameters as written, if all of them are words; numbered ones have no names worth keeping.
static ArrayAttr collectParamNames(Builder &builder, ArrayRef<OpAsmParser::Argument> params) {
  SmallVector<StringRef> names;
  for (const OpAsmParser::Argument &param : params) {
    StringRef name = param.ssaName.name.drop_front();
    bool isPlain = llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty() || llvm::isDigit(name.front()) || !isPlain)
      return {};
    names.push_back(name);
  }
  return names.empty() ? ArrayAttr() : builder.getStrArrayAttr(names);
}

static void appendReturn(Block &block, Location loc) {
  OpBuilder builder(loc.getContext()); // while parsing, the block has no operation above it to ask
  builder.setInsertionPointToEnd(&block);
  ReturnOp::create(builder, loc);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> params;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  int32_t warps;
  if (parser.parseSymbolName(name, "sym_name", state.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(parser, /*allowVariadic=*/false, params,
                                                                   isVariadic, resultTypes, resultAttrs) ||
      parser.parseKeyword("warps") || parser.parseLParen() || parser.parseInteger(warps) ||
      parser.parseRParen())
    return failure();
  if (succeeded(parser.parseOptionalKeyword("cluster")) && parseCluster(parser, state))
    return failure();
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();

  SmallVector<Type> types = llvm::map_to_vector(params, [](auto &param) { return param.type; });
  state.addAttribute("function_type", TypeAttr::get(builder.getFunctionType(types, resultTypes)));
  state.addAttribute("warps", builder.getI32IntegerAttr(warps));
  if (ArrayAttr names = collectParamNames(builder, params))
    state.addAttribute("param_names", names);
  call_interface_impl::addArgAndResultAttrs(builder, state, params, resultAttrs,
                                            builder.getStringAttr("arg_attrs"),
                                            builder.getStringAttr("res_attrs"));
  Region *grid = state.addRegion(), *body = state.addRegion();
  if (parser.parseKeyword("grid") || parser.parseRegion(*grid, params, /*enableNameShadowing=*/true) ||
      parser.parseRegion(*body, params, /*enableNameShadowing=*/true))
    return failure();
  if (body->empty())
    body->emplaceBlock().addArguments(types, SmallVector<Location>(types.size(), state.location));
  if (body->back().empty() || !body->back().back().hasTrait<mlir::OpTrait::IsTerminator>())
    appendReturn(body->back(), state.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(llvm::enumerate(getBody().getArguments()), printer, [&](auto param) {
    ArrayAttr attrs = getArgAttrsAttr();
    auto dictionary = attrs ? cast<DictionaryAttr>(attrs[param.index()]) : DictionaryAttr();
    printer.printRegionArgument(param.value(),
                                dictionary ? dictionary.getValue() : ArrayRef<NamedAttribute>());
  });
  printer << ") warps(" << getWarps() << ')';
  if (auto cluster = getCluster()) {
    printer << " cluster(";
    llvm::interleaveComma(*cluster, printer);
    printer << ')';
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"sym_name", "function_type", "warps", "cluster", "param_names", "arg_attrs"});
  printer << " grid ";
  printer.shadowRegionArgs(getGrid(), getBody().getArguments());
  printer.printRegion(getGrid(), /*printEntryBlockArgs=*/false);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

/// Whether the name can be that of a function in PTX, and of a file.
static bool isSymbolName(StringRef name) {
  auto isLetter = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  // In PTX no name is '_' or '$' alone.
  bool hasMore = name.size() > 1 || llvm::all_of(name, [](char c) { return llvm::isAlpha(c); });
  return !name.empty() && hasMore && !llvm::isDigit(name.front()) && llvm::all_of(name, isLetter);
}

/// Functions that kernels call on the device, and what the lowering puts beside a kernel.
static bool isTakenName(StringRef name) {
  static constexpr StringLiteral names[] = {"vprintf", "__assertfail", "malloc", "free",
                                            "tilus_shared_memory"};
  return llvm::is_contained(names, name) || name.starts_with("__nv_");
}

static LogicalResult verifyName(KernelOp kernel) {
  // The tools behind take longer names, but not names without end.
  constexpr size_t maxLetters = 1024;
  StringRef name = kernel.getSymName();
  if (name.size() > maxLetters)
    return kernel.emitOpError("expected a name of at most ")
           << maxLetters << " letters, but got one of " << name.size();
  if (!isSymbolName(name))
    return kernel.emitOpError(
               "expected a name of letters, digits, '_' and '$' that does not begin with a digit, but got '")
           << name << "'";
  if (isTakenName(name))
    return kernel.emitOpError("expected a name that no function of the device or the compiler has, but got '")
           << name << "'";
  return success();
}

LogicalResult KernelOp::verify() {
  if (failed(verifyName(*this)))
    return failure();
  if (int32_t warps = getWarps(); warps < 1 || warps > 32)
    return emitOpError("expected 1 to 32 warps, but got ") << warps;
  if (size_t count = getFunctionType().getNumResults())
    return emitOpError("expected no results, but got ") << count;
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<PtrType>(type) && !isElementType(type))
      return emitOpError("expected a scalar or a pointer for parameter '")
             << getParamName(index) << "', but got " << type;
  if (auto cluster = getCluster()) {
    bool isPositive = llvm::all_of(*cluster, [](int32_t size) { return size >= 1; });
    if (cluster->empty() || cluster->size() > 3 || !isPositive)
      return emitOpError("expected one to three positive cluster sizes, but got [") << *cluster << "]";
  }
  for (auto [what, list] :
       {std::pair("name", getParamNamesAttr()), std::pair("dictionary", getArgAttrsAttr())})
    if (list && list.size() != getArgumentTypes().size())
      return emitOpError("expected one ") << what << " for each of the " << getArgumentTypes().size()
                                          << " parameters, but got " << list.size();
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    Attribute divisibility = getParamAttr(index, TilusDialect::kDivisibilityAttrName);
    auto value = dyn_cast_or_null<IntegerAttr>(divisibility);
    if (divisibility && (!value || value.getInt() < 1 || !isa<PtrType, IntegerType>(type)))
      return emitOpError("expected a positive integer as '")
             << TilusDialect::kDivisibilityAttrName << "' of an integer or pointer, but got " << divisibility
             << " on parameter '" << getParamName(index) << "' of type " << type;
  }
  return success();
}

/// Holds an op of any dialect against what a kernel may contain.
static LogicalResult verifyInKernel(Operation *op) {
  for (Type type : op->getResultTypes())
    if (isa<TensorType>(type) && !isTileType(type))
      return op->emitOpError(
                 "expected a tile (static positive sizes, at most 5 dimensions, elements of a type that "
                 "'!tilus.ptr' takes, no encoding but '#tilus.reg'), but got ")
             << type;
  if (isa_and_nonnull<scf::SCFDialect>(op->getDialect()) &&
      !isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp, scf::YieldOp, scf::ConditionOp>(op))
    return op->emitError(
               "expected 'scf.for', 'scf.while', 'scf.if' or 'scf.index_switch' as control flow of a "
               "kernel, but got '")
           << op->getName() << "'; all threads of a block share its loops, and tiles are what they divide";
  // Such loops are undefined behaviour, which would take what follows them along.
  auto loop = dyn_cast<scf::ForOp>(op);
  APInt step;
  if (loop && matchPattern(loop.getStep(), m_ConstantInt(&step)) && !step.isStrictlyPositive())
    return loop.emitOpError("expected a positive step, but got ") << step.getSExtValue();
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  for (Region *region : {&getGrid(), &getBody()})
    if (TypeRange(region->getArgumentTypes()) != TypeRange(getArgumentTypes()))
      return emitOpError("expected both regions to take the parameters of the kernel");
  if (!isa<GridOp>(getGrid().back().getTerminator()))
    return emitOpError("expected the grid region to end with 'tilus.grid'");
  if (!isa<ReturnOp>(getBody().back().getTerminator()))
    return emitOpError("expected the body to end with 'tilus.return'");
  for (Operation &op : getGrid().front()) {
    bool isScalar = llvm::all_of(op.getResultTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); });
    bool isHostOp = isa<GridOp, TargetIsOp, TargetSupportsOp>(op) ||
                    (isa_and_nonnull<arith::ArithDialect>(op.getDialect()) && isScalar);
    if (!isHostOp)
      return op.emitOpError(
          "expected only arith operations on scalars in the grid region, which the host evaluates");
  }
  WalkResult body = getBody().walk<WalkOrder::PreOrder>([](Operation *op) {
    return failed(verifyInKernel(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(body.wasInterrupted());
}

LogicalResult GridOp::verify() {
  if (getBlocks().empty() || getBlocks().size() > 3)
    return emitOpError("expected one to three block counts, but got ") << getBlocks().size();
  return success();
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// Range of an index along a grid axis.
static ConstantIntRanges getGridRange(Axis axis, bool isCount) {
  int64_t most = getMaxBlocks(axis);
  APInt low(32, isCount ? 1 : 0), high(32, isCount ? most : most - 1);
  return ConstantIntRanges::fromSigned(low, high);
}

void BlockIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setRange) {
  setRange(getResult(), getGridRange(getAxis(), /*isCount=*/false));
}

void GridDimOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setRange) {
  setRange(getResult(), getGridRange(getAxis(), /*isCount=*/true));
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

LogicalResult TargetIsOp::verify() {
  return lookupTarget(getName()) ? success() : emitOpError(describeUnknownTarget(getName()));
}

LogicalResult TargetSupportsOp::verify() {
  return TargetRequirement::parse(getName()) ? success()
                                             : emitOpError(TargetRequirement::describeUnknown(getName()));
}

bool TargetIsOp::isTrueFor(const TargetInfo *target) { return target && target == lookupTarget(getName()); }

bool TargetSupportsOp::isTrueFor(const TargetInfo *target) {
  return target && TargetRequirement::parse(getName())->isMetBy(*target);
}
