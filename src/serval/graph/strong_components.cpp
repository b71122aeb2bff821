#include "serval/graph/strong_components.h"

#include <algorithm>

namespace serval {
namespace {

class Tarjan {
 public:
  Tarjan(const CsrGraph& graph, Budget& budget)
      : graph_(graph), budget_(budget), number_(graph.vertex_count(), 0), low_(graph.vertex_count(), 0) {}

  // `close` gets the members of each complete component, after those of all components it leads to.
  template <class Close>
  void run(Close&& close) {
    for (Vertex root = 0; root < graph_.vertex_count(); ++root) {
      if (number_[root] == 0) explore(root, close);
    }
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

  template <class Close>
  void explore(Vertex root, Close& close) {
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
        leave(close);
      }
    }
  }

  template <class Close>
  void leave(Close& close) {
    const Vertex v = frames_.back().vertex;
    frames_.pop_back();
    if (!frames_.empty()) low_[frames_.back().vertex] = std::min(low_[frames_.back().vertex], low_[v]);
    if (low_[v] != number_[v]) return;
    const auto first = std::find(pending_.rbegin(), pending_.rend(), v).base() - 1;
    for (auto member = first; member != pending_.end(); ++member) low_[*member] = kClosed;
    close(std::span<const Vertex>(first, pending_.end()));
    pending_.erase(first, pending_.end());
  }

  static constexpr std::uint32_t kClosed = 0xFFFFFFFFu;
  const CsrGraph& graph_;
  Budget& budget_;
  std::vector<std::uint32_t> number_, low_;
  std::uint32_t last_number_ = 0;
  std::vector<Vertex> pending_;
  std::vector<Frame> frames_;
};

bool holds_cycle(const CsrGraph& graph, std::span<const Vertex> component) {
  if (component.size() > 1) return true;
  const auto successors = graph.successors(component[0]);
  return std::ranges::find(successors, component[0]) != successors.end();
}

}  // namespace

Jagged<Vertex> cyclic_components(const CsrGraph& graph, Budget& budget) {
  std::vector<std::vector<Vertex>> components;
  Tarjan(graph, budget).run([&](std::span<const Vertex> members) {
    if (holds_cycle(graph, members)) components.emplace_back(members.begin(), members.end());
  });
  for (std::vector<Vertex>& component : components) std::ranges::sort(component);
  std::ranges::sort(components, {}, [](const std::vector<Vertex>& component) { return component.front(); });
  Jagged<Vertex> rows;
  for (const std::vector<Vertex>& component : components) rows.push_row(component);
  return rows;
}

Condensation condense(const CsrGraph& graph, Budget& budget) {
  Condensation condensation{.component = std::vector<std::uint32_t>(graph.vertex_count()), .count = 0};
  Tarjan(graph, budget).run([&](std::span<const Vertex> members) {
    for (const Vertex v : members) condensation.component[v] = condensation.count;
    ++condensation.count;
  });
  return condensation;
}

}  // namespace serval
