#pragma once
// Which versions match the predicates of a history, and where this changes along a key's versions.
//
//   Matching matching(history, versions, budget);
//   const std::size_t which = *matching.condition_of(op);
//   matching.for_each_key(which, [&](KeyId key) {...});      // every key that may ever match
//   matching.around(which, key, position)                    // the nearest changes, and whether it matches
//
// Uses the cheaper of two methods for each condition. If few versions match, all changes are found once
// through an ordered index (predicate/match_index.h), and keys that never match are not examined. If
// many match, a change is always near, so it is found by scanning versions, over plain integer columns
// if the condition compares these with constants, as most do.
//
// If a condition is undefined for some version, problem() says so from the start: whether a certificate
// can be used must not depend on the level. For conditions whose columns each have values of one family,
// as almost all do, this needs no pass over the versions.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>

#include "serval/check/certificate/certified_versions.h"
#include "serval/predicate/definedness.h"
#include "serval/predicate/integer_boxes.h"
#include "serval/predicate/match_index.h"
#include "serval/predicate/query.h"

namespace serval {

class Matching {
 public:
  static constexpr std::uint32_t kNone = MatchChanges::kNone;
  struct Around {
    bool matches = false;
    std::uint32_t at_or_before = kNone, after = kNone;  // Positions of changes.
  };

  Matching(const History& history, const CertifiedVersions& versions, Budget& budget);

  const std::string& problem() const noexcept { return problem_; }  // Empty if there is none.

  // For a predicate operation whose predicate was recorded, otherwise nothing. Operations with equal
  // conditions share one.
  std::optional<std::size_t> condition_of(OperationId op) const;
  // Everything that such an operation requested.
  const Query& query(OperationId op) const { return queries_[query_of_[op.index]]; }

  template <class Visit>
  void for_each_key(std::size_t condition, Visit&& visit) const {
    const Prepared& prepared = conditions_[condition];
    if (prepared.changes)
      for (const MatchChanges::Key& key : prepared.changes->keys()) visit(key.key);
    else
      for (const KeyId key : tables_[prepared.table].keys) visit(key);
  }
  // The number of keys that for_each_key visits.
  std::size_t key_count(std::size_t condition) const {
    const Prepared& prepared = conditions_[condition];
    return prepared.changes ? prepared.changes->keys().size() : tables_[prepared.table].keys.size();
  }
  // Whether the condition ranges over the key at all.
  bool covers(std::size_t condition, KeyId key) const;

  bool matches(std::size_t condition, KeyId key, std::uint32_t position) const {
    return match(conditions_[condition], versions_.first(key) + position);
  }
  Around around(std::size_t condition, KeyId key, std::uint32_t position) const;
  // For a row that is not a version: what the operation's own transaction had written before.
  bool matches_value(std::size_t condition, KeyId key, Value value) const;
  // The value of an expression on the row of a key.
  Scalar value_of(const Condition& expression, KeyId key, Value value) const;

 private:
  // A column of all versions; integers are stored contiguously.
  struct Column {
    std::string name;
    std::vector<std::int64_t> integers;  // kNull: NULL, or no row.
    std::vector<Scalar> values;          // Empty if all are integers or NULL.
    std::uint64_t changes = 0;           // Versions that differ from the previous one.
    ScalarKinds kinds;                   // The kinds of its values.
  };
  static constexpr std::int64_t kNull = INT64_MIN;

  struct Table {
    std::string name;
    std::vector<KeyId> keys;
    std::vector<bool> has;  // By key.
  };
  struct Prepared {
    PredicateId predicate;             // One with this condition.
    const Condition* where = nullptr;  // From a query.
    std::size_t table = 0;
    std::vector<std::uint32_t> columns;            // The condition's columns, indexes into columns_.
    std::optional<std::vector<IntegerBox>> boxes;  // A row matches if it is in one of them. None: evaluate.
    std::shared_ptr<const MatchChanges> changes;   // Null: scan. Shared by equivalent conditions.
    std::uint64_t operations = 0;
  };

  void collect_conditions(const History& history, Budget& budget);
  // Finds equal conditions by content.
  struct Said {
    std::size_t operator()(const Condition* condition) const { return absl::HashOf(*condition); }
    bool operator()(const Condition* a, const Condition* b) const { return *a == *b; }
  };
  // Indices into conditions_.
  using Known = absl::flat_hash_map<const Condition*, std::uint32_t, Said, Said>;
  std::optional<std::uint32_t> condition(const History& history, PredicateId id, const Condition& where,
                                         Known& known);
  std::optional<std::size_t> table_named(const History& history, const Condition& condition);
  void collect_columns(Budget& budget);
  void drop_integers_where_others_are(Column& column);
  void choose_ways(Budget& budget);
  void require_defined(Budget& budget);
  bool is_always_defined(const Prepared& prepared) const;
  std::optional<std::vector<IntegerBox>> boxes_of(const Prepared& prepared) const;

  bool varies_within_keys(const Prepared& prepared) const;
  bool has_row(std::uint32_t version) const { return present_[version]; }
  bool match(const Prepared& prepared, std::uint32_t version) const {
    if (!prepared.boxes) return evaluate_version(prepared, version);
    return std::ranges::any_of(*prepared.boxes, [&](const IntegerBox& box) { return is_in(box, version); });
  }
  bool is_in(const IntegerBox& box, std::uint32_t version) const {
    for (const IntegerBound& bound : box) {
      const std::int64_t value = columns_[bound.column].integers[version];
      if (value < bound.low || value > bound.high) return false;
    }
    return !box.empty() || has_row(version);
  }
  bool evaluate_version(const Prepared& prepared, std::uint32_t version) const;
  bool decide(const Prepared& prepared, Truth truth, KeyId key) const;
  Scalar column_value(const Column& column, std::uint32_t version) const;
  KeyId key_of(std::uint32_t version) const;

  const History& history_;
  const CertifiedVersions& versions_;
  mutable std::string problem_;
  std::vector<Column> columns_;
  std::vector<bool> present_;  // By version: whether it has a row.
  std::vector<Table> tables_;
  std::vector<Prepared> conditions_;
  std::deque<Query> queries_;            // A deque, because conditions_ point into it.
  std::vector<std::uint32_t> where_of_;  // By query: index into conditions_.
  std::vector<std::uint32_t> query_of_;  // By operation: index into queries_, or kNone.
};

}  // namespace serval
