#include "serval/solver/dynamic_order.h"

#include <algorithm>

#include "serval/base/contract.h"

namespace serval {
namespace {

constexpr const char* kPhase = "order solver";

CsrGraph reverse(const CsrGraph& graph) {
  return build_graph(graph.vertex_count(), [&](auto&& edge) {
    for (Vertex v = 0; v < graph.vertex_count(); ++v)
      for (const Vertex next : graph.successors(v)) edge(next, v);
  });
}

}  // namespace

struct DynamicOrder::KnownEdges {
  const DynamicOrder& order;

  bool any_free(Vertex v, auto&& take) const {
    order.budget_.poll(kPhase);
    return std::ranges::any_of(order.known_.successors(v), take);
  }
  bool any_numbered(Vertex, auto&&) const { return false; }
};

struct DynamicOrder::AllEdges : KnownEdges {
  bool any_numbered(Vertex v, auto&& take) const {
    for (std::uint32_t e = order.first_out_[v]; e != kNone; e = order.edges_[e].next_out)
      if (take(order.edges_[e].to, e)) return true;
    return false;
  }
  void each_previous(Vertex v, auto&& take) const {
    order.budget_.poll(kPhase);
    for (const Vertex previous : order.reversed_.successors(v)) take(previous);
    for (std::uint32_t e = order.first_in_[v]; e != kNone; e = order.edges_[e].next_in)
      take(order.edges_[e].from);
  }
};

DynamicOrder::DynamicOrder(const CsrGraph& known, const std::vector<Vertex>& order, Budget& budget)
    : known_(known),
      reversed_(reverse(known)),
      budget_(budget),
      first_out_(known.vertex_count(), kNone),
      first_in_(known.vertex_count(), kNone) {
  expects(order.size() == known.vertex_count(), "an order of all vertices");
  repair_.resize(order.size(), kNone);
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    expects(order[place] < order.size() && rank()[order[place]] == kNone, "every vertex once");
    repair_.place(order[place], place);
  }
  for (Vertex v = 0; v < known.vertex_count(); ++v) {
    budget_.poll(kPhase);
    for (const Vertex next : known.successors(v))
      expects(rank()[v] < rank()[next], "known edges point forward");
  }
}

bool DynamicOrder::insert(Vertex from, Vertex to, std::uint32_t label) {
  repair_.clear_moved();
  if (rank()[from] >= rank()[to]) {
    if (reaches(to, from)) {
      show_cycle(to, from);
      return false;
    }
    make_room(from, to);
  }
  const auto edge = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back(
      {.from = from, .to = to, .label = label, .next_out = first_out_[from], .next_in = first_in_[to]});
  first_out_[from] = first_in_[to] = edge;
  return true;
}

void DynamicOrder::remove_last() {
  const Edge& edge = edges_.back();
  first_out_[edge.from] = edge.next_out;
  first_in_[edge.to] = edge.next_in;
  edges_.pop_back();
}

bool DynamicOrder::reaches(Vertex from, Vertex to) {
  const bool found = repair_.find_path(AllEdges{*this}, from, to);
  vertices_visited_ += repair_.reached().size();
  return found;
}

void DynamicOrder::show_cycle(Vertex from, Vertex to) {
  cycle_.clear();
  for (Vertex v = to; v != from; v = repair_.step(v).from)
    if (const std::uint32_t edge = repair_.step(v).edge; edge != repair_.kFreeEdge)
      cycle_.push_back(edges_[edge].label);
  std::ranges::reverse(cycle_);
}

void DynamicOrder::make_room(Vertex from, Vertex to) {
  ++reorderings_;
  repair_.move(AllEdges{*this}, from, to);
  vertices_visited_ += moved().size() - repair_.reached().size();
}

std::vector<Vertex> DynamicOrder::known_path(Vertex from, Vertex to) {
  if (!repair_.find_path(KnownEdges{*this}, from, to)) return {};
  std::vector<Vertex> path{to};
  while (path.back() != from) path.push_back(repair_.step(path.back()).from);
  std::ranges::reverse(path);
  return path;
}

}  // namespace serval
