#include "serval/graph/growing_order.h"

#include <algorithm>

#include "serval/base/contract.h"

namespace serval {

Vertex GrowingOrder::add() {
  Vertex vertex = 0;
  if (free_vertices_.empty()) {
    vertex = static_cast<Vertex>(vertices_.size());
    vertices_.emplace_back();
  } else {
    vertex = free_vertices_.back();
    free_vertices_.pop_back();
    const std::uint32_t seen_in = vertices_[vertex].seen_in;
    vertices_[vertex] = {};
    vertices_[vertex].seen_in = seen_in;
  }
  vertices_[vertex].rank = next_rank_++;
  return vertex;
}

void GrowingOrder::link(Vertex from, Vertex to, std::uint64_t label) {
  std::uint32_t edge = 0;
  if (free_edges_.empty()) {
    edge = static_cast<std::uint32_t>(edges_.size());
    edges_.emplace_back();
  } else {
    edge = free_edges_.back();
    free_edges_.pop_back();
  }
  VertexData& source = vertices_[from];
  VertexData& target = vertices_[to];
  edges_[edge] = {from, to, source.first_out, target.first_in, label};
  source.first_out = target.first_in = edge;
  ++target.in_degree;
}

bool GrowingOrder::insert(Vertex from, Vertex to, std::uint64_t label) {
  if (from == to) {
    path_.clear();
    return false;
  }
  if (vertices_[from].rank > vertices_[to].rank) {
    start_search();
    if (search_forward(to, from)) {
      show_path(to, from);
      return false;
    }
    search_back(from, vertices_[to].rank);
    reorder();
  }
  link(from, to, label);
  return true;
}

bool GrowingOrder::erase(Vertex from, Vertex to, std::uint64_t label) {
  std::uint32_t edge = vertices_[from].first_out;
  while (edge != kNone && (edges_[edge].to != to || edges_[edge].label != label))
    edge = edges_[edge].next_out;
  if (edge == kNone) return false;
  unlink(edge);
  return true;
}

void GrowingOrder::unlink(std::uint32_t edge) {
  std::uint32_t* out = &vertices_[edges_[edge].from].first_out;
  while (*out != edge) out = &edges_[*out].next_out;
  *out = edges_[edge].next_out;
  std::uint32_t* in = &vertices_[edges_[edge].to].first_in;
  while (*in != edge) in = &edges_[*in].next_in;
  *in = edges_[edge].next_in;
  --vertices_[edges_[edge].to].in_degree;
  free_edges_.push_back(edge);
}

void GrowingOrder::start_search() {
  if (++search_ == 0) {  // Once in four billion searches.
    for (VertexData& vertex : vertices_) vertex.seen_in = 0;
    search_ = 1;
  }
  forward_.clear();
  backward_.clear();
}

// All that `from` reaches without passing the goal's rank.
bool GrowingOrder::search_forward(Vertex from, Vertex goal) {
  const std::uint64_t highest = vertices_[goal].rank;
  vertices_[from].seen_in = search_;
  vertices_[from].found_by = kNone;
  forward_.push_back(from);
  for (std::size_t next = 0; next < forward_.size(); ++next) {
    ++visited_;
    for (std::uint32_t e = vertices_[forward_[next]].first_out; e != kNone; e = edges_[e].next_out) {
      VertexData& target = vertices_[edges_[e].to];
      if (target.seen_in == search_ || target.rank > highest) continue;
      target.seen_in = search_;
      target.found_by = e;
      if (edges_[e].to == goal) return true;
      forward_.push_back(edges_[e].to);
    }
  }
  return false;
}

void GrowingOrder::search_back(Vertex from, std::uint64_t lowest) {
  vertices_[from].seen_in = search_;
  backward_.push_back(from);
  for (std::size_t next = 0; next < backward_.size(); ++next) {
    ++visited_;
    for (std::uint32_t e = vertices_[backward_[next]].first_in; e != kNone; e = edges_[e].next_in) {
      if (edges_[e].from == kNone) continue;
      VertexData& source = vertices_[edges_[e].from];
      if (source.seen_in == search_ || source.rank < lowest) continue;
      source.seen_in = search_;
      backward_.push_back(edges_[e].from);
    }
  }
}

void GrowingOrder::show_path(Vertex from, Vertex to) {
  path_.clear();
  for (Vertex at = to; at != from;) {
    const Edge& edge = edges_[vertices_[at].found_by];
    path_.push_back({edge.from, edge.to, edge.label});
    at = edge.from;
  }
  std::ranges::reverse(path_);
}

// What reaches the edge's source comes first, then what its target reaches, on the places that both had.
void GrowingOrder::reorder() {
  const auto by_rank = [this](Vertex a, Vertex b) { return vertices_[a].rank < vertices_[b].rank; };
  std::ranges::sort(forward_, by_rank);
  std::ranges::sort(backward_, by_rank);
  backward_.insert(backward_.end(), forward_.begin(), forward_.end());
  ranks_.clear();
  for (const Vertex v : backward_) ranks_.push_back(vertices_[v].rank);
  std::ranges::sort(ranks_);
  for (std::size_t i = 0; i < backward_.size(); ++i) vertices_[backward_[i]].rank = ranks_[i];
}

void GrowingOrder::remove(Vertex vertex, std::vector<Vertex>& freed) {
  VertexData& removed = vertices_[vertex];
  expects(removed.in_degree == 0, "only what nothing leads to is removed");
  for (std::uint32_t e = removed.first_in; e != kNone;) {
    free_edges_.push_back(e);
    e = edges_[e].next_in;
  }
  for (std::uint32_t e = removed.first_out; e != kNone; e = edges_[e].next_out) {
    edges_[e].from = kNone;
    if (--vertices_[edges_[e].to].in_degree == 0) freed.push_back(edges_[e].to);
  }
  removed.first_in = removed.first_out = kNone;
  free_vertices_.push_back(vertex);
}

std::size_t GrowingOrder::bytes() const noexcept {
  return vertices_.capacity() * sizeof(VertexData) + edges_.capacity() * sizeof(Edge) +
         (free_vertices_.capacity() + free_edges_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace serval
