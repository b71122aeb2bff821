#pragma once
// The shortest cycle of one class and variant in one strong component. See cycle_search.h.

#include <functional>
#include <vector>

#include "serval/base/budget.h"
#include "serval/check/dependency/step_graph.h"

namespace serval {

struct Step {
  Vertex from, to;  // Vertices of the component.
  StepKind kind;
};

// Whether a cycle is one to show.
using AcceptCycle = std::function<bool(const std::vector<Step>&)>;

// The steps of a simple cycle, the pivot first, helpers left out; empty when there is none. Deterministic.
std::vector<Step> shortest_cycle(const StepGraph& graph, CycleClass cycle_class, CycleVariant variant,
                                 Budget& budget);
// The same among the cycles that are accepted. One is looked for from each pivot, within a fixed effort, so
// that one may be overlooked.
std::vector<Step> shortest_cycle(const StepGraph& graph, CycleClass cycle_class, CycleVariant variant,
                                 const AcceptCycle& accept, Budget& budget);

}  // namespace serval
