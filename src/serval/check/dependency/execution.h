#pragma once
// Turns a topological order of a dependency graph into an execution that shows the level.
//
//   Holds holds = execution(history, takes_part, shape, level, topological_order(graph, budget));

#include <string>
#include <vector>

#include "serval/evidence/verdict.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

// Transactions in the order of their commit vertices; each snapshot contains the commits before its
// begin vertex.
Holds execution(const History& history, const std::vector<bool>& takes_part, GraphShape shape, Level level,
                const std::vector<Vertex>& order);

// For levels with real time, if times are missing or unusable.
Undecided no_times(std::string reason);

}  // namespace serval
