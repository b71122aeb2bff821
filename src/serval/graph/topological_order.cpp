#include "serval/graph/topological_order.h"

namespace serval {

std::vector<Vertex> topological_order(const CsrGraph& graph, Budget& budget) {
  const Vertex vertices = graph.vertex_count();
  std::vector<std::uint32_t> waiting_for(vertices, 0);
  for (const Vertex target : graph.targets) ++waiting_for[target];

  std::vector<Vertex> order;
  order.reserve(vertices);
  std::vector<Vertex> ready;
  // The scan takes what is ready in number order; `ready` holds what becomes ready behind the scan.
  for (Vertex scan = 0; scan < vertices; ++scan) {
    budget.poll("topological order");
    if (waiting_for[scan] != 0) continue;
    ready.push_back(scan);
    while (!ready.empty()) {
      const Vertex v = ready.back();
      ready.pop_back();
      order.push_back(v);
      for (const Vertex next : graph.successors(v)) {
        if (--waiting_for[next] == 0 && next <= scan) ready.push_back(next);
      }
    }
  }
  return order;
}

}  // namespace serval
