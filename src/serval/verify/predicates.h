#pragma once
// Re-proves what a predicate operation saw against a state of all keys, row by row: no index, no
// regions, nothing cached except the parsed conditions. Shares only the semantics of predicates with the
// engines (the room predicate), which the tests compare with SQLite and PostgreSQL.
//
//   PredicateFacts facts(history);
//   facts.flaw_of_operation(op, [&](KeyId key) { return row_at(key); })     // Nil: no row.
//
// O(keys) per operation.

#include <functional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/predicate/query.h"
#include "serval/predicate/row_columns.h"
#include "serval/predicate/truth.h"
#include "serval/verify/facts.h"

namespace serval::verify {

class PredicateFacts {
 public:
  using RowAt = std::function<Value(KeyId)>;

  explicit PredicateFacts(const History& history) : history_(history) {}

  // Why the rows, the aggregate or the updates of `op` do not follow from this state. A read may also
  // return `deleted` rows, whose keys its transaction has given to rows of its own.
  [[nodiscard]] Flaw flaw_of_operation(OperationId op, const RowAt& row_at, const std::vector<Row>& deleted);

  // Why `op` may agree with this state; nothing if it certainly disagrees about the row of the key, or with
  // none() about its aggregate. Undefined conditions and decimals, which databases round differently, are
  // not certain.
  [[nodiscard]] Flaw flaw_of_disagreement(OperationId op, KeyId key, const std::string& expected,
                                          const RowAt& row_at);

 private:
  Truth truth(const Query& query, const Table& table, KeyId key, Value row) const;
  Flaw flaw_of_wrong_row(OperationId op, const Query& query, KeyId key, Value there) const;
  Flaw flaw_of_wrong_update(const Query& query, KeyId key, Value before, Value after) const;
  Flaw flaw_of_wrong_aggregate(OperationId op, const Query& query, const std::string& expected,
                               const RowAt& row_at) const;
  const Query& query(PredicateId id);
  std::vector<Scalar> columns(const Condition& condition, KeyId key, Value row) const;
  Flaw flaw_of_aggregate(OperationId op, const Query& query, const std::vector<Row>& matching) const;
  Flaw flaw_of_rows(OperationId op, const Query& query, const std::vector<Row>& matching,
                    std::vector<Row> deleted) const;
  Flaw flaw_of_update(const Query& query, const Row& before, Value after) const;

  const History& history_;
  absl::flat_hash_map<PredicateId, Query> queries_;
};

}  // namespace serval::verify
