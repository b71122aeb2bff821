#pragma once
// Every class of cycles in a strong component, with one example each.
//
// Classes, strongest first: write dependencies only, no anti-dependencies, exactly one, several but no
// two in a row, two in a row; each with data edges alone, with session order (at least one step), and
// with real time (one step). For each class, the product of the component and the class's automaton is
// searched for pivots on a closed walk (batch_reachability.h; for real time, the earliest end that a
// walk reaches), so that absence is exact and near-linear. A breadth-first search from those pivots then
// finds a shortest cycle. If stronger classes are present, a walk may cross itself; then other pivots
// and, within a fixed effort, other paths are tried, because deciding whether a simple cycle exists is
// NP-hard there. No time limits are involved: the same history gives the same cycles everywhere.
//
// A cycle that has a shortcut to a stronger class is not shown if the search finds
// one of its class without a shortcut, nor if the cycles shown already refute every level that it
// refutes.

#include <vector>

#include "serval/evidence/verdict.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

struct CycleScope {
  bool session_order = false;
  bool real_time = false;                           // Requires times that do not contradict themselves.
  CycleClass weakest = CycleClass::AntiDependency;  // Weaker classes are not searched for.
};

// One anomaly for each strong component of the dependency graph, class and variant, ordered by
// component.
std::vector<Anomaly> find_cycles(const History& history, const Relations& relations, CycleScope scope,
                                 Budget& budget);
// The same for an existing graph: with the scope's orders, without snapshots.
std::vector<Anomaly> find_cycles(const History& history, const ExplainEdge& explain, const CsrGraph& graph,
                                 CycleScope scope, Budget& budget);

}  // namespace serval
