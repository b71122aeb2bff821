#include "serval/graph/strong_components.h"

#include <algorithm>

namespace serval {
namespace {

class Tarjan {
 public:
  Tarjan(const CsrGraph& graph, Budget& budget)
      : graph_(graph), budget_(budget), number_(graph.vertex_count(), 0), low_(graph.vertex_count(), 0) {}

  std::vector<std::vector<Vertex>> run() {
    for (Vertex root = 0; root < graph_.vertex_count(); ++root) {
      if (number_[root] == 0) explore(root);
    }
    return std::move(components_);
  }

 private:
  struct Frame {
    Vertex vertex;
    std::uint32_t next_edge;
  };

  void enter(Vertex v) {
    number_[v] = low_[v] = ++last_number_;
    pending_.push_back(v);
    frames_.push_back({v, graph_.offsets[v]});
  }

  void explore(Vertex root) {
    enter(root);
    while (!frames_.empty()) {
      budget_.poll("strong components");
      Frame& frame = frames_.back();
      if (frame.next_edge < graph_.offsets[frame.vertex + 1]) {
        const Vertex next = graph_.targets[frame.next_edge++];
        if (number_[next] == 0) {
          enter(next);
        } else {
          low_[frame.vertex] =
              std::min(low_[frame.vertex], low_[next]);  // Closed vertices have low == kClosed.
        }
      } else {
        leave();
      }
    }
  }

  void leave() {
    const Vertex v = frames_.back().vertex;
    frames_.pop_back();
    if (!frames_.empty()) low_[frames_.back().vertex] = std::min(low_[frames_.back().vertex], low_[v]);
    if (low_[v] != number_[v]) return;
    const auto first = std::find(pending_.rbegin(), pending_.rend(), v).base() - 1;
    for (auto member = first; member != pending_.end(); ++member) low_[*member] = kClosed;
    if (pending_.end() - first > 1 || has_self_loop(v)) components_.emplace_back(first, pending_.end());
    pending_.erase(first, pending_.end());
  }

  bool has_self_loop(Vertex v) const {
    return std::ranges::find(graph_.successors(v), v) != graph_.successors(v).end();
  }

  static constexpr std::uint32_t kClosed = 0xFFFFFFFFu;
  const CsrGraph& graph_;
  Budget& budget_;
  std::vector<std::uint32_t> number_, low_;
  std::uint32_t last_number_ = 0;
  std::vector<Vertex> pending_;
  std::vector<Frame> frames_;
  std::vector<std::vector<Vertex>> components_;
};

}  // namespace

Jagged<Vertex> cyclic_components(const CsrGraph& graph, Budget& budget) {
  std::vector<std::vector<Vertex>> components = Tarjan(graph, budget).run();
  for (std::vector<Vertex>& component : components) std::ranges::sort(component);
  std::ranges::sort(components, {}, [](const std::vector<Vertex>& component) { return component.front(); });
  Jagged<Vertex> rows;
  for (const std::vector<Vertex>& component : components) rows.push_row(component);
  return rows;
}

}  // namespace serval
