// Enumerations of the dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_TILUSENUMS_TD
#define TILUS_IR_TILUSENUMS_TD

include "Tilus/IR/TilusBase.td"

class Tilus_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilus";
}

def Tilus_Axis : Tilus_Enum<"Axis", "axis of the grid", [
  I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]>;

// 'max' and 'min' propagate NaN on floats and are signed on integers.
def Tilus_CombineKind : Tilus_Enum<"CombineKind", "how two elements combine in a reduction or scan", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"UMax", 4, "umax">, I32EnumAttrCase<"UMin", 5, "umin">,
  I32EnumAttrCase<"MaxNum", 6, "maxnum">, I32EnumAttrCase<"MinNum", 7, "minnum">,
  I32EnumAttrCase<"And", 8, "and">, I32EnumAttrCase<"Or", 9, "or">, I32EnumAttrCase<"Xor", 10, "xor">]>;

def Tilus_AtomicKind : Tilus_Enum<"AtomicKind", "read-modify-write operation", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"UMax", 4, "umax">, I32EnumAttrCase<"UMin", 5, "umin">,
  I32EnumAttrCase<"And", 6, "and">, I32EnumAttrCase<"Or", 7, "or">, I32EnumAttrCase<"Xor", 8, "xor">,
  I32EnumAttrCase<"Exch", 9, "exch">, I32EnumAttrCase<"Cas", 10, "cas">]>;

def Tilus_MemoryOrder : Tilus_Enum<"MemoryOrder", "ordering of a memory operation", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;

def Tilus_MemoryScope : Tilus_Enum<"MemoryScope", "threads among which an ordering holds", [
  I32EnumAttrCase<"Cta", 0, "cta">, I32EnumAttrCase<"Cluster", 1, "cluster">,
  I32EnumAttrCase<"Gpu", 2, "gpu">, I32EnumAttrCase<"Sys", 3, "sys">]>;

// The cache operators of ld and st, and the eviction priorities of the second-level cache.
def Tilus_CacheHint : Tilus_Enum<"CacheHint", "how an access uses the caches", [
  I32EnumAttrCase<"Default", 0, "default">, I32EnumAttrCase<"Streaming", 1, "streaming">,
  I32EnumAttrCase<"Global", 2, "global">, I32EnumAttrCase<"EvictFirst", 3, "evict_first">,
  I32EnumAttrCase<"EvictLast", 4, "evict_last">, I32EnumAttrCase<"ReadOnly", 5, "read_only">]>;

def Tilus_Rounding : Tilus_Enum<"Rounding", "rounding of a conversion", [
  I32EnumAttrCase<"NearestEven", 0, "nearest_even">, I32EnumAttrCase<"TowardZero", 1, "toward_zero">,
  I32EnumAttrCase<"Down", 2, "down">, I32EnumAttrCase<"Up", 3, "up">]>;

// Instruction that moves a tile between registers and shared memory; chosen by tilus-select-atoms.
def Tilus_SharedAccess : Tilus_Enum<"SharedAccess", "instruction of a shared-memory access", [
  I32EnumAttrCase<"Vector", 0, "vector">, I32EnumAttrCase<"Matrix", 1, "matrix">,
  I32EnumAttrCase<"MatrixTrans", 2, "matrix_trans">]>;

#endif // TILUS_IR_TILUSENUMS_TD
