#include "serval/check/dependency/cycle_search.h"

#include <algorithm>
#include <array>
#include <optional>

#include "serval/check/dependency/class_search.h"
#include "serval/check/dependency/component_links.h"
#include "serval/check/dependency/name_cycle.h"
#include "serval/graph/strong_components.h"

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

// Cycles that make a detour. T1 -wr-> T2 -rw-> T3 -wr-> T4 -rw-> T1 looks like a long fork, but if T3
// also read from T1, the step T1 -wr-> T3 bypasses T2, and the remaining cycle is a causality violation
// that does not involve T2.
//
// The strongest cycle that results from a single step between two transactions of `steps`, if it is of a
// stronger class or needs less besides data dependencies, and is no worse in the other respect;
// otherwise empty. Long cycles are not examined: they have no name that could mislead.
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

// Consecutive session steps are equivalent to one.
void join_session_steps(std::vector<Step>& steps) {
  std::vector<Step> joined;
  for (const Step& step : steps) {
    if (!joined.empty() && joined.back().kind == kSessionStep && step.kind == kSessionStep)
      joined.back().to = step.to;
    else
      joined.push_back(step);
  }
  steps = std::move(joined);
}

void start_at_smallest(std::vector<Step>& steps) {
  std::rotate(steps.begin(), std::ranges::min_element(steps, {}, &Step::from), steps.end());
}

// In T1 -wr-> T2 -rw-> T3 with several reads, shows the earliest that saw T1 and the latest that missed
// T3: if any read went back in time, this pair shows it.
void choose_telling_reads(const ComponentLinks& links, const std::vector<Step>& steps, Cycle& cycle) {
  const std::size_t size = steps.size();
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t before = (i + size - 1) % size;
    if (steps[i].kind != kAntiStep || steps[before].kind != kReadStep) continue;
    cycle.edges[i] =
        std::ranges::max(links.edges(steps[i].from, steps[i].to, EdgeKind::ReadWrite), {}, &Edge::from_op);
    cycle.edges[before] = std::ranges::min(
        links.edges(steps[before].from, steps[before].to, EdgeKind::WriteRead), {}, &Edge::to_op);
  }
}

Cycle cycle_of(const ComponentLinks& links, std::vector<Step> steps) {
  join_session_steps(steps);
  start_at_smallest(steps);
  Cycle cycle;
  for (const Step& step : steps) cycle.edges.push_back(links.edge(step.from, step.to, step.kind));
  choose_telling_reads(links, steps, cycle);
  return cycle;
}

// Whether every level that forbids `than` also forbids `kind`.
bool refutes_no_less(AnomalyKind kind, AnomalyKind than) {
  return std::ranges::all_of(info(than).forbidden_by, [kind](Level level) { return forbids(level, kind); });
}

// The cycles of one strong component, class by class.
class Classification {
 public:
  Classification(const ComponentLinks& links, Budget& budget) : links_(links), budget_(budget) {}

  void look_for(CycleClass cycle_class, CycleVariant variant) {
    std::vector<Step> steps = shortest_cycle(links_.steps(), cycle_class, variant, budget_);
    if (steps.empty()) return;
    const std::vector<Step> shorter = found_.empty() ? std::vector<Step>{} : shortcut(links_, steps);
    if (shorter.empty()) return add(std::move(steps));
    if (std::vector<Step> direct = direct_cycle(cycle_class, variant); !direct.empty())
      return add(std::move(direct));
    add_for_want_of_better(std::move(steps), shorter);
  }

  std::vector<Anomaly> take() { return std::move(found_); }

 private:
  Anomaly anomaly(std::vector<Step> steps) const {
    Cycle cycle = cycle_of(links_, std::move(steps));
    const AnomalyKind kind = name_cycle(cycle.edges);
    return {kind, std::move(cycle)};
  }
  void add(std::vector<Step> steps) { found_.push_back(anomaly(std::move(steps))); }

  std::vector<Step> direct_cycle(CycleClass cycle_class, CycleVariant variant) const {
    constexpr int kMaxTries = 1000;  // Examining a cycle costs more than a step of the search.
    int tries = 0;
    const auto is_direct = [&](const std::vector<Step>& steps) {
      return ++tries <= kMaxTries && shortcut(links_, steps).empty();
    };
    return shortest_cycle(links_.steps(), cycle_class, variant, is_direct, budget_);
  }

  // Only cycles with a detour exist. They add nothing if the cycles found refute as much.
  void add_for_want_of_better(std::vector<Step> steps, const std::vector<Step>& shorter) {
    Anomaly roundabout = anomaly(std::move(steps));
    const auto says_enough = [&](const Anomaly& other) {
      return refutes_no_less(other.kind, roundabout.kind);
    };
    if (std::ranges::any_of(found_, says_enough)) return;
    Anomaly direct = anomaly(shorter);
    found_.push_back(says_enough(direct) ? std::move(direct) : std::move(roundabout));
  }

  const ComponentLinks& links_;
  Budget& budget_;
  std::vector<Anomaly> found_;
};

void classify(const ComponentLinks& links, CycleClass weakest, Budget& budget, std::vector<Anomaly>& found) {
  using enum CycleVariant;
  using enum CycleClass;
  Classification classes(links, budget);
  for (const CycleVariant variant : {Data, Session, RealTime})
    for (const CycleClass cycle_class : {DirtyWrite, InformationFlow, Single, NonAdjacent, AntiDependency})
      if (cycle_class <= weakest) classes.look_for(cycle_class, variant);
  std::ranges::move(classes.take(), std::back_inserter(found));
}

}  // namespace

std::vector<Anomaly> find_cycles(const History& history, const Relations& relations, CycleScope scope,
                                 Budget& budget) {
  const GraphShape shape{.session_order = scope.session_order, .real_time = scope.real_time};
  const std::optional<CsrGraph> graph = dependency_graph(history, relations, shape, budget);
  if (!graph) return {};
  return find_cycles(history, explained_by(history, relations), *graph, scope, budget);
}

std::vector<Anomaly> find_cycles(const History& history, const ExplainEdge& explain, const CsrGraph& graph,
                                 CycleScope scope, Budget& budget) {
  const GraphShape shape{.session_order = scope.session_order, .real_time = scope.real_time};
  std::vector<Anomaly> found;
  const Jagged<Vertex> components = cyclic_components(graph, budget);
  std::vector<Vertex> position(history.transaction_count(), ComponentLinks::kAbsent);
  for (std::size_t row = 0; row < components.rows(); ++row) {
    const ComponentLinks links(history, explain, shape, graph, components[row], position);
    classify(links, scope.weakest, budget, found);
  }
  return found;
}

}  // namespace serval
