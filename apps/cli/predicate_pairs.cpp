#include "predicate_pairs.h"

#include <algorithm>
#include <set>
#include <string>

#include "serval/base/random.h"
#include "serval/predicate/print_predicate.h"

namespace serval::cli {
namespace {

constexpr const char* kOraclePhase = "oracle";

// The condition of an operation's request.
const Predicate& where_of(const Predicate& tree) {
  if (tree.children.empty()) return tree;
  if (tree.node == Predicate::Node::Aggregate) return tree.children.back();
  return tree.node == Predicate::Node::Update ? tree.children.front() : tree;
}

std::vector<const Predicate*> conditions_of(const History& history, Budget& budget) {
  std::vector<const Predicate*> out;
  std::set<PredicateId> ids;
  std::set<std::string> texts;
  for (const TransactionId t : history.transactions()) {
    for (const OperationId op : history.operations(t)) {
      budget.poll(kOraclePhase);
      if (!is_predicate(history.kind(op))) continue;
      const PredicateId id = history.predicate_id(op);
      if (id.is_none() || !ids.insert(id).second) continue;
      const Predicate& where = where_of(history.predicate(id));
      if (texts.insert(print_predicate(where, history.values())).second) out.push_back(&where);
    }
  }
  return out;
}

bool writes_a_row(OperationKind kind) {
  return kind == OperationKind::Write || kind == OperationKind::Insert ||
         kind == OperationKind::CompareAndSet;
}

std::vector<Row> rows_of(const History& history, Budget& budget) {
  std::vector<Row> out;
  std::set<std::pair<KeyId, std::string>> seen;
  const auto add = [&](Row row) {
    if (!row.value.is_nil() && seen.emplace(row.key, history.format(row.value)).second) out.push_back(row);
  };
  for (const TransactionId t : history.transactions()) {
    for (const OperationId op : history.operations(t)) {
      budget.poll(kOraclePhase);
      if (writes_a_row(history.kind(op))) add({history.key(op), history.value(op)});
      if (is_predicate(history.kind(op))) std::ranges::for_each(history.rows(op), add);
    }
  }
  return out;
}

}  // namespace

PredicatePairs::PredicatePairs(const History& history, Budget& budget)
    : conditions_(conditions_of(history, budget)), rows_(rows_of(history, budget)) {}

// A random pair from each of equal ranges; a fixed step might always hit the same rows.
void PredicatePairs::for_each(std::uint64_t most, Budget& budget, const Visit& visit) const {
  const std::uint64_t taken = std::min(count(), most);
  __extension__ using Wide = unsigned __int128;
  const auto share = [&](std::uint64_t i) { return static_cast<std::uint64_t>(Wide{i} * count() / taken); };
  Random random(1);
  for (std::uint64_t i = 0; i < taken; ++i) {
    budget.poll(kOraclePhase);
    const std::uint64_t at = share(i) + random.below(share(i + 1) - share(i));
    visit(*conditions_[at / rows_.size()], rows_[at % rows_.size()]);
  }
}

}  // namespace serval::cli
