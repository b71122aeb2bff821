#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "serval/history/notation.h"
#include "serval/verify/name.h"
#include "serval/verify/violation.h"

// A proof by cases: each question is one that every order must answer, all its answers are present, and
// each case ends in a cycle of edges that are certain or follow from the answers given so far.

namespace serval::verify {
namespace {

constexpr std::array kKinds{AnomalyKind::NoPrefixOrder,          AnomalyKind::NoSnapshotOrder,
                            AnomalyKind::NoSnapshotOrderSession, AnomalyKind::NoSnapshotOrderRealTime,
                            AnomalyKind::NoSerialOrder,          AnomalyKind::NoSerialOrderSession,
                            AnomalyKind::NoSerialOrderRealTime};

// In the current case `earlier` precedes `later`, or `read` saw `earlier`, none() being the initial
// version.
struct Given {
  OperationId read = OperationId::none();
  OperationId earlier, later = OperationId::none();
};

class Cases {
 public:
  Cases(const Facts& facts, const Contradiction& claim) : facts_(facts), claim_(claim) {}

  Flaw flaw(std::uint32_t index) {
    const Contradiction::Node& node = claim_.nodes[index];
    if (!node.cycle.empty()) return flaw_of_cycle(node);
    if (Flaw flaw = node.read.is_none() ? flaw_of_order_question(node) : flaw_of_source_question(node))
      return fmt::format("question {}: {}", index + 1, *flaw);
    if (node.cases.size() != node.writes.size()) return "a question without a case for each answer";
    for (std::size_t i = 0; i < node.cases.size(); ++i) {
      if (node.cases[i] <= index || node.cases[i] >= claim_.nodes.size()) return "a case that leads nowhere";
      given_.push_back(node.read.is_none() ? Given{OperationId::none(), node.writes[i], node.writes[1 - i]}
                                           : Given{node.read, node.writes[i]});
      if (Flaw flaw = this->flaw(node.cases[i])) return flaw;
      given_.pop_back();
    }
    return std::nullopt;
  }

 private:
  const History& history() const { return facts_.history(); }

  // Whether it is the version that its transaction left behind.
  Flaw flaw_of_version(OperationId write) const {
    if (write.index >= history().operation_count()) return "cites a write that does not exist";
    const TransactionId t = history().transaction_of(write);
    if (Flaw flaw = flaw_of_participation(facts_, t)) return flaw;
    if (Flaw flaw = flaw_of_write(facts_, t, history().key(write), write)) return flaw;
    if (history().kind(write) != OperationKind::Append && !facts_.is_final_write(write))
      return fmt::format("{} is not what its transaction left behind", print_operation(history(), write));
    return std::nullopt;
  }

  // One of two versions of a key comes first.
  Flaw flaw_of_order_question(const Contradiction::Node& node) const {
    if (node.writes.size() != 2) return "an order of other than two writes";
    for (const OperationId write : node.writes)
      if (Flaw flaw = flaw_of_version(write)) return flaw;
    if (history().key(node.writes[0]) != history().key(node.writes[1])) return "writes of different keys";
    if (history().transaction_of(node.writes[0]) == history().transaction_of(node.writes[1]))
      return "two writes of one transaction";
    return std::nullopt;
  }

  // The answers contain everything that the read may have seen: counted, so that none is missing.
  Flaw flaw_of_source_question(const Contradiction::Node& node) const {
    if (node.read.index >= history().operation_count()) return "cites a read that does not exist";
    const TransactionId reader = history().transaction_of(node.read);
    const KeyId key = history().key(node.read);
    if (Flaw flaw = flaw_of_participation(facts_, reader)) return flaw;
    if (Flaw flaw = flaw_of_read(facts_, reader, key, node.read)) return flaw;
    if (facts_.is_list(key) || facts_.opaque(key)) return "a read whose possible sources are unknown";
    if (!facts_.own_write_before(node.read).is_none()) return "a read of the transaction's own write";
    const Value value = *value_read(history(), node.read);
    std::vector<OperationId> sources = node.writes;
    std::ranges::sort(sources);
    if (std::ranges::adjacent_find(sources) != sources.end()) return "a source is named twice";
    const bool initial = !sources.empty() && sources.back().is_none();
    if (initial) sources.pop_back();
    if (may_be_initial(facts_.history(), value) && !initial)
      return "the initial version is not among the sources";
    for (const OperationId source : sources) {
      if (Flaw flaw = flaw_of_version(source)) return flaw;
      if (history().key(source) != key || value_written(history(), source) != std::optional(value) ||
          history().transaction_of(source) == reader)
        return fmt::format("{} cannot have been read", print_operation(history(), source));
    }
    if (facts_.final_writers_besides(reader, key, value) != sources.size())
      return "not every transaction that wrote the value is among the sources";
    return std::nullopt;
  }

  Flaw flaw_of_cycle(const Contradiction::Node& node) const {
    for (std::size_t i = 0; i < node.cycle.size(); ++i) {
      const Edge& edge = node.cycle[i];
      if (edge.to != node.cycle[(i + 1) % node.cycle.size()].from) return "a cycle that does not close";
      if (edge.from == edge.to) return "an edge that leads to itself";
      if (Flaw flaw = edge.basis == OrderBasis::Case ? flaw_of_given(edge) : flaw_of_edge(facts_, edge))
        return fmt::format("edge {} of a cycle: {}", i + 1, *flaw);
    }
    return std::nullopt;
  }

  bool is_given(const Given& wanted) const {
    return std::ranges::any_of(given_, [&](const Given& one) {
      return one.read == wanted.read && one.earlier == wanted.earlier && one.later == wanted.later;
    });
  }
  bool saw(OperationId read, OperationId write) const {
    return facts_.version_read(read) == std::optional(write) || is_given({read, write});
  }

  Flaw flaw_of_given(const Edge& edge) const {
    if (!edge.to_read.is_none()) return "an edge that rests on both a read and a case";
    switch (edge.kind) {
      case EdgeKind::WriteWrite:
        if (Flaw flaw = flaw_of_write(facts_, edge.from, edge.key, edge.from_op)) return flaw;
        if (Flaw flaw = flaw_of_write(facts_, edge.to, edge.key, edge.to_op)) return flaw;
        if (is_given({OperationId::none(), edge.from_op, edge.to_op})) return std::nullopt;
        return "an order that the case does not give";
      case EdgeKind::WriteRead:
        if (Flaw flaw = flaw_of_write(facts_, edge.from, edge.key, edge.from_op)) return flaw;
        if (Flaw flaw = flaw_of_read(facts_, edge.to, edge.key, edge.to_op)) return flaw;
        if (is_given({edge.to_op, edge.from_op})) return std::nullopt;
        return "a source that the case does not give";
      case EdgeKind::ReadWrite:
        return flaw_of_missed(edge);
      default:
        return "an order that no case gives";
    }
  }

  // The version read precedes the write: by an answer, or because it is the initial version.
  Flaw flaw_of_missed(const Edge& edge) const {
    if (Flaw flaw = flaw_of_read(facts_, edge.from, edge.key, edge.from_op)) return flaw;
    if (Flaw flaw = flaw_of_write(facts_, edge.to, edge.key, edge.to_op)) return flaw;
    if (facts_.is_list(edge.key)) return "a list, whose order is shown by its reads";
    if (is_given({edge.from_op, OperationId::none()})) return std::nullopt;
    const bool overwritten = std::ranges::any_of(given_, [&](const Given& one) {
      return one.read.is_none() && one.later == edge.to_op && saw(edge.from_op, one.earlier);
    });
    return overwritten ? std::nullopt : Flaw("an order of versions that the case does not give");
  }

  const Facts& facts_;
  const Contradiction& claim_;
  std::vector<Given> given_;
};

}  // namespace

Flaw flaw_of(const Facts& facts, AnomalyKind kind, const Contradiction& claim) {
  if (std::ranges::find(kKinds, kind) == kKinds.end())
    return fmt::format("a proof by cases does not show {}", name_of(kind));
  if (claim.nodes.empty()) return "a proof without a question";
  return Cases(facts, claim).flaw(0);
}

}  // namespace serval::verify
