#include <algorithm>
#include <initializer_list>
#include <utility>

#include "serval/report/explanation.h"

namespace serval {
namespace {

using Participant = Explanation::Participant;

// The participants and their operations, by kind of evidence.
class Cast {
 public:
  explicit Cast(const History& history) : history_(history) {}

  std::vector<Participant> of(const Evidence& evidence) && {
    std::visit([&](const auto& one) { add(one); }, evidence);
    return std::move(participants_);
  }

 private:
  void take_part(TransactionId t, OperationId op) {
    auto found = std::ranges::find(participants_, t, &Participant::transaction);
    if (found == participants_.end())
      found = participants_.insert(participants_.end(), Participant{t, {}, {}});
    if (!op.is_none()) found->operations.push_back(op);
  }
  void take_part(OperationId op) {
    if (!op.is_none()) take_part(history_.transaction_of(op), op);
  }
  void take_parts(std::initializer_list<OperationId> ops) {
    for (const OperationId op : ops) take_part(op);
  }

  // The linear find above would be quadratic for long cycles, so a cycle fills its list directly: edge i
  // starts at participant i and ends at participant i + 1.
  void add(const Cycle& cycle) {
    for (const Edge& edge : cycle.edges) participants_.push_back({edge.from, {}, {}});
    for (std::size_t i = 0; i < cycle.edges.size(); ++i) {
      const Edge& edge = cycle.edges[i];
      if (!edge.from_op.is_none()) participants_[i].operations.push_back(edge.from_op);
      Participant& target = participants_[(i + 1) % cycle.edges.size()];
      const bool read_by_target = edge.kind != EdgeKind::CommitOrder;
      if (read_by_target && !edge.to_read.is_none()) target.operations.push_back(edge.to_read);
      if (!edge.to_op.is_none()) target.operations.push_back(edge.to_op);
    }
    add_witnesses(cycle);
  }

  // After the transactions of the cycle itself: the readers that show the order of versions.
  void add_witnesses(const Cycle& cycle) {
    for (const VisibilityPath& visibility_path : cycle.visibility_paths) {
      for (const Edge& edge : visibility_path.path) {
        take_part(edge.from, edge.from_op);
        take_part(edge.to, edge.to_op);
      }
      take_part(cycle.edges[visibility_path.edge].to_read);
    }
  }

  void add(const BadRead& bad) {
    take_part(bad.source);
    take_part(bad.reader, bad.read);
  }

  void add(const BadRow& row) {
    take_part(row.source);
    take_part(row.reader, row.op);
  }

  void add(const Divergence& split) {
    take_part(split.version);
    for (const Divergence::Branch& branch : {split.first, split.second}) {
      take_part(branch.transaction, branch.read);
      take_part(branch.transaction, branch.write);
    }
  }

  void add(const BrokenOrder& broken) {
    take_part(broken.write);
    take_part(broken.transaction, broken.operation);
    if (!broken.predecessor.is_none()) take_part(broken.predecessor, OperationId::none());
  }

  void add(const ChainBreak& broken) { take_parts({broken.first, broken.second}); }
  void add(const OrderConflict& conflict) { take_parts({conflict.first, conflict.second}); }
  void add(const DirtyUpdate& dirty) { take_parts({dirty.aborted, dirty.update, dirty.read}); }

  void add(const Contradiction& cases) {
    for (const Contradiction::Node& node : cases.nodes)
      for (const Edge& edge : node.cycle) {
        take_part(edge.from, edge.from_op);
        for (const OperationId op : {edge.to_read, edge.to_op}) take_part(edge.to, op);
      }
    std::ranges::sort(participants_, {}, &Participant::transaction);
  }

  void add(const VersionContradiction& versions) {
    for (const VersionPrecedence& step : versions.steps)
      take_parts({step.earlier, step.seen_earlier, step.later, step.seen_later});
  }

  const History& history_;
  std::vector<Participant> participants_;
};

}  // namespace

std::vector<Participant> participants_of(const History& history, const Evidence& evidence) {
  return Cast(history).of(evidence);
}

std::vector<TransactionId> witnesses_of(const History& history, const Evidence& evidence) {
  std::vector<TransactionId> witnesses;
  const auto* cycle = std::get_if<Cycle>(&evidence);
  if (cycle == nullptr) return witnesses;
  for (const Edge& edge : cycle->edges)
    for (const OperationId op : {edge.seen_earlier, edge.seen_later})
      if (!op.is_none()) witnesses.push_back(history.transaction_of(op));
  return witnesses;
}

}  // namespace serval
