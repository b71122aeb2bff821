#include "serval/check/dependency/cycle_shortcut.h"

#include <algorithm>
#include <array>

namespace serval {
namespace {

constexpr std::size_t kLongestCycle = 24;  // All pairs are examined.

struct Strength {
  CycleClass cycle_class;
  CycleVariant variant;
  bool operator==(const Strength&) const = default;
  bool is_no_weaker_than(const Strength& other) const {
    return cycle_class <= other.cycle_class && variant <= other.variant;
  }
};

std::size_t count(const std::vector<Step>& steps, StepKind kind) {
  return static_cast<std::size_t>(std::ranges::count(steps, kind, &Step::kind));
}

CycleClass class_of(const std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].kind == kAntiStep && steps[(i + 1) % steps.size()].kind == kAntiStep)
      return CycleClass::AntiDependency;
  const std::size_t anti = count(steps, kAntiStep);
  if (anti > 0) return anti == 1 ? CycleClass::Single : CycleClass::NonAdjacent;
  return count(steps, kReadStep) > 0 ? CycleClass::InformationFlow : CycleClass::DirtyWrite;
}

Strength strength_of(const std::vector<Step>& steps) {
  return {class_of(steps), count(steps, kTimeStep) > 0      ? CycleVariant::RealTime
                           : count(steps, kSessionStep) > 0 ? CycleVariant::Session
                                                            : CycleVariant::Data};
}

// The cycle without the part between steps[first].from and steps[last].to.
std::vector<Step> with_step(const std::vector<Step>& steps, std::size_t first, std::size_t length,
                            StepKind kind) {
  const std::size_t size = steps.size();
  std::vector<Step> out{{steps[first].from, steps[(first + length - 1) % size].to, kind}};
  for (std::size_t i = length; i < size; ++i) out.push_back(steps[(first + i) % size]);
  return out;
}

}  // namespace

std::vector<Step> shortcut(const ComponentLinks& links, const std::vector<Step>& steps) {
  constexpr std::array kKinds{kWriteStep, kReadStep, kSessionStep, kAntiStep, kTimeStep};
  const std::size_t size = steps.size();
  if (size > kLongestCycle) return {};
  const Strength whole = strength_of(steps);
  std::vector<Step> best;
  for (std::size_t first = 0; first < size; ++first)
    for (std::size_t length = 2; length < size; ++length) {
      const StepKinds kinds = links.kinds_between(steps[first].from, steps[(first + length - 1) % size].to);
      for (const StepKind kind : kKinds) {
        if ((kinds & kind) == 0) continue;
        std::vector<Step> cycle = with_step(steps, first, length, kind);
        const Strength found = strength_of(cycle);
        if (count(cycle, kTimeStep) > 1 || found == whole || !found.is_no_weaker_than(whole)) continue;
        if (best.empty() || (strength_of(best) != found && found.is_no_weaker_than(strength_of(best))))
          best = std::move(cycle);
      }
    }
  return best;
}

}  // namespace serval
