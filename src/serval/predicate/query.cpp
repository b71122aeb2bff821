#include "serval/predicate/query.h"

#include <algorithm>
#include <array>

namespace serval {
namespace {

using Function = Query::Function;

Function function_named(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kNames{"count", "min", "max", "sum"};
  const auto found = std::ranges::find(kNames, name);
  return found == kNames.end() ? Function::None : static_cast<Function>(found - kNames.begin() + 1);
}

// The sum of integers becomes a decimal if it exceeds 64 bits.
Scalar sum_of(const Scalar& a, const Scalar& b) {
  const Scalar whole = add(a, b);
  return whole.is_undefined() && a.is_number() && b.is_number() ? add(Scalar(a.as_decimal()), b) : whole;
}

}  // namespace

Query query_of(const Predicate& tree, const ValuePool& pool) {
  using Node = Predicate::Node;
  const bool aggregates = tree.node == Node::Aggregate && !tree.children.empty();
  const bool updates = tree.node == Node::Update && !tree.children.empty();
  Query out;
  out.where = Condition(aggregates ? tree.children.back() : updates ? tree.children.front() : tree, pool);
  if (aggregates) out.function = function_named(tree.name);
  if (aggregates && tree.children.size() > 1) out.argument = Condition(tree.children.front(), pool);
  for (std::size_t i = 1; updates && i < tree.children.size(); ++i) {
    const Predicate& set = tree.children[i];
    if (set.node == Node::Set && set.children.size() == 1)
      out.assignments.push_back({set.name, Condition(set.children.front(), pool)});
  }
  return out;
}

const Predicate* predicate_of(const History& history, OperationId op) {
  const PredicateId id = history.predicate_id(op);
  return id.is_none() ? nullptr : &history.predicate(id);
}

std::optional<Query> query_of(const History& history, OperationId op) {
  const Predicate* tree = predicate_of(history, op);
  return tree == nullptr ? std::nullopt : std::optional(query_of(*tree, history.values()));
}

void Aggregation::add(const Scalar& argument) {
  if (argument.is_null()) return;
  ++count_;
  if (argument.is_undefined()) undefined_ = true;
  if (undefined_ || function_ == Function::Count) return;
  if (function_ == Function::Sum) {
    value_ = sum_of(value_.is_null() ? Scalar(0) : value_, argument);
    undefined_ = value_.is_undefined();
    return;
  }
  const Comparison found = compare(argument, value_);
  undefined_ = found.comparable == Truth::Undefined;
  const bool replaces = function_ == Function::Min ? found.order < 0 : found.order > 0;
  if (value_.is_null() || (!undefined_ && replaces)) value_ = argument;
}

Scalar Aggregation::result() const {
  if (undefined_ || function_ == Function::None) return Scalar::undefined();
  return function_ == Function::Count ? Scalar(count_) : value_;
}

bool same(const Scalar& a, const Scalar& b) {
  if (a.is_null() || b.is_null()) return a.is_null() && b.is_null();
  const Comparison found = compare(a, b);
  return found.comparable == Truth::True && found.order == 0;
}

}  // namespace serval
