// The types and constants of the CUDA driver's binary interface that the runtime uses.
//
// The driver is found at run time, so that neither building nor importing needs CUDA. Values and layouts are
// those of the vendor's header cuda.h; a test compares them where that header is installed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilus::cuda {

/// A driver's result; 0 is success.
using Result = int;
inline constexpr Result success = 0;
/// An event or a stream has work left.
inline constexpr Result notReady = 600;

using DeviceHandle = int;
using DevicePointer = uint64_t;
using ContextHandle = struct ContextObject *;
using ModuleHandle = struct ModuleObject *;
using FunctionHandle = struct FunctionObject *;
/// A null stream is the context's default stream.
using StreamHandle = struct StreamObject *;
using EventHandle = struct EventObject *;
/// A graph, or one that can be launched.
using GraphHandle = struct GraphObject *;

enum DeviceAttribute : int {
  multiprocessorCount = 16,
  l2CacheSize = 38,
  computeCapabilityMajor = 75,
  computeCapabilityMinor = 76,
  maxSharedMemoryPerBlockOptin = 97,
};

enum FunctionAttribute : int {
  functionSharedBytes = 1,
  functionLocalBytes = 3,
  functionRegisters = 4,
  functionMaxDynamicSharedBytes = 8,
  functionNonPortableClusterAllowed = 14,
};

enum PointerAttribute : int { pointerContext = 1, pointerMemoryType = 2, pointerDeviceOrdinal = 9 };

/// What cuStreamIsCapturing tells. A capture becomes invalid by a call that is not permitted beside it.
enum CaptureStatus : int { captureNone = 0, captureActive = 1, captureInvalid = 2 };

/// Which captures the calls of a thread may make invalid: those of all threads, its own, or none.
enum CaptureMode : int { captureGlobal = 0, captureThreadLocal = 1, captureRelaxed = 2 };

enum JitOption : int { jitErrorLogBuffer = 5, jitErrorLogBufferBytes = 6 };

enum LaunchAttributeId : int { launchClusterDimension = 4 };

/// One attribute of a launch.
struct LaunchAttribute {
  LaunchAttributeId id;
  alignas(8) union {
    char bytes[64];
    unsigned clusterDimension[3];
  } value;
};

/// The configuration of a launch.
struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

} // namespace tilus::cuda
