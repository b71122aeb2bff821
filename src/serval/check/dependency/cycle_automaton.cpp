#include "serval/check/dependency/cycle_automaton.h"

#include "serval/base/contract.h"

namespace serval {

// Where anti-dependencies may occur, as an automaton over {dependency, anti-dependency}; state 0 is the
// start.
struct AntiRule {
  static constexpr std::uint8_t kStop = 0xFF;
  std::uint8_t states;
  std::array<std::uint8_t, 5> after_dependency, after_anti;  // By state.
  std::array<bool, 5> accepted;
};

namespace {

constexpr std::uint8_t kStop = AntiRule::kStop;

constexpr AntiRule kNoAnti{1, {0}, {kStop}, {true}};
constexpr AntiRule kExactlyOne{2, {0, 1}, {1, kStop}, {false, true}};
// The pivot is an anti-dependency: no two in a row, at least one more, and none last, because the pivot
// follows. States: one so far, just now; one so far; several, one just now; several.
constexpr AntiRule kNonAdjacentAfterOne{4, {1, 1, 3, 3}, {kStop, 2, kStop, 2}, {false, false, false, true}};
// From the start: none yet; then as above. The last step may be one, because the pivot is not.
constexpr AntiRule kNonAdjacent{
    5, {0, 2, 2, 4, 4}, {1, kStop, 3, kStop, 3}, {false, false, false, true, true}};
// After an anti-dependency: another immediately, then anything.
constexpr AntiRule kAdjacentAfterOne{2, {kStop, 1}, {1, 1}, {false, true}};
// From the start: not just now; one just now; two in a row.
constexpr AntiRule kAdjacent{3, {0, 0, 2}, {1, 2, 2}, {false, false, true}};

const AntiRule& rule_of(CycleClass cycle_class, CycleVariant variant) {
  const bool after_one = variant != CycleVariant::RealTime;
  switch (cycle_class) {
    case CycleClass::DirtyWrite:
    case CycleClass::InformationFlow:
      return kNoAnti;
    case CycleClass::Single:
      return after_one ? kNoAnti : kExactlyOne;
    case CycleClass::NonAdjacent:
      return after_one ? kNonAdjacentAfterOne : kNonAdjacent;
    case CycleClass::AntiDependency:
      return after_one ? kAdjacentAfterOne : kAdjacent;
  }
  broken_contract("a class of the enumeration", __FILE__, __LINE__);
}

StepKind pivot_of(CycleClass cycle_class, CycleVariant variant) {
  if (variant == CycleVariant::RealTime) return kTimeStep;
  if (cycle_class >= CycleClass::Single) return kAntiStep;
  if (variant == CycleVariant::Session) return kSessionStep;
  return cycle_class == CycleClass::DirtyWrite ? kWriteStep : kReadStep;
}

}  // namespace

CycleAutomaton::CycleAutomaton(CycleClass cycle_class, CycleVariant variant)
    : pivot_(pivot_of(cycle_class, variant)),
      dependencies_(kWriteStep),
      rule_(&rule_of(cycle_class, variant)),
      states_(rule_->states) {
  if (cycle_class != CycleClass::DirtyWrite) dependencies_ |= kReadStep;
  if (variant != CycleVariant::Data) dependencies_ |= kSessionStep;
  if (cycle_class == CycleClass::InformationFlow && pivot_ != kReadStep) required_ = kReadStep;
  if (cycle_class >= CycleClass::Single && variant == CycleVariant::Session) required_ = kSessionStep;
  if (required_ != 0) states_ *= 2;
  for (std::uint32_t state = 0; state < states_; ++state) {
    const bool has_required = required_ == 0 || state >= rule_->states;
    if (has_required && rule_->accepted[state % rule_->states]) accepted_ |= 1u << state;
  }
}

std::uint32_t CycleAutomaton::next(std::uint32_t state, StepKind step) const {
  if (step == kFreeStep) return state;
  const std::uint32_t rule_state = state % rule_->states;
  const bool anti = step == kAntiStep;
  if (!anti && (dependencies_ & step) == 0) return kNone;
  const std::uint8_t after = anti ? rule_->after_anti[rule_state] : rule_->after_dependency[rule_state];
  if (after == AntiRule::kStop) return kNone;
  const bool has_required = state >= rule_->states || (required_ & step) != 0;
  return after + (has_required && required_ != 0 ? rule_->states : 0u);
}

}  // namespace serval
