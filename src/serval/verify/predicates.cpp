#include "serval/verify/predicates.h"

#include <map>
#include <set>

#include <fmt/format.h>

#include "serval/predicate/evaluate.h"
#include "serval/predicate/row_columns.h"

namespace serval::verify {

const Query& PredicateFacts::query(PredicateId id) {
  const auto found = queries_.find(id);
  if (found != queries_.end()) return found->second;
  constexpr std::size_t kMost = 1 << 16;
  if (queries_.size() >= kMost) queries_.clear();
  return queries_.emplace(id, query_of(history_.predicate(id), history_.values())).first->second;
}

std::vector<Scalar> PredicateFacts::columns(const Condition& condition, KeyId key, Value row) const {
  std::vector<Scalar> out;
  read_columns(condition.columns(), history_.key_value(key), row, history_.values(), out);
  return out;
}

Flaw PredicateFacts::flaw_of_aggregate(OperationId op, const Query& query,
                                       const std::vector<Row>& matching) const {
  Aggregation aggregation(query.function);
  for (const Row& row : matching)
    aggregation.add(value_of(query.argument, columns(query.argument, row.key, row.value)));
  const Scalar claimed = Scalar::of(history_.value(op), history_.values());
  if (history_.value(op).is_unknown() || same(aggregation.result(), claimed)) return std::nullopt;
  return fmt::format("the replay gives {}", aggregation.result().format());
}

// Every column of the row before or after: as assigned, or unchanged.
Flaw PredicateFacts::flaw_of_update(const Query& query, const Row& before, Value after) const {
  std::map<std::string, const Condition*> wanted;
  for (const Value row : {before.value, after})
    for (const std::string& column : column_names(row, history_.values())) wanted[column] = nullptr;
  for (const Query::Assignment& assignment : query.assignments) {
    const auto place = wanted.find(assignment.column);
    if (place != wanted.end() && place->second == nullptr) place->second = &assignment.value;
  }
  for (const auto& [column, assigned] : wanted) {
    const Predicate tree{.node = Predicate::Node::Column, .name = column, .literal = {}, .children = {}};
    const Condition itself(tree, history_.values());
    const Condition& source = assigned != nullptr ? *assigned : itself;
    const Scalar expected = value_of(source, columns(source, before.key, before.value));
    const Scalar found = value_of(itself, columns(itself, before.key, after));
    if (!same(expected, found))
      return fmt::format("{} of {} should be {}", column, history_.format_key(before.key), expected.format());
  }
  return std::nullopt;
}

Flaw PredicateFacts::flaw_of_rows(OperationId op, const Query& query, const std::vector<Row>& matching,
                                  std::vector<Row> deleted) const {
  std::map<KeyId, Value> left;
  for (const Row& row : matching) left[row.key] = row.value;
  for (const Row& row : history_.rows(op)) {
    const auto found = left.find(row.key);
    const auto other = std::ranges::find(deleted, row);
    if (other != deleted.end() && (found == left.end() || found->second != row.value)) {
      deleted.erase(other);
      continue;
    }
    if (found == left.end()) return fmt::format("{} does not match there", history_.format_key(row.key));
    const Row before{row.key, found->second};
    left.erase(found);
    const bool reads = history_.kind(op) == OperationKind::PredicateRead;
    if (reads && !row.value.is_unknown() && row.value != before.value)
      return fmt::format("{} holds {} there", history_.format_key(row.key), history_.format(before.value));
    if (history_.kind(op) == OperationKind::PredicateUpdate && row.value.is_unknown())
      return fmt::format("the value that it wrote to {} is unknown", history_.format_key(row.key));
    if (history_.kind(op) == OperationKind::PredicateUpdate && !query.assignments.empty())
      if (Flaw flaw = flaw_of_update(query, before, row.value)) return flaw;
  }
  if (left.empty()) return std::nullopt;
  return fmt::format("{} also matches there", history_.format_key(left.begin()->first));
}

Flaw PredicateFacts::flaw_of_operation(OperationId op, const RowAt& row_at, const std::vector<Row>& deleted) {
  const auto flawed = [&](const Flaw& why) -> Flaw {
    if (!why) return std::nullopt;
    return fmt::format("{} does not match the replay: {}", print_in_transaction(history_, op), *why);
  };
  const PredicateId id = history_.predicate_id(op);
  if (id.is_none()) return flawed("its predicate was not recorded");
  const Query& asked = query(id);
  const Table table(asked.where);
  if (table.is_join()) return flawed("it refers to several tables");
  std::vector<Row> matching;
  for (const KeyId key : history_.key_ids()) {
    const Value row = row_at(key);
    if (row.is_nil()) continue;
    const Truth truth = both(table.has(history_, key), evaluate(asked.where, columns(asked.where, key, row)));
    if (truth == Truth::Undefined)
      return flawed(fmt::format("whether {} matches is not defined", history_.format_key(key)));
    if (truth == Truth::True) matching.push_back({key, row});
  }
  std::vector<Row> beside;
  if (history_.kind(op) == OperationKind::PredicateRead)
    for (const Row& row : deleted)
      if (both(table.has(history_, row.key),
               evaluate(asked.where, columns(asked.where, row.key, row.value))) == Truth::True)
        beside.push_back(row);
  if (asked.function == Query::Function::None)
    return flawed(flaw_of_rows(op, asked, matching, std::move(beside)));
  const Flaw without = flaw_of_aggregate(op, asked, matching);
  if (!without || beside.empty()) return flawed(without);
  matching.insert(matching.end(), beside.begin(), beside.end());
  return flawed(flaw_of_aggregate(op, asked, matching));
}

}  // namespace serval::verify
