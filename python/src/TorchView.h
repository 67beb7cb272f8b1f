// Reading tensors of torch without a call, where a look at them says what torch's own function said before.
//
// Owns a reading of torch's objects that nobody promised. It proves itself: the places of fields are found by
// tensors whose contents are known, and what a tensor is (its kind, its element type, its device) is believed
// only if a tensor with the same words was shown alike by torch's table of functions. All else goes through
// that table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_PYTHON_TORCHVIEW_H
#define TILUS_PYTHON_TORCHVIEW_H

#include "DLPack.h"

#include <nanobind/nanobind.h>

#include <array>
#include <cstring>

namespace tilus::python {

class TorchView {
public:
  /// Looks whether the fields of tensors of the host are where they are expected. False, for good, if they
  /// are not.
  bool prepare(nanobind::handle type);
  /// Shows a tensor. False for one whose kind is not known.
  bool view(PyObject *object, dlpack::Tensor &tensor) const {
    Facts facts;
    if (!read(object, facts))
      return false;
    for (const Kind &kind : kinds)
      if (kind.bits && kind.words == facts.words) [[likely]] {
        tensor = {facts.data + facts.offset * (kind.bits / 8),
                  kind.deviceType,
                  kind.device,
                  facts.rank,
                  kind.code,
                  kind.bits,
                  1,
                  facts.sizes,
                  facts.strides,
                  0};
        return true;
      }
    return false;
  }
  /// Whether prepare() was content, and how many kinds of tensors were seen.
  bool isProven() const { return isReady; }
  size_t getKindCount() const { return nextKind < kinds.size() ? nextKind : kinds.size(); }
  /// Takes note of what the table showed.
  void learn(PyObject *object, const dlpack::Tensor &shown);

private:
  /// What tells tensors apart that are read differently: words of the tensor and of its storage.
  using Words = std::array<uint64_t, 3>;
  struct Facts {
    char *data;
    int64_t offset;
    int64_t *sizes, *strides;
    int32_t rank;
    Words words;
  };
  struct Kind {
    Words words = {};
    int32_t deviceType = 0, device = 0;
    uint8_t code = 0, bits = 0;
  };

  template <typename T> static T load(const char *address) {
    T value;
    std::memcpy(&value, address, sizeof(value));
    return value;
  }
  bool read(PyObject *object, Facts &facts) const {
    const char *tensor = load<const char *>(reinterpret_cast<const char *>(object) + tensorAt);
    if (!tensor) [[unlikely]]
      return false;
    const char *storage = load<const char *>(tensor + storageAt);
    auto rank = load<uint64_t>(tensor + sizesAt);
    if (!storage || rank > maxInlineRank) [[unlikely]]
      return false;
    facts.data = load<char *>(storage + dataAt);
    facts.offset = load<int64_t>(tensor + offsetAt);
    facts.sizes = reinterpret_cast<int64_t *>(const_cast<char *>(tensor + sizesAt + 8));
    facts.strides = facts.sizes + maxInlineRank;
    facts.rank = static_cast<int32_t>(rank);
    // Element type, device and properties; what dispatches; how the storage may be used.
    facts.words = {load<uint64_t>(tensor + kindAt), load<uint64_t>(tensor + kindAt + 8),
                   load<uint64_t>(storage + flagsAt) & flagsMask};
    return true;
  }

  // The places of fields, as torch has had them since 2.10; prepare() compares them with tensors.
  static constexpr size_t tensorAt = sizeof(PyObject), storageAt = 16, sizesAt = 64, offsetAt = 152,
                          countAt = 160, kindAt = 168, dataAt = 16, bytesAt = 48, flagsAt = 56;
  static constexpr uint64_t maxInlineRank = 5;
  /// All but the byte that pads the flags of a storage.
  static constexpr uint64_t flagsMask = ~uint64_t(0) >> 8;

  bool hasPlaces(nanobind::handle tensor) const;

  bool isReady = false, hasFailed = false;
  std::array<Kind, 8> kinds;
  size_t nextKind = 0;
};

} // namespace tilus::python

#endif // TILUS_PYTHON_TORCHVIEW_H
