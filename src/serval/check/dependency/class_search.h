#pragma once
// The shortest cycle of one class and variant in one strong component. See cycle_search.h.

#include <functional>
#include <vector>

#include "serval/base/budget.h"
#include "serval/check/dependency/step_graph.h"
#include "serval/levels/anomaly.h"

namespace serval {

struct Step {
  Vertex from, to;  // Vertices of the component.
  StepKind kind;
};

// Whether a cycle is suitable as an example.
using AcceptCycle = std::function<bool(const std::vector<Step>&)>;

// The steps of a simple cycle, starting with the pivot, without helpers; empty if there is none.
// Deterministic.
std::vector<Step> shortest_cycle(const StepGraph& graph, CycleClass cycle_class, CycleVariant variant,
                                 Budget& budget);
// The same among the accepted cycles. Tries one cycle per pivot within a fixed effort, so it may
// overlook some.
std::vector<Step> shortest_cycle(const StepGraph& graph, CycleClass cycle_class, CycleVariant variant,
                                 const AcceptCycle& accept, Budget& budget);

}  // namespace serval
