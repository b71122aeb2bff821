#pragma once
// From a dependency graph with cycles to the anomalies to report: for each strongly connected component the
// shortest cycle of the strongest class.
//
// Classes, strongest first: without anti-dependencies, with exactly one, with several but no two in a row,
// with any. Each is tried first with data edges alone, then with session order, then with one real-time edge
// (one is always enough: of two real-time edges a -> b and c -> d, a also precedes d or c also precedes b).

#include <vector>

#include "serval/check/verdict.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

// One anomaly for each cyclic component of `graph`, which is dependency_graph(history, relations, shape).
std::vector<Anomaly> find_cycles(const History& history, const Relations& relations, GraphShape shape,
                                 const CsrGraph& graph, Budget& budget);

}  // namespace serval
