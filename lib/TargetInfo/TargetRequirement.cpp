//===- TargetRequirement.cpp - what code asks of its target
//----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the check of a requirement against a target and the wording of its diagnostics.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Tilus/TargetInfo/TargetRequirement.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tilus;

std::optional<TargetRequirement> TargetRequirement::parse(StringRef text) {
  if (const TargetInfo *target = lookupTarget(text))
    return TargetRequirement(target->id);
  if (std::optional<Feature> feature = lookupFeature(text))
    return TargetRequirement(*feature);
  return std::nullopt;
}

/// The feature whose name is nearest, if one is near enough to be meant.
static StringRef suggestFeature(StringRef name) {
  constexpr unsigned maxEdits = 2;
  StringRef best;
  unsigned bestDistance = std::min<size_t>(maxEdits, name.size() / 2) + 1;
  for (const FeatureInfo &feature : allFeatures()) {
    unsigned distance = name.edit_distance(feature.name, true, maxEdits);
    if (distance < bestDistance) {
      best = feature.name;
      bestDistance = distance;
    }
  }
  return best;
}

std::string TargetRequirement::describeUnknown(StringRef text) {
  std::string message = "expected a known chip or feature, but got '" + text.str() + "'";
  StringRef suggestion = suggestTarget(text);
  if (suggestion.empty())
    suggestion = suggestFeature(text);
  return suggestion.empty() ? message : message + "; did you mean '" + suggestion.str() + "'?";
}

bool TargetRequirement::isMetBy(const TargetInfo &target) const {
  return isEmpty() || any_of(getChips(), [&](Chip chip) { return target.supports(getTarget(chip)); });
}

ArrayRef<Chip> TargetRequirement::getChips() const {
  if (const Chip *chip = std::get_if<Chip>(&value))
    return *chip;
  if (const Feature *feature = std::get_if<Feature>(&value))
    return getFeatureInfo(*feature).grants;
  return {};
}

/// "sm_80 or later", "sm_90a", "sm_100f or sm_110f", "sm_90a, sm_100f or sm_120f".
static std::string describeChips(ArrayRef<Chip> chips) {
  std::string text;
  for (auto [index, chip] : enumerate(chips)) {
    if (index != 0)
      text += index + 1 == chips.size() ? " or " : ", ";
    const TargetInfo &target = getTarget(chip);
    text += target.chip;
    if (target.suffix == TargetSuffix::Base)
      text += " or later";
  }
  return text;
}

std::string TargetRequirement::describe() const {
  if (isEmpty())
    return "requires nothing of the target";
  std::string chips = describeChips(getChips());
  if (const Feature *feature = std::get_if<Feature>(&value))
    return "requires feature '" + getFeatureInfo(*feature).name.str() + "' (" + chips + ")";
  return "requires " + chips;
}

std::string TargetRequirement::describeMismatch(const TargetInfo &target) const {
  return describe() + ", but the kernel targets " + target.chip.str();
}
