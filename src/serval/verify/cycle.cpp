#include <algorithm>

#include <fmt/format.h>

#include "serval/history/notation.h"
#include "serval/verify/name.h"
#include "serval/verify/violation.h"

// Each edge of a cycle is proven separately, as EdgeKind documents it. A version, once overwritten,
// never returns, because at most one live transaction wrote it; so a shared version implies an order.

namespace serval::verify {
namespace {

std::string formatted(const Facts& facts, OperationId op) { return print_operation(facts.history(), op); }

Flaw flaw_of_version(const Facts& facts, TransactionId reader, OperationId read, OperationId version) {
  const std::optional<OperationId> seen = facts.version_read(read);
  if (!seen)
    return fmt::format("it is not certain which version {} of {} saw", formatted(facts, read),
                       name(facts.history(), reader));
  if (*seen == version) return std::nullopt;
  return fmt::format("{} of {} saw {}, not {}", formatted(facts, read), name(facts.history(), reader),
                     seen->is_none() ? "the initial version" : formatted(facts, *seen),
                     version.is_none() ? "the initial version" : formatted(facts, version));
}

Flaw flaw_of_reads_from(const Facts& facts, const Edge& edge, OperationId read) {
  if (Flaw flaw = flaw_of_write(facts, edge.from, edge.key, edge.from_op)) return flaw;
  if (Flaw flaw = flaw_of_read(facts, edge.to, edge.key, read)) return flaw;
  if (facts.version_read(read) == std::optional(edge.from_op)) return std::nullopt;
  const History& history = facts.history();
  return fmt::format("{} does not certainly read what {} wrote on {} ({} and {})", name(history, edge.to),
                     name(history, edge.from), history.format_key(edge.key), formatted(facts, read),
                     formatted(facts, edge.from_op));
}

// An edge whose version order rests on an assumption.
Flaw flaw_of_assumed(const Facts& facts, const Edge& edge) {
  if (!edge.to_read.is_none()) return "an edge that rests on both a read and an assumption";
  if (Flaw flaw = flaw_of_write(facts, edge.to, edge.key, edge.to_op)) return flaw;
  if (edge.kind == EdgeKind::WriteWrite) {
    if (Flaw flaw = flaw_of_write(facts, edge.from, edge.key, edge.from_op)) return flaw;
    return flaw_of_precedence(facts, edge.key,
                              {edge.from_op, edge.to_op, edge.basis, edge.seen_earlier, edge.seen_later});
  }
  if (Flaw flaw = flaw_of_read(facts, edge.from, edge.key, edge.from_op)) return flaw;
  const std::optional<OperationId> version = facts.version_read(edge.from_op);
  if (!version) return flaw_of_version(facts, edge.from, edge.from_op, OperationId::none());
  return flaw_of_precedence(facts, edge.key,
                            {*version, edge.to_op, edge.basis, edge.seen_earlier, edge.seen_later});
}

Flaw flaw_of_write_write(const Facts& facts, const Edge& edge) {
  if (edge.to_read.is_none()) {
    if (Flaw flaw = flaw_of_write(facts, edge.from, edge.key, edge.from_op)) return flaw;
    if (Flaw flaw = flaw_of_write(facts, edge.to, edge.key, edge.to_op)) return flaw;
    return flaw_of_append_order(facts, edge.from_op, edge.to_op);
  }
  if (Flaw flaw = flaw_of_reads_from(facts, edge, edge.to_read)) return flaw;
  return flaw_of_write(facts, edge.to, edge.key, edge.to_op);
}

Flaw flaw_of_read_write(const Facts& facts, const Edge& edge) {
  if (Flaw flaw = flaw_of_read(facts, edge.from, edge.key, edge.from_op)) return flaw;
  if (Flaw flaw = flaw_of_write(facts, edge.to, edge.key, edge.to_op)) return flaw;
  if (facts.is_list(edge.key)) return flaw_of_missed_append(facts, edge.from_op, edge.to_op);
  if (edge.to_read.is_none()) return flaw_of_version(facts, edge.from, edge.from_op, OperationId::none());
  if (Flaw flaw = flaw_of_read(facts, edge.to, edge.key, edge.to_read)) return flaw;
  const std::optional<OperationId> version = facts.version_read(edge.to_read);
  if (!version) return flaw_of_version(facts, edge.to, edge.to_read, OperationId::none());
  return flaw_of_version(facts, edge.from, edge.from_op, *version);
}

Flaw flaw_of_session(const Facts& facts, const Edge& edge) {
  const History& history = facts.history();
  if (history.session(edge.from) != history.session(edge.to))
    return fmt::format("{} and {} are in different sessions", name(history, edge.from),
                       name(history, edge.to));
  if (facts.session_position(edge.from) < facts.session_position(edge.to)) return std::nullopt;
  return fmt::format("{} does not precede {} in its session", name(history, edge.from),
                     name(history, edge.to));
}

Flaw flaw_of_real_time(const Facts& facts, const Edge& edge) {
  const History& history = facts.history();
  if (history.outcome(edge.from) != Outcome::Committed)
    return fmt::format("{} is indeterminate, so its end is unknown", name(history, edge.from));
  if (history.interval(edge.from).end < history.interval(edge.to).begin) return std::nullopt;
  return fmt::format("{} did not end before {} began", name(history, edge.from), name(history, edge.to));
}

// Two writes of a key, and a read that saw the second. The visibility path shows that the first was
// visible to the reader.
Flaw flaw_of_forced(const Facts& facts, const Edge& edge) {
  if (Flaw flaw = flaw_of_write(facts, edge.from, edge.key, edge.from_op)) return flaw;
  if (Flaw flaw = flaw_of_write(facts, edge.to, edge.key, edge.to_op)) return flaw;
  if (edge.to_read.index >= facts.history().operation_count()) return "cites no read";
  const TransactionId reader = facts.history().transaction_of(edge.to_read);
  if (Flaw flaw = flaw_of_participation(facts, reader)) return flaw;
  if (Flaw flaw = flaw_of_read(facts, reader, edge.key, edge.to_read)) return flaw;
  return flaw_of_version(facts, reader, edge.to_read, edge.to_op);
}

}  // namespace

Flaw flaw_of_edge(const Facts& facts, const Edge& edge) {
  for (const TransactionId t : {edge.from, edge.to})
    if (Flaw flaw = flaw_of_participation(facts, t)) return flaw;
  // A transaction whose effects were read earlier in its own session misses, in its read, what it writes
  // itself.
  const bool misses_itself = edge.kind == EdgeKind::ReadWrite && edge.to_read.is_none();
  if (edge.from == edge.to && !misses_itself)
    return fmt::format("{} leads to itself", name(facts.history(), edge.from));
  if (edge.basis != OrderBasis::Reads &&
      (edge.kind == EdgeKind::WriteWrite || edge.kind == EdgeKind::ReadWrite))
    return flaw_of_assumed(facts, edge);
  switch (edge.kind) {
    case EdgeKind::WriteWrite:
      return flaw_of_write_write(facts, edge);
    case EdgeKind::WriteRead:
      return flaw_of_reads_from(facts, edge, edge.to_op);
    case EdgeKind::ReadWrite:
      return flaw_of_read_write(facts, edge);
    case EdgeKind::Session:
      return flaw_of_session(facts, edge);
    case EdgeKind::RealTime:
      return flaw_of_real_time(facts, edge);
    case EdgeKind::CommitOrder:
      return flaw_of_forced(facts, edge);
  }
  return "an edge of an unknown kind";
}

namespace {

Flaw flaw_of_closing(const Facts& facts, const Cycle& cycle) {
  for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
    const Edge& edge = cycle.edges[i];
    const Edge& next = cycle.edges[(i + 1) % cycle.edges.size()];
    if (edge.to != next.from)
      return fmt::format("does not close: edge {} ends at {}, the next begins at {}", i + 1,
                         name(facts.history(), edge.to), name(facts.history(), next.from));
  }
  return std::nullopt;
}

Flaw flaw_of_visibility_path(const Facts& facts, const Cycle& cycle, const VisibilityPath& visibility_path) {
  if (visibility_path.edge >= cycle.edges.size() ||
      cycle.edges[visibility_path.edge].kind != EdgeKind::CommitOrder)
    return "a visibility path needs an edge of the commit order";
  const Edge& forced = cycle.edges[visibility_path.edge];
  TransactionId at = forced.from;
  for (const Edge& edge : visibility_path.path) {
    if (edge.kind != EdgeKind::Session && edge.kind != EdgeKind::WriteRead)
      return "a visibility path consists of session order and reads";
    if (edge.from != at) return "the edges of a visibility path do not connect";
    if (Flaw flaw = flaw_of_edge(facts, edge)) return flaw;
    at = edge.to;
  }
  if (!visibility_path.path.empty() && at == facts.history().transaction_of(forced.to_read))
    return std::nullopt;
  return fmt::format("the visibility path does not lead to the reader of edge {}", visibility_path.edge + 1);
}

// One path for each CommitOrder edge.
Flaw flaw_of_visibility_paths(const Facts& facts, const Cycle& cycle) {
  std::vector<std::size_t> shown;
  for (const VisibilityPath& visibility_path : cycle.visibility_paths) {
    if (Flaw flaw = flaw_of_visibility_path(facts, cycle, visibility_path)) return flaw;
    shown.push_back(visibility_path.edge);
  }
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < cycle.edges.size(); ++i)
    if (cycle.edges[i].kind == EdgeKind::CommitOrder) wanted.push_back(i);
  return shown == wanted ? std::nullopt : Flaw("an edge of the commit order lacks its visibility path");
}

}  // namespace

Flaw flaw_of(const Facts& facts, AnomalyKind kind, const Cycle& claim) {
  if (claim.edges.empty()) return "a cycle without edges";
  if (std::ranges::all_of(claim.edges, [](const Edge& edge) { return edge.from == edge.to; }))
    return "a cycle of one transaction";
  for (std::size_t i = 0; i < claim.edges.size(); ++i)
    if (const Flaw flaw = flaw_of_edge(facts, claim.edges[i]))
      return fmt::format("edge {}: {}", i + 1, *flaw);
  if (Flaw flaw = flaw_of_closing(facts, claim)) return flaw;
  if (Flaw flaw = flaw_of_visibility_paths(facts, claim)) return flaw;
  return claim.visibility_paths.empty() ? flaw_of_name(kind, claim) : flaw_of_forced_name(kind, claim);
}

Flaw flaw_of(const Facts& facts, AnomalyKind kind, const Divergence& claim) {
  if (kind != AnomalyKind::LostUpdate) return fmt::format("a divergence does not show {}", name_of(kind));
  if (claim.first.transaction == claim.second.transaction) return "both branches are one transaction";
  if (is_of_inserts(facts, claim)) return flaw_of_repeated_inserts(facts, claim);
  for (const Divergence::Branch& branch : {claim.first, claim.second}) {
    if (Flaw flaw = flaw_of_participation(facts, branch.transaction)) return flaw;
    if (Flaw flaw = flaw_of_read(facts, branch.transaction, claim.key, branch.read)) return flaw;
    if (Flaw flaw = flaw_of_write(facts, branch.transaction, claim.key, branch.write)) return flaw;
    if (Flaw flaw = flaw_of_version(facts, branch.transaction, branch.read, claim.version)) return flaw;
  }
  return std::nullopt;
}

}  // namespace serval::verify
