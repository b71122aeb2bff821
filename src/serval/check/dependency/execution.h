#pragma once
// What a topological order of a dependency graph says: an execution that shows the level.
//
//   Holds holds = execution(history, takes_part, shape, level, topological_order(graph, budget));

#include <string>
#include <vector>

#include "serval/evidence/verdict.h"
#include "serval/inference/dependency_graph.h"

namespace serval {

// Transactions in the order of their commit vertices, each snapshot after the commits that stand before its
// begin vertex.
Holds execution(const History& history, const std::vector<bool>& takes_part, GraphShape shape, Level level,
                const std::vector<Vertex>& order);

// What is left to say of a level with real time where times are missing or of no use.
Undecided no_times(std::string reason);

}  // namespace serval
