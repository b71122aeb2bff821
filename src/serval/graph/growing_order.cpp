#include "serval/graph/growing_order.h"

#include <algorithm>

#include "serval/base/contract.h"

namespace serval {

struct GrowingOrder::AllEdges {
  const GrowingOrder& order;

  bool any_free(Vertex, auto&&) const { return false; }
  bool any_numbered(Vertex v, auto&& take) const {
    for (std::uint32_t e = order.vertices_[v].first_out; e != kNone; e = order.edges_[e].next_out)
      if (take(order.edges_[e].to, e)) return true;
    return false;
  }
  void each_previous(Vertex v, auto&& take) const {
    for (std::uint32_t e = order.vertices_[v].first_in; e != kNone; e = order.edges_[e].next_in)
      if (order.edges_[e].from != kNone) take(order.edges_[e].from);
  }
};

Vertex GrowingOrder::add() {
  Vertex vertex = 0;
  if (free_vertices_.empty()) {
    vertex = static_cast<Vertex>(vertices_.size());
    vertices_.emplace_back();
    repair_.resize(vertices_.size());
  } else {
    vertex = free_vertices_.back();
    free_vertices_.pop_back();
    vertices_[vertex] = {};
  }
  repair_.place(vertex, next_rank_++);
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
  if (repair_.rank(from) >= repair_.rank(to)) {
    const AllEdges edges{*this};
    const bool is_cycle = repair_.find_path(edges, to, from);
    visited_ += repair_.reached().size();
    if (is_cycle) {
      show_path(to, from);
      return false;
    }
    repair_.move(edges, from, to);
    visited_ += repair_.moved().size();
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

void GrowingOrder::show_path(Vertex from, Vertex to) {
  path_.clear();
  for (Vertex at = to; at != from; at = repair_.step(at).from) {
    const Edge& edge = edges_[repair_.step(at).edge];
    path_.push_back({edge.from, edge.to, edge.label});
  }
  std::ranges::reverse(path_);
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
  return vertices_.capacity() * sizeof(VertexData) + edges_.capacity() * sizeof(Edge) + repair_.bytes() +
         (free_vertices_.capacity() + free_edges_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace serval
