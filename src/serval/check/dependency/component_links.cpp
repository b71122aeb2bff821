#include "serval/check/dependency/component_links.h"

#include <algorithm>
#include <map>

namespace serval {
namespace {

EdgeKind edge_kind(StepKind step) {
  switch (step) {
    case kWriteStep:
      return EdgeKind::WriteWrite;
    case kReadStep:
      return EdgeKind::WriteRead;
    case kAntiStep:
      return EdgeKind::ReadWrite;
    case kSessionStep:
      return EdgeKind::Session;
    case kTimeStep:
      return EdgeKind::RealTime;
    case kFreeStep:
      break;
  }
  broken_contract("a step between two transactions", __FILE__, __LINE__);
}

// A register's write dependency that is derived from the read before the write is that read dependency.
bool is_shown_write_dependency(const Edge& edge) {
  return edge.kind == EdgeKind::WriteWrite && edge.to_read.is_none();
}

}  // namespace

ComponentLinks::ComponentLinks(const History& history, const ExplainEdge& explain, GraphShape shape,
                               const CsrGraph& graph, std::span<const Vertex> vertices,
                               std::vector<Vertex>& position)
    : history_(history), explain_(explain), shape_(shape) {
  collect_members(vertices, position);
  collect_orders();
  collect_links(graph, vertices, position);
  if (shape.session_order) add_session_shortcuts();
  for (const TransactionId t : members_) position[t.index] = kAbsent;
}

void ComponentLinks::collect_members(std::span<const Vertex> vertices, std::vector<Vertex>& position) {
  const VertexMap map(shape_);
  for (const Vertex v : vertices) {
    if (map.is_helper(v, history_.transaction_count())) continue;
    const TransactionId t = map.transaction(v);
    if (members_.empty() || members_.back() != t) members_.push_back(t);
  }
  steps_.size = static_cast<Vertex>(members_.size());
  for (Vertex member = 0; member < members_.size(); ++member) position[members_[member].index] = member;
}

void ComponentLinks::collect_orders() {
  for (const TransactionId t : members_) {
    if (shape_.session_order) steps_.session.push_back(history_.session(t).index);
    if (!shape_.real_time) continue;
    steps_.begin.push_back(history_.interval(t).begin);
    steps_.end.push_back(history_.outcome(t) == Outcome::Committed ? history_.interval(t).end : kUnknownEnd);
  }
}

void ComponentLinks::collect_links(const CsrGraph& graph, std::span<const Vertex> vertices,
                                   std::vector<Vertex>& position) {
  const VertexMap map(shape_);
  const auto is_helper = [&](Vertex v) { return map.is_helper(v, history_.transaction_count()); };
  // Helpers come after all transactions, both in the component and in the graph.
  const auto first_helper = std::ranges::find_if(vertices, is_helper);
  const std::span<const Vertex> helpers(first_helper, vertices.end());
  const auto local = [&](Vertex v) {
    if (!is_helper(v)) return position[map.transaction(v).index];
    const auto found = std::ranges::lower_bound(helpers, v);
    if (found == helpers.end() || *found != v) return kAbsent;
    return static_cast<Vertex>(members_.size()) + static_cast<Vertex>(found - helpers.begin());
  };
  for (const Vertex v : vertices) {
    const Vertex from = local(v);
    for (const Vertex next : graph.successors(v)) {
      const Vertex to = local(next);
      if (to != kAbsent && to != from) steps_.links.push_back({from, to, 0});
    }
  }
  steps_.helpers = static_cast<Vertex>(helpers.size());
  steps_.size += steps_.helpers;
  std::sort(steps_.links.begin(), steps_.links.end());
  const auto same = [](const Link& a, const Link& b) { return a.from == b.from && a.to == b.to; };
  steps_.links.erase(std::unique(steps_.links.begin(), steps_.links.end(), same), steps_.links.end());
  for (Link& link : steps_.links) link.kinds = kinds_of(link.from, link.to);
  std::erase_if(steps_.links, [](const Link& link) { return link.kinds == 0; });
}

// Readers reach the writers that they missed through helpers.
StepKinds ComponentLinks::kinds_of(Vertex from, Vertex to) const {
  if (steps_.is_helper(from)) return kFreeStep;
  if (steps_.is_helper(to)) return kAntiStep;
  return kinds_of(members_[from], members_[to]);
}

StepKinds ComponentLinks::kinds_of(TransactionId from, TransactionId to) const {
  StepKinds kinds = 0;
  const GraphShape shape{.session_order = shape_.session_order};
  for (const Edge& edge : explain_(shape, from, to)) {
    if (is_shown_write_dependency(edge)) kinds |= kWriteStep;
    if (edge.kind == EdgeKind::WriteRead) kinds |= kReadStep;
    if (edge.kind == EdgeKind::ReadWrite) kinds |= kAntiStep;
    if (edge.kind == EdgeKind::Session && (kinds & (kWriteStep | kReadStep)) == 0) kinds |= kSessionStep;
  }
  return kinds;
}

StepKinds ComponentLinks::kinds_between(Vertex from, Vertex to) const {
  StepKinds kinds = kinds_of(members_[from], members_[to]);
  if (shape_.real_time && steps_.has_time_step(from, to)) kinds |= kTimeStep;
  return kinds;
}

// Session order is transitive: adds a step from each member to every later member of its session, so
// that a cycle need not visit the session one by one. Skipped if there would be too many.
void ComponentLinks::add_session_shortcuts() {
  constexpr std::size_t kMaxLinks = 2'000'000;
  std::map<SessionId, std::vector<Vertex>> by_session;
  for (Vertex member = 0; member < members_.size(); ++member)
    by_session[history_.session(members_[member])].push_back(member);
  std::size_t extra = 0;
  for (const auto& [session, rows] : by_session) extra += rows.size() * rows.size() / 2;
  if (extra > kMaxLinks) return;
  std::vector<Link> shortcuts;
  for (const auto& [session, rows] : by_session)
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = i + 2; j < rows.size(); ++j)
        if ((steps_.kinds(rows[i], rows[j]) & (kWriteStep | kReadStep | kSessionStep)) == 0)
          shortcuts.push_back({rows[i], rows[j], kSessionStep});
  for (const Link& link : shortcuts) steps_.links.push_back(link);
  std::sort(steps_.links.begin(), steps_.links.end());
  std::vector<Link> merged;
  for (const Link& link : steps_.links) {
    if (!merged.empty() && merged.back().from == link.from && merged.back().to == link.to)
      merged.back().kinds |= link.kinds;
    else
      merged.push_back(link);
  }
  steps_.links = std::move(merged);
}

std::vector<Edge> ComponentLinks::edges(Vertex from, Vertex to, EdgeKind kind) const {
  std::vector<Edge> out = explain_({.session_order = true}, members_[from], members_[to]);
  std::erase_if(out, [kind](const Edge& edge) {
    return edge.kind != kind || (kind == EdgeKind::WriteWrite && !is_shown_write_dependency(edge));
  });
  return out;
}

Edge ComponentLinks::edge(Vertex from, Vertex to, StepKind kind) const {
  if (kind == kTimeStep) return {members_[from], members_[to], EdgeKind::RealTime};
  if (kind == kSessionStep) return {members_[from], members_[to], EdgeKind::Session};
  const std::vector<Edge> found = edges(from, to, edge_kind(kind));
  expects(!found.empty(), "every step of a cycle has a reason");
  return found.front();
}

}  // namespace serval
