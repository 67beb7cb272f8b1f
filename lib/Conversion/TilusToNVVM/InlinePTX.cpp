// Instructions that NVVM has no operation for, as PTX text. No other file holds PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InlinePTX.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilus;

/// Operator behind 'ld.<space>' or 'st.<space>' for each cache hint (PTX ISA, "Cache operators" and "Cache
/// eviction priority hints"). NVVM's loads and stores carry none.
struct CacheOperator {
  CacheHint hint;
  StringLiteral load, store;
};
static constexpr CacheOperator kCacheOperators[] = {
    {CacheHint::Default, "", ""},
    {CacheHint::Streaming, ".cs", ".cs"},
    {CacheHint::Global, ".cg", ".cg"},
    {CacheHint::EvictFirst, ".L1::evict_first", ".L1::evict_first"},
    {CacheHint::EvictLast, ".L1::evict_last", ".L1::evict_last"},
    {CacheHint::ReadOnly, ".nc", ""},
};

static bool isShared(Value pointer) {
  return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() ==
         unsigned(NVVM::NVVMMemorySpace::Shared);
}

/// Constraint letter of a register of this type.
static StringRef getConstraint(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return cast<LLVM::LLVMPointerType>(type).getAddressSpace() == unsigned(NVVM::NVVMMemorySpace::Shared)
               ? "r"
               : "l";
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits == 1 ? "b" : bits <= 16 ? "h" : bits == 32 ? "r" : "l";
}

/// Opcode suffix of an access: ".v4.b32".
static std::string getAccessSuffix(Type word, int64_t words) {
  std::string vector = words > 1 ? ".v" + std::to_string(words) : "";
  return vector + ".b" + std::to_string(word.getIntOrFloatBitWidth());
}

/// "{$0, $1}", or "$0" for one.
static std::string getOperandList(int64_t first, int64_t count) {
  std::string text;
  for (int64_t index = 0; index < count; ++index)
    text += (index ? ", $" : "$") + std::to_string(first + index);
  return count > 1 ? "{" + text + "}" : text;
}

static const CacheOperator &getCacheOperator(CacheHint cache) {
  return *llvm::find_if(kCacheOperators, [&](const CacheOperator &row) { return row.hint == cache; });
}

// The verifier of nvvm.mma.sync knows no 8-bit floats.
Value tilus::createMmaF8(OpBuilder &builder, Location loc, StringRef a, StringRef b, ValueRange operands) {
  std::string text =
      ("mma.sync.aligned.m16n8k32.row.col.f32." + a + "." + b + ".f32 " + getOperandList(0, 4) + ", " +
       getOperandList(4, 4) + ", " + getOperandList(8, 2) + ", " + getOperandList(10, 4) + ";")
          .str();
  auto type =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(4, builder.getF32Type()));
  return LLVM::InlineAsmOp::create(
             builder, loc, type, operands, text, "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f",
             /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
      .getResult(0);
}

// Predicated accesses: a branch around each load would keep the loads of a tile from being in flight
// together.
SmallVector<Value> tilus::createPredicatedLoad(OpBuilder &builder, Location loc, Value pointer, Type word,
                                               int64_t words, Value mask, CacheHint cache) {
  // An 8-bit load goes to a 16-bit register, the smallest there is.
  Type loaded = word.getIntOrFloatBitWidth() == 8 ? builder.getI16Type() : word;
  std::string text, constraints;
  for (int64_t index = 0; index < words; ++index) {
    std::string bits = std::to_string(loaded.getIntOrFloatBitWidth());
    if (mask)
      text += "mov.b" + bits + " $" + std::to_string(index) + ", 0;\n";
    constraints += "=" + std::string(mask ? "&" : "") + getConstraint(loaded).str() + ",";
  }
  StringRef space = isShared(pointer) ? "shared" : "global";
  if (mask)
    text += "@$" + std::to_string(words + 1) + " ";
  text += ("ld." + space + getCacheOperator(cache).load + getAccessSuffix(word, words) + " " +
           getOperandList(0, words) + ", [$" + Twine(words) + "];")
              .str();
  constraints += getConstraint(pointer.getType());
  SmallVector<Value> operands{pointer};
  if (mask) {
    constraints += ",b";
    operands.push_back(mask);
  }
  SmallVector<Type> types(words, loaded);
  Type resultType = words == 1 ? loaded : LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  auto assembly = LLVM::InlineAsmOp::create(
      builder, loc, resultType, operands, text, constraints, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr());
  SmallVector<Value> result;
  for (int64_t index = 0; index < words; ++index) {
    Value value = assembly.getResult(0);
    if (words > 1)
      value = LLVM::ExtractValueOp::create(builder, loc, value, index);
    if (loaded != word)
      value = LLVM::TruncOp::create(builder, loc, word, value);
    result.push_back(value);
  }
  return result;
}

void tilus::createPredicatedStore(OpBuilder &builder, Location loc, Value pointer, ValueRange words,
                                  Value mask, CacheHint cache) {
  Type word = words.front().getType();
  int64_t count = words.size();
  SmallVector<Value> operands{pointer};
  std::string constraints = getConstraint(pointer.getType()).str();
  for (Value value : words) {
    if (word.getIntOrFloatBitWidth() == 8)
      value = LLVM::ZExtOp::create(builder, loc, builder.getI16Type(), value);
    operands.push_back(value);
    constraints += "," + getConstraint(value.getType()).str();
  }
  std::string text;
  if (mask) {
    operands.push_back(mask);
    constraints += ",b";
    text = "@$" + std::to_string(count + 1) + " ";
  }
  StringRef space = isShared(pointer) ? "shared" : "global";
  text += ("st." + space + getCacheOperator(cache).store + getAccessSuffix(word, count) + " [$0], " +
           getOperandList(1, count) + ";")
              .str();
  constraints += ",~{memory}";
  LLVM::InlineAsmOp::create(builder, loc, TypeRange(), operands, text, constraints, /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
                            ArrayAttr());
}

// NVVM has neither the predicate, which costs a register and two instructions less than a size, nor the
// prefetch: a row of a tile is often shorter than what lies beside it and is copied next.
void tilus::createCopyAsync(OpBuilder &builder, Location loc, Value dest, Value source, int64_t bytes,
                            Value mask, Value size) {
  std::string copy = "cp.async." + std::string(bytes == 16 ? "cg" : "ca") +
                     ".shared.global.L2::128B [$0], [$1], " + std::to_string(bytes);
  SmallVector<Value> operands{dest, source};
  std::string constraints = "r,l";
  if (mask) {
    copy = "{ .reg .pred ignored; not.pred ignored, $2; " + copy + ", ignored; }";
    operands.push_back(mask);
    constraints += ",b";
  } else if (size) {
    copy += ", $2;";
    operands.push_back(size);
    constraints += ",r";
  } else {
    copy += ";";
  }
  LLVM::InlineAsmOp::create(builder, loc, TypeRange(), operands, copy, constraints + ",~{memory}",
                            /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
                            ArrayAttr());
}

//===----------------------------------------------------------------------===//
// Atomic updates
//===----------------------------------------------------------------------===//

/// Opcode and type letter of each kind on integers (PTX ISA, "atom"). There is no subtraction: it adds the
/// negated value.
struct AtomicOpcode {
  AtomicKind kind;
  StringLiteral name;
  char type;
};
static constexpr AtomicOpcode kAtomicOpcodes[] = {
    {AtomicKind::Add, "add", 'u'},   {AtomicKind::Sub, "add", 'u'},  {AtomicKind::Max, "max", 's'},
    {AtomicKind::Min, "min", 's'},   {AtomicKind::UMax, "max", 'u'}, {AtomicKind::UMin, "min", 'u'},
    {AtomicKind::And, "and", 'b'},   {AtomicKind::Or, "or", 'b'},    {AtomicKind::Xor, "xor", 'b'},
    {AtomicKind::Exch, "exch", 'b'}, {AtomicKind::Cas, "cas", 'b'},
};

/// ".add.noftz.f16", ".max.s32".
static std::string getAtomicSuffix(AtomicKind kind, Type type) {
  const AtomicOpcode &row =
      *llvm::find_if(kAtomicOpcodes, [&](const AtomicOpcode &row) { return row.kind == kind; });
  std::string bits = std::to_string(type.getIntOrFloatBitWidth());
  std::string text = "." + row.name.str();
  if (!isa<FloatType>(type) || row.type == 'b')
    return text + "." + row.type + bits;
  return text + (bits == "16" ? ".noftz" : "") + (type.isBF16() ? ".bf" : ".f") + bits;
}

Value tilus::createAtomic(OpBuilder &builder, Location loc, const AtomicUpdate &update, Value pointer,
                          Value value, Value compare, Value mask) {
  Type type = value.getType(), word = builder.getIntegerType(type.getIntOrFloatBitWidth());
  std::string suffix = getAtomicSuffix(update.kind, type);
  // A reduction gives nothing back and so has nothing to acquire.
  bool isReduction = !update.isRead && update.kind != AtomicKind::Exch && update.kind != AtomicKind::Cas &&
                     (update.order == MemoryOrder::Relaxed || update.order == MemoryOrder::Release);
  SmallVector<Value> operands{pointer};
  std::string constraints =
      isReduction ? "" : std::string(mask ? "=&" : "=") + getConstraint(word).str() + ",";
  constraints += getConstraint(pointer.getType());
  for (Value operand : {compare, value}) {
    if (!operand)
      continue;
    operands.push_back(LLVM::BitcastOp::create(builder, loc, word, operand));
    constraints += "," + getConstraint(word).str();
  }
  int64_t first = isReduction ? 0 : 1;
  std::string text;
  if (mask) {
    if (!isReduction)
      text += "mov.b" + std::to_string(word.getIntOrFloatBitWidth()) + " $0, 0;\n";
    text += "@$" + std::to_string(first + operands.size()) + " ";
    operands.push_back(mask);
    constraints += ",b";
  }
  text += (Twine(isReduction ? "red." : "atom.") + stringifyMemoryOrder(update.order) + "." +
           stringifyMemoryScope(update.scope) + (isShared(pointer) ? ".shared" : ".global") + suffix +
           (isReduction ? " " : " $0, ") + "[$" + Twine(first) + "]")
              .str();
  for (int64_t index = 1; index <= (compare ? 2 : 1); ++index)
    text += ", $" + std::to_string(first + index);
  text += ";";
  constraints += ",~{memory}";
  auto assembly = LLVM::InlineAsmOp::create(
      builder, loc, isReduction ? TypeRange() : TypeRange(word), operands, text, constraints,
      /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr());
  return update.isRead ? LLVM::BitcastOp::create(builder, loc, type, assembly.getResult(0)).getResult()
                       : Value();
}
