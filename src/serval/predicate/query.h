#pragma once
// Everything that a predicate operation requested: its condition, and its aggregate or assignments.
//
//   if (const std::optional<Query> query = query_of(history, op)) evaluate(query->where, row)
//
//   Aggregation aggregation(Query::Function::Max);
//   for (...) aggregation.add(value_of(query->argument, row));
//   same(aggregation.result(), Scalar::of(history.value(op), history.values()))

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serval/history/history.h"
#include "serval/predicate/condition.h"

namespace serval {

struct Query {
  enum class Function : std::uint8_t { None, Count, Min, Max, Sum };
  struct Assignment {
    std::string column;
    Condition value;  // Evaluated on the row before the update.
    friend bool operator==(const Assignment&, const Assignment&) = default;
  };

  Condition where;
  Function function = Function::None;  // None: the rows themselves.
  Condition argument;                  // Of the function; TRUE for COUNT(*).
  std::vector<Assignment> assignments;

  friend bool operator==(const Query&, const Query&) = default;
};

Query query_of(const Predicate& tree, const ValuePool& pool);
// Nothing if the operation has no predicate, or if it was not recorded.
std::optional<Query> query_of(const History& history, OperationId op);
// The tree; null if there is none.
const Predicate* predicate_of(const History& history, OperationId op);

// SQL's aggregates, fed value by value. Rows whose argument is NULL do not count; without any, COUNT is
// 0 and the others are NULL. An Undefined value makes the result Undefined.
class Aggregation {
 public:
  explicit Aggregation(Query::Function function) : function_(function) {}
  void add(const Scalar& argument);
  Scalar result() const;

 private:
  Query::Function function_;
  std::int64_t count_ = 0;
  Scalar value_;  // For Min, Max and Sum.
  bool undefined_ = false;
};

// Whether two results are the same: both NULL, or equal.
bool same(const Scalar& a, const Scalar& b);

}  // namespace serval
