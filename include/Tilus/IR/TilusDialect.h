// The dialect class, its traits and resources.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Tilus/IR/TilusDialect.h.inc"

namespace tilus {

/// Registers the dialect and what its IR is built with (arith, math, scf and the builtin target attributes).
void registerTilusDialects(mlir::DialectRegistry &registry);

namespace OpTrait {
/// The op neither takes nor gives tiles, or puts no condition on their layouts.
template <typename ConcreteOp> class LayoutFree : public mlir::OpTrait::TraitBase<ConcreteOp, LayoutFree> {};
/// All tiles of the op have one layout.
template <typename ConcreteOp> class SameLayout : public mlir::OpTrait::TraitBase<ConcreteOp, SameLayout> {};
} // namespace OpTrait

#define TILUS_RESOURCE(Name, text)                                                                           \
  struct Name : public mlir::SideEffects::Resource::Base<Name> {                                             \
    llvm::StringRef getName() final { return text; }                                                         \
  };
TILUS_RESOURCE(GlobalMemoryResource, "tilus.global")
TILUS_RESOURCE(SharedMemoryResource, "tilus.shared")
TILUS_RESOURCE(BarrierResource, "tilus.barrier")
TILUS_RESOURCE(AsyncResource, "tilus.async")
TILUS_RESOURCE(HostOutputResource, "tilus.host_output")
#undef TILUS_RESOURCE

} // namespace tilus
