#pragma once
// Every class of cycles that a strong component has, each with a cycle to show.
//
// Classes, strongest first: of write dependencies alone, without anti-dependencies, with exactly one, with
// several but no two in a row, with two in a row; each with data edges alone, with session order (at least
// one step), with real time (one step). For each a product of the component and the class's automaton is
// asked which pivots lie on a closed walk (batch_reachability.h; real time: the earliest end that a walk
// reaches), so that absence is exact and near-linear, and a breadth-first search from those pivots finds a
// shortest cycle. Where stronger classes are present a walk may cross itself; then other pivots and, with a
// fixed effort, other ways are tried, because whether a simple cycle exists is NP-hard there. No clock
// decides anything: the same history gives the same cycles everywhere.
//
// A cycle that has a shortcut to a stronger class (cycle_shortcut.h) is not shown where the search finds one
// of its class without, nor where what is shown refutes every level that it does.

#include <vector>

#include "serval/evidence/verdict.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

struct CycleScope {
  bool session_order = false;
  bool real_time = false;                           // Requires times that do not contradict themselves.
  CycleClass weakest = CycleClass::AntiDependency;  // Weaker classes are not looked for.
};

// One anomaly for each strong component of the dependency graph, class and variant, in the order of the
// components.
std::vector<Anomaly> find_cycles(const History& history, const Relations& relations, CycleScope scope,
                                 Budget& budget);
// The same of a graph that is there already: of the scope's orders, without snapshots.
std::vector<Anomaly> find_cycles(const History& history, const ExplainEdge& explain, const CsrGraph& graph,
                                 CycleScope scope, Budget& budget);

}  // namespace serval
