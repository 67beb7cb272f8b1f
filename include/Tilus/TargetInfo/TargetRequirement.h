//===- TargetRequirement.h - what code asks of its target --------------------------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the requirement value and the wording of its diagnostics. It does not decide which op requires what.
//
//===---------------------------------------------------------------------------------------------------===//
#pragma once

#include "Tilus/TargetInfo/TargetInfo.h"
#include <variant>

namespace tilus {

/// What a piece of code asks of the target: nothing, a chip (a minimum, a family or an exact chip, as its
/// suffix says), or a feature.
class TargetRequirement {
public:
  /// Asks for nothing.
  TargetRequirement() = default;
  /// Asks for a target that supports code made for `chip`.
  TargetRequirement(Chip chip) : value(chip) {}
  /// Asks for a target that has `feature`.
  TargetRequirement(Feature feature) : value(feature) {}

  /// The requirement of this name, a chip ("sm_90a") or a feature ("wgmma"); none if it is neither.
  static std::optional<TargetRequirement> parse(llvm::StringRef text);

  /// The error for a name that parse() does not know: "expected a known chip or feature, but got 'tm'; did
  /// you mean 'tma'?".
  static std::string describeUnknown(llvm::StringRef text);

  /// True if it asks for nothing.
  bool isEmpty() const { return std::holds_alternative<std::monostate>(value); }

  /// True if the target gives what is asked for.
  bool isMetBy(const TargetInfo &target) const;

  /// The chips of which a target has to support at least one; empty if nothing is asked for.
  llvm::ArrayRef<Chip> getChips() const;

  /// What is asked for: "requires sm_80 or later", "requires sm_90a", "requires feature 'wgmma' (sm_90a)".
  std::string describe() const;

  /// The error for a target that does not meet it: "requires sm_90a, but the kernel targets sm_80".
  std::string describeMismatch(const TargetInfo &target) const;

  friend bool operator==(const TargetRequirement &a, const TargetRequirement &b) {
    return a.value == b.value;
  }
  friend bool operator!=(const TargetRequirement &a, const TargetRequirement &b) { return !(a == b); }

private:
  std::variant<std::monostate, Chip, Feature> value;
};

} // namespace tilus
