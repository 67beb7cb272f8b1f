// Layouts in C: how tiles are spread over threads and registers, and where they lie in shared memory.
//
// The library libTilus-C.so has it. Layouts are values: they do not change, threads may share them, and they
// need no context. Lists that a getter returns live as long as the layout. The rules on ownership, errors and
// threads are in Support.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_LAYOUT_H
#define TILUS_C_LAYOUT_H

#include "Tilus-c/Support.h"

/// The version of this part of the API. It grows with every addition; what there is stays as it is.
#define TILUS_LAYOUT_C_API_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/// The value of TILUS_LAYOUT_C_API_VERSION that the library was built with.
TILUS_C_EXPORT int tilusLayoutGetVersion(void);

/// A list of sizes, strides, indices or modes that belongs to somebody else; null if it is empty.
typedef struct TilusExtents {
  const int64_t *values;
  size_t count;
} TilusExtents;

/// How a tile is spread over threads and their register slots.
typedef struct TilusRegisterLayout TilusRegisterLayout;
/// Where the elements of a tile lie in shared memory.
typedef struct TilusSharedLayout TilusSharedLayout;

// Register layouts: construction. A shape and its modes are lists of positive sizes. `ranks[d]` is the place
// of dimension d in the order of threads or slots, 0 outermost; row-major if the list is empty.

/// `modes` refines `shape`; `spatial` lists the modes that select the thread, outermost first, with -r for r
/// replicas; `local` those that select the slot. Each mode appears once in one of the two. The result is
/// canonical.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutCreate(TilusExtents shape, TilusExtents modes,
                                                       TilusExtents spatial, TilusExtents local,
                                                       TilusRegisterLayout **result);
/// One element a thread.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutCreateSpatial(TilusExtents shape, TilusExtents ranks,
                                                              TilusRegisterLayout **result);
/// All elements in one thread.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutCreateLocal(TilusExtents shape, TilusExtents ranks,
                                                            TilusRegisterLayout **result);
/// All elements in each of the threads.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutCreateReplicated(TilusExtents shape, int64_t threadCount,
                                                                 TilusRegisterLayout **result);
/// An even distribution of any shape over any number of threads. Vectors of gcd(vectorSize, size of
/// vectorDim) elements along `vectorDim` stay in one thread; the threads left over hold replicas, the
/// elements left over are further slots.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutCreateDistributed(TilusExtents shape, int64_t threadCount,
                                                                  size_t vectorDim, int64_t vectorSize,
                                                                  TilusRegisterLayout **result);
TILUS_C_EXPORT void tilusRegisterLayoutDestroy(TilusRegisterLayout *layout);

// Register layouts: structure.

TILUS_C_EXPORT TilusExtents tilusRegisterLayoutGetShape(const TilusRegisterLayout *layout);
TILUS_C_EXPORT TilusExtents tilusRegisterLayoutGetModes(const TilusRegisterLayout *layout);
TILUS_C_EXPORT TilusExtents tilusRegisterLayoutGetSpatialModes(const TilusRegisterLayout *layout);
TILUS_C_EXPORT TilusExtents tilusRegisterLayoutGetLocalModes(const TilusRegisterLayout *layout);
TILUS_C_EXPORT int64_t tilusRegisterLayoutGetThreadCount(const TilusRegisterLayout *layout);
/// Slots of a thread.
TILUS_C_EXPORT int64_t tilusRegisterLayoutGetSlotCount(const TilusRegisterLayout *layout);
/// Threads that hold each element.
TILUS_C_EXPORT int64_t tilusRegisterLayoutGetReplication(const TilusRegisterLayout *layout);
/// Whether both have the same shape and place each element alike; false if one is null.
TILUS_C_EXPORT bool tilusRegisterLayoutIsEqual(const TilusRegisterLayout *a, const TilusRegisterLayout *b);
/// Whether each thread that holds an element in `other` holds it in the layout too.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutCovers(const TilusRegisterLayout *layout,
                                                       const TilusRegisterLayout *other, bool *result);
/// The attribute of the dialect, `#tilus.reg<…>`.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutPrint(const TilusRegisterLayout *layout, TilusBlob **result);

// Register layouts: the map. An index has as many numbers as the shape.

/// Writes the index of the element in a slot of a thread.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutGetIndex(const TilusRegisterLayout *layout, int64_t thread,
                                                         int64_t slot, int64_t *index);
/// The slot that holds the element, the same in all threads that hold it.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutGetSlot(const TilusRegisterLayout *layout, TilusExtents index,
                                                        int64_t *slot);
/// Writes the threads that hold the element, as many as the replication, in ascending order.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutGetThreads(const TilusRegisterLayout *layout,
                                                           TilusExtents index, int64_t *threads);

// Register layouts: algebra.

/// Tiles `inner` by `outer`: index = outer index * inner shape + inner index, and likewise thread and slot.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutCompose(const TilusRegisterLayout *outer,
                                                        const TilusRegisterLayout *inner,
                                                        TilusRegisterLayout **result);
/// The layout whose composition with `inner` is `layout`.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutDivide(const TilusRegisterLayout *layout,
                                                       const TilusRegisterLayout *inner,
                                                       TilusRegisterLayout **result);
/// The layout with which `outer` composes to `layout`.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutLeftDivide(const TilusRegisterLayout *layout,
                                                           const TilusRegisterLayout *outer,
                                                           TilusRegisterLayout **result);
/// The dimensions of the first followed by those of the second, whose threads and slots are innermost.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutConcat(const TilusRegisterLayout *first,
                                                       const TilusRegisterLayout *second,
                                                       TilusRegisterLayout **result);
/// Dimension d of the result is dimension dims[d] of the layout.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutPermute(const TilusRegisterLayout *layout, TilusExtents dims,
                                                        TilusRegisterLayout **result);
/// Collapses `dims` to one element: their threads become replicas, their slots vanish.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutReduce(const TilusRegisterLayout *layout, TilusExtents dims,
                                                       bool keepDims, TilusRegisterLayout **result);
/// The inverse of a broadcast of `shape` to the layout's shape.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutReduceTo(const TilusRegisterLayout *layout,
                                                         TilusExtents shape, TilusRegisterLayout **result);
/// A layout of the broadcast to `shape` that reduces to the layout; replicas share out the new elements.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutExpandTo(const TilusRegisterLayout *layout,
                                                         TilusExtents shape, TilusRegisterLayout **result);
/// The same distribution of the row-major sequence of elements.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutReshape(const TilusRegisterLayout *layout, TilusExtents shape,
                                                        TilusRegisterLayout **result);
/// Removes dimensions of size 1.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutSqueeze(const TilusRegisterLayout *layout, TilusExtents dims,
                                                        TilusRegisterLayout **result);
/// Inserts dimensions of size 1 at the positions `dims` of the result.
TILUS_C_FALLIBLE TilusError *tilusRegisterLayoutUnsqueeze(const TilusRegisterLayout *layout,
                                                          TilusExtents dims, TilusRegisterLayout **result);

// Shared layouts. Offsets are in elements.

/// The `bits` bits of an offset from bit `base + shift` upwards are XORed onto those from bit `base` upwards.
typedef struct TilusSwizzle {
  int64_t base;
  int64_t bits;
  int64_t shift;
} TilusSwizzle;

/// `modes` refines `shape`, each mode with its stride. `swizzle` may be null. The result is canonical.
TILUS_C_FALLIBLE TilusError *tilusSharedLayoutCreate(TilusExtents shape, TilusExtents modes,
                                                     TilusExtents strides, const TilusSwizzle *swizzle,
                                                     TilusSharedLayout **result);
/// Compact and row-major, with vectors of 16 bytes swizzled so that accesses along the last two dimensions
/// are free of bank conflicts; plainly row-major where that is impossible.
TILUS_C_FALLIBLE TilusError *tilusSharedLayoutCreateSwizzled(TilusExtents shape, int64_t elementBits,
                                                             TilusSharedLayout **result);
TILUS_C_EXPORT void tilusSharedLayoutDestroy(TilusSharedLayout *layout);

TILUS_C_EXPORT TilusExtents tilusSharedLayoutGetShape(const TilusSharedLayout *layout);
TILUS_C_EXPORT TilusExtents tilusSharedLayoutGetModes(const TilusSharedLayout *layout);
TILUS_C_EXPORT TilusExtents tilusSharedLayoutGetStrides(const TilusSharedLayout *layout);
/// Whether the layout has a swizzle, which it then writes unless the place is null.
TILUS_C_EXPORT bool tilusSharedLayoutGetSwizzle(const TilusSharedLayout *layout, TilusSwizzle *swizzle);
/// Elements that the tile takes up, holes included.
TILUS_C_EXPORT int64_t tilusSharedLayoutGetElementCount(const TilusSharedLayout *layout);
TILUS_C_EXPORT bool tilusSharedLayoutIsEqual(const TilusSharedLayout *a, const TilusSharedLayout *b);
/// The attribute of the dialect, `#tilus.smem<…>`.
TILUS_C_FALLIBLE TilusError *tilusSharedLayoutPrint(const TilusSharedLayout *layout, TilusBlob **result);
/// The offset of an element of the view that starts at offset `origin` before the swizzle.
TILUS_C_FALLIBLE TilusError *tilusSharedLayoutGetOffset(const TilusSharedLayout *layout, TilusExtents index,
                                                        int64_t origin, int64_t *offset);

/// Tiles `inner`, placed at multiples of its element count, by `outer`. At most one may have a swizzle.
TILUS_C_FALLIBLE TilusError *tilusSharedLayoutCompose(const TilusSharedLayout *outer,
                                                      const TilusSharedLayout *inner,
                                                      TilusSharedLayout **result);
TILUS_C_FALLIBLE TilusError *tilusSharedLayoutPermute(const TilusSharedLayout *layout, TilusExtents dims,
                                                      TilusSharedLayout **result);
TILUS_C_FALLIBLE TilusError *tilusSharedLayoutReshape(const TilusSharedLayout *layout, TilusExtents shape,
                                                      TilusSharedLayout **result);
TILUS_C_FALLIBLE TilusError *tilusSharedLayoutUnsqueeze(const TilusSharedLayout *layout, TilusExtents dims,
                                                        TilusSharedLayout **result);
/// The view that keeps `dims`, in ascending order, and indexes the others by constants.
TILUS_C_FALLIBLE TilusError *tilusSharedLayoutSlice(const TilusSharedLayout *layout, TilusExtents dims,
                                                    TilusSharedLayout **result);
/// `count` copies along a new outermost dimension.
TILUS_C_FALLIBLE TilusError *tilusSharedLayoutPrependDim(const TilusSharedLayout *layout, int64_t count,
                                                         TilusSharedLayout **result);
/// The layout, which has none, with a swizzle.
TILUS_C_FALLIBLE TilusError *tilusSharedLayoutApplySwizzle(const TilusSharedLayout *layout,
                                                           TilusSwizzle swizzle, TilusSharedLayout **result);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_LAYOUT_H
