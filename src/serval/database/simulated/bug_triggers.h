#pragma once
// Decides, whenever a mechanism is used, whether its bug strikes now. Has its own random numbers, so
// that a bug that is switched off changes nothing.

#include <array>
#include <cstdint>
#include <span>

#include "serval/base/random.h"
#include "serval/database/simulated/simulated_bug.h"

namespace serval::simulated {

class BugTriggers {
 public:
  BugTriggers(std::span<const SimulatedBug> bugs, std::uint64_t seed) : random_(seed) {
    for (const SimulatedBug& bug : bugs) triggers_[index(bug.kind)] = {bug.probability, bug.limit, 0};
  }

  bool may_fire(SimulatedBugKind kind) const {
    const Trigger& trigger = triggers_[index(kind)];
    return trigger.probability > 0 && (trigger.limit == 0 || trigger.fired < trigger.limit);
  }
  bool fires(SimulatedBugKind kind) {
    Trigger& trigger = triggers_[index(kind)];
    if (!may_fire(kind) || !random_.chance(trigger.probability)) return false;
    ++trigger.fired;
    return true;
  }
  std::uint64_t fired(SimulatedBugKind kind) const { return triggers_[index(kind)].fired; }
  Random& random() noexcept { return random_; }

 private:
  struct Trigger {
    double probability = 0;
    std::uint64_t limit = 0, fired = 0;
  };
  static std::size_t index(SimulatedBugKind kind) { return static_cast<std::size_t>(kind); }

  std::array<Trigger, 9> triggers_;
  Random random_;
};

}  // namespace serval::simulated
