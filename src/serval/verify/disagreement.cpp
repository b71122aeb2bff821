// The opposite question to PredicateFacts::flaw_of_operation: is the answer certainly wrong?

#include <algorithm>
#include <iterator>

#include "serval/predicate/evaluate.h"
#include "serval/verify/predicates.h"

namespace serval::verify {
namespace {

// NULL or a whole number.
bool is_exact(const Scalar& value) { return value.is_null() || value.kind() == Scalar::Kind::Integer; }

bool may_be_same(const Scalar& a, const Scalar& b) {
  const auto is_open = [](const Scalar& s) { return s.is_undefined() || s.kind() == Scalar::Kind::Decimal; };
  return is_open(a) || is_open(b) || same(a, b);
}

}  // namespace

Truth PredicateFacts::truth(const Query& query, const Table& table, KeyId key, Value row) const {
  if (row.is_nil()) return Truth::False;
  const Truth belongs = table.has(history_, key);
  if (belongs == Truth::False) return Truth::False;
  return both(belongs, evaluate(query.where, columns(query.where, key, row)));
}

// An assigned column without the value of its assignment, or another one that changed.
Flaw PredicateFacts::flaw_of_wrong_update(const Query& query, KeyId key, Value before, Value after) const {
  std::vector<std::string> names = column_names(before, history_.values());
  std::ranges::move(column_names(after, history_.values()), std::back_inserter(names));
  for (const std::string& name : names) {
    const Predicate tree{.node = Predicate::Node::Column, .name = name, .literal = {}, .children = {}};
    const Condition itself(tree, history_.values());
    const auto set = std::ranges::find(query.assignments, name, &Query::Assignment::column);
    const Condition& source = set == query.assignments.end() ? itself : set->value;
    const Scalar expected = value_of(source, columns(source, key, before));
    if (!may_be_same(expected, value_of(itself, columns(itself, key, after)))) return std::nullopt;
  }
  return "the update is right";
}

Flaw PredicateFacts::flaw_of_wrong_row(OperationId op, const Query& query, KeyId key, Value there) const {
  const Table table(query.where);
  const Truth matches = truth(query, table, key, there);
  if (matches == Truth::Undefined) return "whether the row matches is not defined";
  std::vector<Row> rows;
  for (const Row& row : history_.rows(op))
    if (row.key == key) rows.push_back(row);
  if (rows.size() != (matches == Truth::True ? 1 : 0)) return std::nullopt;
  if (rows.empty()) return "the row neither matches nor was returned";
  const Value row = rows.front().value;
  if (row.is_unknown()) return "its value was not recorded";
  if (history_.kind(op) == OperationKind::PredicateRead)
    return rows_agree(row, there, history_.values()) ? Flaw("the row is right") : std::nullopt;
  if (history_.kind(op) == OperationKind::PredicateDelete || query.assignments.empty())
    return "the row is right";
  return flaw_of_wrong_update(query, key, there, row);
}

Flaw PredicateFacts::flaw_of_wrong_aggregate(OperationId op, const Query& query, const std::string& expected,
                                             const RowAt& row_at) const {
  const Table table(query.where);
  if (history_.value(op).is_unknown()) return "its result was not recorded";
  Aggregation aggregation(query.function);
  for (const KeyId key : history_.key_ids()) {
    const Value row = row_at(key);
    const Truth matches = truth(query, table, key, row);
    if (matches == Truth::Undefined) return "whether a row matches is not defined";
    if (matches == Truth::True) aggregation.add(value_of(query.argument, columns(query.argument, key, row)));
  }
  const Scalar seen = Scalar::of(history_.value(op), history_.values());
  if (!is_exact(aggregation.result()) || !is_exact(seen)) return "the result is not a whole number";
  if (aggregation.result().format() != expected) return "the right result is another one";
  return same(aggregation.result(), seen) ? Flaw("the aggregate is right") : std::nullopt;
}

Flaw PredicateFacts::flaw_of_disagreement(OperationId op, KeyId key, const std::string& expected,
                                          const RowAt& row_at) {
  const PredicateId id = history_.predicate_id(op);
  if (id.is_none()) return "its predicate was not recorded";
  const Query& asked = query(id);
  const Table table(asked.where);
  if (table.is_join()) return "it refers to several tables";
  if (!asked.where.problem().empty()) return asked.where.problem();
  const bool is_aggregate = asked.function != Query::Function::None;
  if (is_aggregate != key.is_none()) return "cites a row of an aggregate, or no row of a range";
  if (is_aggregate) return flaw_of_wrong_aggregate(op, asked, expected, row_at);
  if (key.index >= history_.key_count()) return "cites a key that does not exist";
  const Value there = row_at(key);
  if (there.is_unknown()) return "what the key held was not recorded";
  return flaw_of_wrong_row(op, asked, key, there);
}

}  // namespace serval::verify
