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

DynamicOrder::DynamicOrder(const CsrGraph& known, std::vector<Vertex> order, Budget& budget)
    : known_(known),
      reversed_(reverse(known)),
      budget_(budget),
      order_(std::move(order)),
      rank_(known.vertex_count(), kNone),
      first_out_(known.vertex_count(), kNone),
      first_in_(known.vertex_count(), kNone),
      seen_in_(known.vertex_count(), 0),
      steps_(known.vertex_count()) {
  expects(order_.size() == known.vertex_count(), "an order of all vertices");
  for (std::uint32_t place = 0; place < order_.size(); ++place) {
    expects(order_[place] < rank_.size() && rank_[order_[place]] == kNone, "every vertex once");
    rank_[order_[place]] = place;
  }
  for (Vertex v = 0; v < known.vertex_count(); ++v) {
    budget_.poll(kPhase);
    for (const Vertex next : known.successors(v))
      expects(rank_[v] < rank_[next], "known edges point forward");
  }
}

bool DynamicOrder::insert(Vertex from, Vertex to, std::uint32_t label) {
  moved_.clear();
  if (rank_[from] >= rank_[to]) {
    if (reaches(to, from)) {
      show_cycle(to, from);
      return false;
    }
    search_back(from, to);
    reorder();
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

void DynamicOrder::start_search() {
  if (++search_ == kNone) {  // Four thousand million searches later.
    std::ranges::fill(seen_in_, 0);
    search_ = 1;
  }
}

void DynamicOrder::visit(Vertex v, Step step) {
  seen_in_[v] = search_;
  steps_[v] = step;
  forward_.push_back(v);
}

// Looks forward from `from`, no further than `to`'s place. Breadth first by inserted edges, whatever the
// number of known ones between them: the first path found has the fewest. Fills forward_ unless it finds
// `to`.
bool DynamicOrder::reaches(Vertex from, Vertex to) {
  start_search();
  forward_.clear();
  if (from == to) return true;
  visit(from, {.parent = from, .edge = kNone});
  const std::uint32_t last_place = rank_[to];
  std::size_t first_of_level = 0;
  while (first_of_level < forward_.size()) {
    for (std::size_t next = first_of_level; next < forward_.size(); ++next)
      if (follow_known(forward_[next], to)) return true;
    const std::size_t end_of_level = forward_.size();
    for (; first_of_level < end_of_level; ++first_of_level) {
      const Vertex v = forward_[first_of_level];
      for (std::uint32_t e = first_out_[v]; e != kNone; e = edges_[e].next_out) {
        const Vertex next = edges_[e].to;
        if (seen_in_[next] == search_ || rank_[next] > last_place) continue;
        visit(next, {.parent = v, .edge = e});
        if (next == to) return true;
      }
    }
  }
  vertices_visited_ += forward_.size();
  return false;
}

bool DynamicOrder::follow_known(Vertex v, Vertex goal) {
  budget_.poll(kPhase);
  const std::uint32_t last_place = rank_[goal];
  for (const Vertex next : known_.successors(v)) {
    if (seen_in_[next] == search_ || rank_[next] > last_place) continue;
    visit(next, {.parent = v, .edge = kNone});
    if (next == goal) return true;
  }
  return false;
}

void DynamicOrder::show_cycle(Vertex from, Vertex to) {
  vertices_visited_ += forward_.size();
  cycle_.clear();
  for (Vertex v = to; v != from; v = steps_[v].parent)
    if (steps_[v].edge != kNone) cycle_.push_back(edges_[steps_[v].edge].label);
  std::ranges::reverse(cycle_);
}

// What leads to `from` from no further back than `to`'s place. The search forward has shown that the two
// have no vertex in common, so its marks need not be told apart.
void DynamicOrder::search_back(Vertex from, Vertex to) {
  backward_.assign(1, from);
  seen_in_[from] = search_;
  const std::uint32_t first_place = rank_[to];
  const auto take = [&](Vertex previous) {
    if (seen_in_[previous] == search_ || rank_[previous] < first_place) return;
    seen_in_[previous] = search_;
    backward_.push_back(previous);
  };
  for (std::size_t next = 0; next < backward_.size(); ++next) {
    budget_.poll(kPhase);
    const Vertex v = backward_[next];
    for (const Vertex previous : reversed_.successors(v)) take(previous);
    for (std::uint32_t e = first_in_[v]; e != kNone; e = edges_[e].next_in) take(edges_[e].from);
  }
  vertices_visited_ += backward_.size();
}

// The places of both sets, refilled: first what leads to the new edge, then what it leads to, each as it
// stood.
void DynamicOrder::reorder() {
  ++reorderings_;
  const auto by_place = [this](Vertex a, Vertex b) { return rank_[a] < rank_[b]; };
  std::ranges::sort(backward_, by_place);
  std::ranges::sort(forward_, by_place);
  moved_.assign(backward_.begin(), backward_.end());
  moved_.insert(moved_.end(), forward_.begin(), forward_.end());
  places_.clear();
  for (const Vertex v : moved_) places_.push_back(rank_[v]);
  std::ranges::inplace_merge(places_, places_.end() - static_cast<std::ptrdiff_t>(forward_.size()));
  for (std::size_t i = 0; i < places_.size(); ++i) {
    rank_[moved_[i]] = places_[i];
    order_[places_[i]] = moved_[i];
  }
}

std::vector<Vertex> DynamicOrder::known_path(Vertex from, Vertex to) {
  start_search();
  forward_.clear();
  visit(from, {.parent = from, .edge = kNone});
  for (std::size_t next = 0; next < forward_.size() && seen_in_[to] != search_; ++next)
    if (follow_known(forward_[next], to)) break;
  if (seen_in_[to] != search_) return {};
  std::vector<Vertex> path{to};
  while (path.back() != from) path.push_back(steps_[path.back()].parent);
  std::ranges::reverse(path);
  return path;
}

}  // namespace serval
