// The passes on the dialect, in the order of the pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_TRANSFORMS_PASSES_TD
#define TILUS_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FoldTargetPass : Pass<"tilus-fold-target"> {
  let summary = "answers what kernels ask of their target";
  let description = [{
    `tilus.target_is` and `tilus.target_supports` become constants, by the target of the module around them,
    and of each `scf.if` whose condition is constant by that only the branch that is taken stays. What does not
    depend on the target is left as it is, and so is a module without a target.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def VerifyTargetPass : Pass<"tilus-verify-target"> {
  let summary = "checks that kernels ask nothing of their target that it has not";
  let description = [{
    Each op of a kernel is held against the target of the module around it, and so are the kernel's warps
    and cluster. A module without a target is one error that says how to set it.

    ```mlir
    module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
    }
    ```
  }];
  let options = [
    ListOption<"targets", "targets", "std::string",
               "Chips to check against, instead of the module's own target">
  ];
}

def ExpandSlicesPass : Pass<"tilus-expand-slices"> {
  let summary = "turns slices of tiles into selections by index";
  let description = [{
    `tilus.extract_slice` becomes, for each indexed dimension, a selection of the wanted index among zeros and a
    reduction by `or`, on integers of the elements' bits; an offset outside gives zeros. Elements that arith does
    not have are carried by a wider type that holds each of their values. `tilus.insert_slice` becomes a selection
    between the stretched sub-tile and the tile.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SimplifyBoundsPass : Pass<"tilus-simplify-bounds"> {
  let summary = "proves what accesses to global memory need no masks and how wide they may be";
  let description = [{
    Follows the ranges and divisors of the integers of each kernel, from the parameters' `tilus.divisibility`,
    from loops, conditions, `tilus.assume` and the grid. Replaces integers that prove constant, and sets on each
    load, store, asynchronous copy and atomic of a view:

    - `tilus.in_bounds`: for each dimension of the view, whether the tile lies within it in every execution;
    - `tilus.non_negative`: for each dimension, whether the tile never begins before the view, where that says
      more;
    - `tilus.vector`, `tilus.vector_dim`: how many elements along which dimension of the tile may be moved
      together: a power of two, at most 16 bytes; aligned groups of so many start at multiples of the largest
      power of two that divides the group's bytes;
    - `tilus.mask_vector`: how many elements along that dimension share one answer to whether they are inside;
    - `tilus.offset_bits` = 32 if offsets in bytes fit a signed integer of 32 bits.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def MarkReadOnlyPass : Pass<"tilus-mark-read-only"> {
  let summary = "finds loads of global memory that no store of the kernel can change";
  let description = [{
    Sets the cache hint `read_only` on `load_global`, where it has no other, if the kernel writes nothing to global
    memory before it, in no round of a loop and in no group of threads, and if the tile goes to shared memory before
    the next barrier and the next store to global memory. The assembler may then fetch the tiles of later rounds while it computes on earlier ones.
  }];
}

def InferLayoutsPass : Pass<"tilus-infer-layouts"> {
  let summary = "gives every tile a layout";
  let description = [{
    Layouts spread from pinned types, matrix products and memory accesses; where they meet, a
    `tilus.convert_layout` is inserted at the cheapest place. Tiles in shared memory get the layout that
    costs their accesses the fewest bank cycles. Never fails for lack of a rule.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false", "Report what was chosen and what conversions cost">
  ];
  let dependentDialects = ["::tilus::TilusDialect"];
}

def SelectAtomsPass : Pass<"tilus-select-atoms"> {
  let summary = "selects the instructions of matrix products and shared-memory accesses";
  let description = [{
    Sets `atom` on every `tilus.mma`: the matrix instruction whose fragments the layouts are made of, else
    `simt`. Sets `access` on loads and stores of shared memory: `matrix` or `matrix_trans` where ldmatrix and
    stmatrix can do it, else `vector`.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report what was selected">];
}

def PlanSharedMemoryPass : Pass<"tilus-plan-shared-memory"> {
  let summary = "places allocations and scratch in shared memory";
  let description = [{
    Sets `offset` on every `tilus.alloc_shared`, `tilus.scratch_offset` on every op with scratch and
    `tilus.shared_bytes` on the kernel. What never lives together overlaps. Exceeding the target's limit is
    an error.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report where everything lies">];
}

def InsertFencesPass : Pass<"tilus-insert-fences"> {
  let summary = "inserts barriers where accesses to shared memory are not ordered";
  let description = [{
    Reads and writes of the same bytes by the threads of a group, also those of overlapping allocations, of
    scratch and across the back edges of loops, get a `tilus.sync` between them unless there is one.
  }];
  let options = [Option<"remarks", "remarks", "bool", "false", "Report each barrier that is inserted">];
  let dependentDialects = ["::tilus::TilusDialect"];
}

def UnrollLoopsPass : Pass<"tilus-unroll-loops"> {
  let summary = "repeats the bodies of loops that ask for it";
  let description = [{
    An `scf.for` with `tilus.unroll = N` becomes a loop of N rounds at a time and one of the rounds that are left,
    whatever its bounds; its step has to be constant. One with `tilus.unroll` alone, or of at most N rounds, becomes
    its rounds; the number of these has to be constant. LLVM does not unroll these loops further, so that
    `tilus.unroll = 1` keeps a loop as it is.

    An innermost loop that says nothing is unrolled by 4 if a thread loads at most 16 registers a round from
    `read_only` memory and makes at most 256 in all, those of functions counted 8 times: the assembler then loads for later rounds while it computes.

    ```mlir
    tilus.kernel @k(%n: i32) warps(1) grid {
      tilus.grid [%n]
    } {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      scf.for %i = %c0 to %n step %c1 : i32 {
        tilus.sync
      } {tilus.unroll = 4 : i32}
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

def VerifyPhasePass : Pass<"tilus-verify-phase"> {
  let summary = "checks what a phase of the pipeline promises";
  let description = [{
    `layouts`: every tile has a layout of the threads that hold it, every shared tile has one, and those of
    each op agree. `atoms`: every matrix product has an atom that fits its layouts, and accesses to shared
    memory have an instruction that can do them. `memory`: every allocation and every scratch has a place
    within the kernel's shared memory, and what lives at the same time does not overlap. Each phase includes
    the ones before it.
  }];
  let options = [Option<"phase", "phase", "std::string", "\"layouts\"", "The phase that has been completed">];
}

#endif // TILUS_TRANSFORMS_PASSES_TD
