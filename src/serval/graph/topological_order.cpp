#include "serval/graph/topological_order.h"

#include <functional>
#include <queue>
#include <utility>

namespace serval {

std::vector<Vertex> topological_order(const CsrGraph& graph, Budget& budget) {
  const Vertex vertices = graph.vertex_count();
  std::vector<std::uint32_t> waiting_for(vertices, 0);
  for (const Vertex target : graph.targets) ++waiting_for[target];

  std::vector<Vertex> order;
  order.reserve(vertices);
  std::vector<Vertex> ready;
  // The scan takes ready vertices in number order; `ready` holds those that became ready after the scan
  // had passed them.
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

std::vector<Vertex> topological_order(const CsrGraph& graph, std::span<const std::int64_t> keys,
                                      Budget& budget) {
  const Vertex vertices = graph.vertex_count();
  std::vector<std::uint32_t> waiting_for(vertices, 0);
  for (const Vertex target : graph.targets) ++waiting_for[target];

  std::vector<Vertex> order;
  order.reserve(vertices);
  using Entry = std::pair<std::int64_t, Vertex>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (Vertex v = 0; v < vertices; ++v)
    if (waiting_for[v] == 0) ready.emplace(keys[v], v);
  while (!ready.empty()) {
    budget.poll("topological order");
    const Vertex v = ready.top().second;
    ready.pop();
    order.push_back(v);
    for (const Vertex next : graph.successors(v))
      if (--waiting_for[next] == 0) ready.emplace(keys[next], next);
  }
  return order;
}

}  // namespace serval
