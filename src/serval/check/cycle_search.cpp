#include "serval/check/cycle_search.h"

#include <algorithm>
#include <optional>

#include "serval/check/class_search.h"
#include "serval/check/component_links.h"
#include "serval/check/name_cycle.h"
#include "serval/graph/strong_components.h"

namespace serval {
namespace {

// Consecutive session steps say no more than one.
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

// In T1 -wr-> T2 -rw-> T3, of several reads show the earliest that saw T1 and the latest that missed T3: if
// any read went back in time, this pair shows it.
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

void classify(const ComponentLinks& links, CycleClass weakest, Budget& budget, std::vector<Anomaly>& found) {
  using enum CycleVariant;
  using enum CycleClass;
  for (const CycleVariant variant : {Data, Session, RealTime}) {
    for (const CycleClass cycle_class : {DirtyWrite, InformationFlow, Single, NonAdjacent, AntiDependency}) {
      if (cycle_class > weakest) continue;
      std::vector<Step> steps = shortest_cycle(links.steps(), cycle_class, variant, budget);
      if (steps.empty()) continue;
      Cycle cycle = cycle_of(links, std::move(steps));
      const AnomalyKind kind = name_cycle(cycle.edges);
      found.push_back({kind, std::move(cycle)});
    }
  }
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
