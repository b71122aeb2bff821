#include "serval/check/dependency/class_search.h"

#include <algorithm>
#include <array>
#include <limits>

#include "serval/base/contract.h"
#include "serval/graph/batch_reachability.h"
#include "serval/graph/path_finder.h"
#include "serval/graph/strong_components.h"

namespace serval {
namespace {

// Where anti-dependencies may occur, as an automaton over {dependency, anti-dependency}; state 0 is the
// start.
struct AntiRule {
  static constexpr std::uint8_t kStop = 0xFF;
  std::uint8_t states;
  std::array<std::uint8_t, 5> after_dependency, after_anti;  // By state.
  std::array<bool, 5> accepted;
};

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
class CycleAutomaton {
 public:
  CycleAutomaton(CycleClass cycle_class, CycleVariant variant)
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

  StepKind pivot() const noexcept { return pivot_; }
  std::uint32_t states() const noexcept { return states_; }
  static constexpr std::uint32_t start() noexcept { return 0; }
  bool accepts(std::uint32_t state) const noexcept { return (accepted_ >> state & 1) != 0; }
  // kNone: no walk of the class continues this way.
  std::uint32_t next(std::uint32_t state, StepKind step) const {
    if (step == kFreeStep) return state;
    const std::uint32_t rule_state = state % rule_->states;
    const bool anti = step == kAntiStep;
    if (!anti && (dependencies_ & step) == 0) return kNone;
    const std::uint8_t after = anti ? rule_->after_anti[rule_state] : rule_->after_dependency[rule_state];
    if (after == AntiRule::kStop) return kNone;
    const bool has_required = state >= rule_->states || (required_ & step) != 0;
    return after + (has_required && required_ != 0 ? rule_->states : 0u);
  }
  static constexpr std::uint32_t kNone = 0xFF;

 private:
  StepKind pivot_;
  StepKinds dependencies_;  // The allowed steps other than anti-dependencies.
  StepKinds required_ = 0;  // At least one of these is needed besides the pivot; 0: none is.
  const AntiRule* rule_;    // Where anti-dependencies may occur.
  std::uint32_t states_;
  std::uint32_t accepted_ = 0;  // Bits by state.
};

constexpr std::uint64_t kReachabilityEffort = 4'000'000'000;  // Edges, for 256 questions at a time.
// Edges, once a closed walk is known: at most this,
constexpr std::uint64_t kShorteningEffort = 2'000'000;
// and at most this many passes over all of them.
constexpr std::uint64_t kShorteningRounds = 3;
constexpr std::uint64_t kSearchEffort = 100'000'000;  // Edges, before that.
constexpr std::uint64_t kUntanglingEffort = 200'000;  // Steps, if walks cross themselves.

// A necessary condition for cycles of the class, checked before anything is built.
bool is_possible(const StepGraph& graph, CycleClass cycle_class, CycleVariant variant) {
  StepKinds needed = 0;
  if (cycle_class == CycleClass::DirtyWrite) needed |= kWriteStep;
  if (cycle_class == CycleClass::InformationFlow) needed |= kReadStep;
  if (cycle_class >= CycleClass::Single) needed |= kAntiStep;
  if (variant == CycleVariant::Session) needed |= kSessionStep;
  if (variant == CycleVariant::RealTime && !graph.has_times()) return false;
  return (graph.kinds_present() & needed) == needed;
}

class ClassSearch {
 public:
  ClassSearch(const StepGraph& graph, CycleClass cycle_class, CycleVariant variant, Budget& budget)
      : graph_(graph),
        automaton_(cycle_class, variant),
        states_(automaton_.states()),
        budget_(budget),
        product_(build_product()) {}

  std::vector<Step> run() {
    const std::vector<Pivot> found = pivots();
    if (found.empty()) return {};
    if (std::vector<Step> steps = search(found, {}); !steps.empty()) return steps;
    return untangle(found);
  }

  std::vector<Step> run(const AcceptCycle& accept) { return search(pivots(), accept); }

 private:
  // A walk starts at `start`, after the pivot, and ends where the pivot begins: at `end`, or, for real
  // time, at any transaction that ended before the start began.
  static constexpr Vertex kAnyone = 0xFFFFFFFFu;
  struct Pivot {
    Vertex start;
    Vertex end = kAnyone;
  };

  std::vector<Pivot> pivots() { return automaton_.pivot() == kTimeStep ? time_pivots() : link_pivots(); }

  Vertex vertex(Vertex member, std::uint32_t state) const { return member * states_ + state; }
  Vertex member(Vertex vertex) const { return vertex / states_; }
  std::uint32_t state(Vertex vertex) const { return vertex % states_; }

  CsrGraph build_product() const {
    return build_graph(graph_.size * states_, [&](auto&& emit) {
      for (const Link& link : graph_.links) {
        budget_.poll("cycle classes");
        for (std::uint32_t from = 0; from < states_; ++from) {
          for (const StepKind kind : kStepKinds) {
            if ((link.kinds & kind) == 0) continue;
            const std::uint32_t to = automaton_.next(from, kind);
            if (to != CycleAutomaton::kNone) emit(vertex(link.from, from), vertex(link.to, to));
          }
        }
      }
    });
  }

  std::uint32_t accepted_state() const {
    std::uint32_t accepted = 0;
    while (!automaton_.accepts(accepted)) ++accepted;
    return accepted;
  }

  std::vector<Pivot> link_pivots() {
    std::vector<Pivot> pivots;
    std::vector<ReachabilityQuestion> questions;
    for (const Link& link : graph_.links) {
      if ((link.kinds & automaton_.pivot()) == 0) continue;
      pivots.push_back({link.to, link.from});
      questions.push_back({vertex(link.to, CycleAutomaton::start()), vertex(link.from, accepted_state())});
    }
    const auto closed = reachable(product_, questions, kReachabilityEffort, budget_);
    if (!closed) return pivots;  // Too many to distinguish; the search tries them one by one.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < pivots.size(); ++i)
      if ((*closed)[i]) pivots[kept++] = pivots[i];
    pivots.resize(kept);
    return pivots;
  }

  // The earliest end among the transactions that a walk of the class reaches, by component of the
  // product.
  std::vector<Pivot> time_pivots() {
    const Condensation components = condense(product_, budget_);
    std::vector<Time> earliest(components.count, kUnknownEnd);
    std::vector<Vertex> by_component(product_.vertex_count());
    for (Vertex v = 0; v < product_.vertex_count(); ++v) by_component[v] = v;
    std::ranges::stable_sort(by_component, {}, [&](Vertex v) { return components.component[v]; });
    for (const Vertex v : by_component) {
      Time& own = earliest[components.component[v]];
      if (automaton_.accepts(state(v)) && !graph_.is_helper(member(v)))
        own = std::min(own, graph_.end[member(v)]);
      for (const Vertex next : product_.successors(v))
        own = std::min(own, earliest[components.component[next]]);
    }
    std::vector<Pivot> pivots;
    for (Vertex m = 0; m < graph_.size - graph_.helpers; ++m)
      if (earliest[components.component[vertex(m, CycleAutomaton::start())]] < graph_.begin[m])
        pivots.push_back({m});
    return pivots;
  }

  bool closes(const Pivot& pivot, Vertex at) const {
    if (!automaton_.accepts(state(at))) return false;
    if (pivot.end != kAnyone) return member(at) == pivot.end;
    return member(at) != pivot.start && graph_.has_time_step(member(at), pivot.start);
  }

  // Accepts every cycle if `accept` is empty. A rejected cycle does not end the search.
  std::vector<Step> search(const std::vector<Pivot>& pivots, const AcceptCycle& accept) const {
    PathFinder finder(product_, std::numeric_limits<std::uint64_t>::max(), budget_);
    std::vector<Vertex> best;
    Pivot best_pivot{0};
    std::uint64_t effort = kSearchEffort;
    const std::uint64_t shortening =
        std::min<std::uint64_t>(kShorteningEffort, kShorteningRounds * (product_.targets.size() + 10'000));
    for (const Pivot& pivot : pivots) {
      if (finder.spent() > effort) break;
      const std::size_t most = best.empty() ? product_.vertex_count() : best.size() - 2;
      if (most == 0) break;
      std::vector<Vertex> found = finder.path(vertex(pivot.start, CycleAutomaton::start()), most,
                                              [&](Vertex at) { return closes(pivot, at); });
      if (found.empty()) continue;
      effort = accept && best.empty() ? kShorteningEffort : shortening;
      if (!is_simple(found) || (accept && !accept(steps_of(pivot, found)))) continue;
      best = std::move(found);
      best_pivot = pivot;
    }
    return best.empty() ? std::vector<Step>{} : steps_of(best_pivot, best);
  }

  bool is_simple(const std::vector<Vertex>& walk) const {
    std::vector<Vertex> visited;
    for (const Vertex v : walk)
      if (!graph_.is_helper(member(v))) visited.push_back(member(v));
    std::ranges::sort(visited);
    return std::adjacent_find(visited.begin(), visited.end()) == visited.end();
  }

  // Depth first over simple walks only, trying every path within the effort.
  std::vector<Step> untangle(const std::vector<Pivot>& pivots) const {
    std::uint64_t effort = kUntanglingEffort;
    std::vector<bool> used(graph_.size, false);
    for (const Pivot& pivot : pivots) {
      std::vector<Vertex> walk = simple_walk(pivot, used, effort);
      if (!walk.empty()) return steps_of(pivot, walk);
      if (effort == 0) break;
    }
    return {};
  }

  std::vector<Vertex> simple_walk(const Pivot& pivot, std::vector<bool>& used, std::uint64_t& effort) const {
    std::vector<Vertex> walk{vertex(pivot.start, CycleAutomaton::start())};
    std::vector<std::uint32_t> next_edge{product_.offsets[walk[0]]};
    used[pivot.start] = true;
    const auto step_back = [&] {
      used[member(walk.back())] = false;
      walk.pop_back();
      next_edge.pop_back();
    };
    while (!walk.empty() && effort > 0) {
      budget_.poll("cycle classes");
      if (next_edge.back() == product_.offsets[walk.back() + 1]) {
        step_back();
        continue;
      }
      --effort;
      const Vertex next = product_.targets[next_edge.back()++];
      if (used[member(next)]) continue;
      walk.push_back(next);
      next_edge.push_back(product_.offsets[next]);
      used[member(next)] = !graph_.is_helper(member(next));
      if (closes(pivot, next)) break;
    }
    std::vector<Vertex> found = effort > 0 ? walk : std::vector<Vertex>{};
    while (!walk.empty()) step_back();
    return found;
  }

  std::vector<Step> steps_of(const Pivot& pivot, const std::vector<Vertex>& walk) const {
    std::vector<Step> steps{{member(walk.back()), pivot.start, automaton_.pivot()}};
    for (std::size_t i = 0; i + 1 < walk.size(); ++i) {
      const StepKind kind = kind_of_step(walk[i], walk[i + 1]);
      if (kind == kFreeStep)
        steps.back().to = member(walk[i + 1]);
      else
        steps.push_back({member(walk[i]), member(walk[i + 1]), kind});
    }
    return steps;
  }

  StepKind kind_of_step(Vertex from, Vertex to) const {
    const StepKinds kinds = graph_.kinds(member(from), member(to));
    for (const StepKind kind : kStepKinds)
      if ((kinds & kind) != 0 && automaton_.next(state(from), kind) == state(to)) return kind;
    broken_contract("every step of a walk has a kind", __FILE__, __LINE__);
  }

  const StepGraph& graph_;
  CycleAutomaton automaton_;
  std::uint32_t states_;
  Budget& budget_;
  CsrGraph product_;
};

}  // namespace

std::vector<Step> shortest_cycle(const StepGraph& graph, CycleClass cycle_class, CycleVariant variant,
                                 Budget& budget) {
  if (!is_possible(graph, cycle_class, variant)) return {};
  return ClassSearch(graph, cycle_class, variant, budget).run();
}

std::vector<Step> shortest_cycle(const StepGraph& graph, CycleClass cycle_class, CycleVariant variant,
                                 const AcceptCycle& accept, Budget& budget) {
  if (!is_possible(graph, cycle_class, variant)) return {};
  return ClassSearch(graph, cycle_class, variant, budget).run(accept);
}

}  // namespace serval
