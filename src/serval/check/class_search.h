#pragma once
// The shortest cycle of one class and variant in one strong component. See cycle_search.h.

#include <vector>

#include "serval/base/budget.h"
#include "serval/check/step_graph.h"

namespace serval {

struct Step {
  Vertex from, to;  // Vertices of the component.
  StepKind kind;
};

// The steps of a simple cycle, the pivot first, helpers left out; empty when there is none. Deterministic.
std::vector<Step> shortest_cycle(const StepGraph& graph, CycleClass cycle_class, CycleVariant variant,
                                 Budget& budget);

}  // namespace serval
