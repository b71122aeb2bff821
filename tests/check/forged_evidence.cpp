#include "check/forged_evidence.h"

#include <algorithm>

namespace serval::oracle {
namespace {

class Forger {
 public:
  Forger(const History& history, Random& random) : history_(history), random_(random) {}

  void forge(Undecided&) {}
  void forge(Holds& claim) {
    switch (random_.below(6)) {
      case 0:
        return forge_list(claim.commit_order);
      case 1:
        return forge_list(claim.snapshot);
      case 2:
        return forge(claim.version_order);
      case 3:
        claim.proven = any_level();
        return;
      case 4:
        if (!claim.taken_writes.empty())
          forge(random_.chance(0.5) ? any_of(claim.taken_writes).first : any_of(claim.taken_writes).second);
        return;
      default:
        for (std::size_t i = claim.commit_order.size(); i > 1; --i)
          std::swap(claim.commit_order[i - 1], claim.commit_order[random_.below(i)]);
    }
  }
  void forge(Violated& claim) {
    if (claim.anomalies.empty()) return;
    Anomaly& anomaly = any_of(claim.anomalies);
    if (random_.chance(0.1)) {
      anomaly.kind = all_anomalies()[random_.below(all_anomalies().size())].kind;
      claim.counts = {{anomaly.kind, 1}};
    } else {
      std::visit([this](auto& evidence) { forge(evidence); }, anomaly.evidence);
    }
  }

 private:
  // Occasionally none().
  template <class Id>
  void forge_id(Id& id, std::size_t count) {
    id = random_.chance(0.1) ? Id::none() : Id{static_cast<std::uint32_t>(random_.below(count))};
  }
  void forge(TransactionId& id) { forge_id(id, history_.transaction_count()); }
  void forge(OperationId& id) { forge_id(id, history_.operation_count()); }
  void forge(KeyId& id) { forge_id(id, history_.key_count()); }
  void forge(std::uint32_t& number) { number = static_cast<std::uint32_t>(random_.below(number + 3)); }

  template <class Item>
  Item& any_of(std::vector<Item>& items) {
    return items[random_.below(items.size())];
  }
  Level any_level() { return all_levels()[random_.below(all_levels().size())].level; }
  // One item is replaced, removed, duplicated, or swapped with another one.
  template <class Item>
  void forge_list(std::vector<Item>& items) {
    if (items.empty()) return;
    const std::size_t at = random_.below(items.size());
    const auto place = items.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random_.below(4)) {
      case 0:
        items.erase(place);
        return;
      case 1: {
        const Item copy = items[at];
        items.insert(place, copy);
        return;
      }
      case 2:
        std::swap(items[at], items[random_.below(items.size())]);
        return;
      default:
        forge(items[at]);
    }
  }
  template <class... Fields>
  void forge_one(Fields&... fields) {
    std::size_t chosen = random_.below(sizeof...(fields));
    (void)((chosen-- == 0 ? (forge(fields), true) : false) || ...);
  }

  void forge(Jagged<TransactionId>& rows) {
    Jagged<TransactionId> out;
    const std::size_t chosen = rows.rows() == 0 ? 0 : random_.below(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      std::vector<TransactionId> row(rows[i].begin(), rows[i].end());
      if (i == chosen) forge_list(row);
      out.push_row(row);
    }
    rows = std::move(out);
  }
  void forge(EdgeKind& kind) { kind = static_cast<EdgeKind>(random_.below(6)); }
  // Never one that may be assumed.
  void forge(OrderBasis& basis) {
    constexpr OrderBasis kKnown[] = {OrderBasis::Reads, OrderBasis::Case, OrderBasis::Certificate};
    basis = kKnown[random_.below(3)];
  }
  void forge(Edge& edge) {
    forge_one(edge.from, edge.to, edge.kind, edge.key, edge.from_op, edge.to_op, edge.to_read, edge.basis,
              edge.seen_earlier, edge.seen_later);
  }
  void forge(VisibilityPath& way) { forge_list(way.path); }
  void forge(BadRead& read) { forge_one(read.reader, read.read, read.source); }
  void forge(BadRow& row) { forge_one(row.reader, row.op, row.key, row.source); }
  void forge(BrokenOrder& broken) {
    if (random_.chance(0.3)) return forge_list(broken.order);
    if (random_.chance(0.2)) return forge_list(broken.visible);
    forge_one(broken.transaction, broken.operation, broken.key, broken.write, broken.predecessor);
  }
  void forge(Cycle& cycle) {
    if (!cycle.visibility_paths.empty() && random_.chance(0.5)) return forge_list(cycle.visibility_paths);
    forge_list(cycle.edges);
  }
  void forge(Divergence::Branch& branch) { forge_one(branch.transaction, branch.read, branch.write); }
  void forge(Divergence& split) { forge_one(split.key, split.version, split.first, split.second); }
  void forge(ChainBreak::Rule& rule) { rule = static_cast<ChainBreak::Rule>(random_.below(5)); }
  void forge(ChainBreak& chain) { forge_one(chain.rule, chain.key, chain.first, chain.second); }
  void forge(OrderConflict& conflict) { forge_one(conflict.key, conflict.first, conflict.second); }
  void forge(DirtyUpdate& update) { forge_one(update.key, update.aborted, update.update, update.read); }
  void forge(VersionPrecedence& step) {
    forge_one(step.earlier, step.later, step.basis, step.seen_earlier, step.seen_later);
  }
  void forge(VersionContradiction& claim) {
    if (random_.chance(0.3)) return forge_one(claim.key, claim.basis);
    forge_list(claim.steps);
  }
  void forge(Contradiction::Node& node) {
    switch (random_.below(4)) {
      case 0:
        return forge(node.read);
      case 1:
        return forge_list(node.writes);
      case 2:
        return forge_list(node.cases);
      default:
        forge_list(node.cycle);
    }
  }
  void forge(Contradiction& claim) { forge(any_of(claim.nodes)); }

  const History& history_;
  Random& random_;
};

}  // namespace

Verdict forged(Verdict verdict, const History& history, Random& random) {
  Forger forger(history, random);
  std::visit([&](auto& claim) { forger.forge(claim); }, verdict);
  return verdict;
}

}  // namespace serval::oracle
