#include "serval/check/component_links.h"

#include <algorithm>
#include <map>

namespace serval {
namespace {

bool pair_less(const Link& a, const Link& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); }

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
  }
  broken_contract("a kind of step", __FILE__, __LINE__);
}

// A register's write dependency that rests on the read before the write is that read dependency.
bool is_shown_write_dependency(const Edge& edge) {
  return edge.kind == EdgeKind::WriteWrite && edge.to_read.is_none();
}

}  // namespace

ComponentLinks::ComponentLinks(const History& history, const Relations& relations, GraphShape shape,
                               const CsrGraph& graph, std::span<const Vertex> vertices,
                               std::vector<Vertex>& position)
    : history_(history), relations_(relations), shape_(shape) {
  collect_members(vertices, position);
  collect_links(graph, vertices, position);
  if (shape.session_order) add_session_shortcuts();
  for (const TransactionId t : members_) position[t.index] = kAbsent;
  for (const Link& link : links_) present_ |= link.kinds;
}

void ComponentLinks::collect_members(std::span<const Vertex> vertices, std::vector<Vertex>& position) {
  const VertexMap map(shape_);
  for (const Vertex v : vertices) {
    const TransactionId t = map.transaction(v);
    if (members_.empty() || members_.back() != t) members_.push_back(t);
  }
  for (Vertex member = 0; member < members_.size(); ++member) position[members_[member].index] = member;
}

void ComponentLinks::collect_links(const CsrGraph& graph, std::span<const Vertex> vertices,
                                   std::vector<Vertex>& position) {
  const VertexMap map(shape_);
  for (const Vertex v : vertices) {
    const Vertex from = position[map.transaction(v).index];
    for (const Vertex next : graph.successors(v)) {
      const Vertex to = position[map.transaction(next).index];
      if (to != kAbsent && to != from) links_.push_back({from, to, 0});
    }
  }
  std::ranges::sort(links_, pair_less);
  const auto same = [](const Link& a, const Link& b) { return a.from == b.from && a.to == b.to; };
  links_.erase(std::unique(links_.begin(), links_.end(), same), links_.end());
  for (Link& link : links_) link.kinds = kinds_of(members_[link.from], members_[link.to]);
  std::erase_if(links_, [](const Link& link) { return link.kinds == 0; });
}

StepKinds ComponentLinks::kinds_of(TransactionId from, TransactionId to) const {
  StepKinds kinds = 0;
  const GraphShape shape{.session_order = shape_.session_order};
  for (const Edge& edge : explain_edge(history_, relations_, shape, from, to)) {
    if (is_shown_write_dependency(edge)) kinds |= kWriteStep;
    if (edge.kind == EdgeKind::WriteRead) kinds |= kReadStep;
    if (edge.kind == EdgeKind::ReadWrite) kinds |= kAntiStep;
    if (edge.kind == EdgeKind::Session && (kinds & (kWriteStep | kReadStep)) == 0) kinds |= kSessionStep;
  }
  return kinds;
}

// Session order is transitive: a step from each member to every later member of its session, so that a cycle
// need not walk through the session one by one. Skipped where there would be too many.
void ComponentLinks::add_session_shortcuts() {
  constexpr std::size_t kMostLinks = 2'000'000;
  std::map<SessionId, std::vector<Vertex>> by_session;
  for (Vertex member = 0; member < members_.size(); ++member)
    by_session[history_.session(members_[member])].push_back(member);
  std::size_t extra = 0;
  for (const auto& [session, rows] : by_session) extra += rows.size() * rows.size() / 2;
  if (extra > kMostLinks) return;
  std::vector<Link> shortcuts;
  for (const auto& [session, rows] : by_session)
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = i + 2; j < rows.size(); ++j)
        if ((kinds(rows[i], rows[j]) & (kWriteStep | kReadStep | kSessionStep)) == 0)
          shortcuts.push_back({rows[i], rows[j], kSessionStep});
  for (const Link& link : shortcuts) links_.push_back(link);
  std::ranges::sort(links_, pair_less);
  std::vector<Link> merged;
  for (const Link& link : links_) {
    if (!merged.empty() && merged.back().from == link.from && merged.back().to == link.to)
      merged.back().kinds |= link.kinds;
    else
      merged.push_back(link);
  }
  links_ = std::move(merged);
}

StepKinds ComponentLinks::kinds(Vertex from, Vertex to) const {
  const auto found = std::ranges::lower_bound(links_, Link{from, to, 0}, pair_less);
  return found != links_.end() && found->from == from && found->to == to ? found->kinds : StepKinds{0};
}

Time ComponentLinks::end(Vertex member) const {
  const TransactionId t = members_[member];
  return history_.outcome(t) == Outcome::Committed ? history_.interval(t).end : kUnknownEnd;
}

bool ComponentLinks::precedes_in_time_only(Vertex a, Vertex b) const {
  const bool same_session =
      shape_.session_order && history_.session(members_[a]) == history_.session(members_[b]);
  return end(a) < begin(b) && !same_session && (kinds(a, b) & (kWriteStep | kReadStep)) == 0;
}

std::vector<Edge> ComponentLinks::edges(Vertex from, Vertex to, EdgeKind kind) const {
  std::vector<Edge> out =
      explain_edge(history_, relations_, {.session_order = true}, members_[from], members_[to]);
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
