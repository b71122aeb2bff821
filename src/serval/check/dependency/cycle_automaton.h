#pragma once
// Which walks around a cycle belong to a class and variant, as a small automaton over the kinds of
// steps.
//
// Every cycle of a class has a step of a certain kind, its pivot; the automaton reads the steps after it
// until the walk returns. So a G-single cycle is an anti-dependency u -> v and a walk from v to u over
// dependencies, and a cycle with two anti-dependencies in a row is one in which the step after the pivot
// is an anti-dependency as well.
//
// In the real-time variants the pivot is the real-time step, and there is only one: with two, a -> b and
// c -> d, a also precedes d or c also precedes b, which gives a shorter cycle.

#include <array>
#include <cstdint>
#include <span>

#include "serval/levels/anomaly.h"

namespace serval {

// The kinds of steps between two transactions, as bits: a pair may have several. A free step leaves a
// helper vertex and does not change the state.
enum StepKind : std::uint8_t {
  kWriteStep = 1,
  kReadStep = 2,
  kAntiStep = 4,
  kSessionStep = 8,
  kTimeStep = 16,
  kFreeStep = 32
};
using StepKinds = std::uint8_t;
constexpr std::array<StepKind, 5> kStepKinds{kReadStep, kWriteStep, kSessionStep, kAntiStep,
                                             kFreeStep};  // In order of preference.

class CycleAutomaton {
 public:
  CycleAutomaton(CycleClass cycle_class, CycleVariant variant);

  StepKind pivot() const noexcept { return pivot_; }
  std::uint32_t states() const noexcept { return states_; }
  static constexpr std::uint32_t start() noexcept { return 0; }
  bool accepts(std::uint32_t state) const noexcept { return (accepted_ >> state & 1) != 0; }
  // kNone: no walk of the class continues this way.
  std::uint32_t next(std::uint32_t state, StepKind step) const;
  static constexpr std::uint32_t kNone = 0xFF;

 private:
  StepKind pivot_;
  StepKinds dependencies_;       // The allowed steps other than anti-dependencies.
  StepKinds required_ = 0;       // At least one of these is needed besides the pivot; 0: none is.
  const struct AntiRule* rule_;  // Where anti-dependencies may occur.
  std::uint32_t states_;
  std::uint32_t accepted_ = 0;  // Bits by state.
};

}  // namespace serval
