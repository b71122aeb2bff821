#pragma once
// Which versions match the predicates of a history, and where along a key's versions that changes.
//
//   Matching matching(history, versions, budget);
//   const std::size_t which = *matching.condition_of(op);
//   matching.for_each_key(which, [&](KeyId key) {...});      // every key that may ever match
//   matching.around(which, key, position)                    // the nearest changes, and whether it matches
//
// Two ways, the cheaper one for each condition. For conditions that few versions match: all changes, found
// once through an ordered index (predicate/match_index.h); keys that never match are not looked at. For
// conditions that many match a change is near everywhere, so it is walked to, version by version, over plain
// columns of integers where the condition compares these with constants, as most do.
//
// Where the truth of a condition is not defined for some version, problem() says so from the start: whether a
// certificate can be used must not depend on the level. Conditions whose columns have values of one family
// each, as nearly all have, need no look at the versions for that.

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

  const std::string& problem() const noexcept { return problem_; }  // Empty: none.

  // Of a predicate operation whose predicate was recorded; none otherwise. Operations with the same condition
  // share it.
  std::optional<std::size_t> condition_of(OperationId op) const;
  // All that such an operation asked for.
  const Query& query(OperationId op) const { return queries_[query_of_[op.index]]; }

  template <class Visit>
  void for_each_key(std::size_t condition, Visit&& visit) const {
    const Prepared& prepared = conditions_[condition];
    if (prepared.changes)
      for (const MatchChanges::Key& key : prepared.changes->keys()) visit(key.key);
    else
      for (const KeyId key : tables_[prepared.table].keys) visit(key);
  }
  // How many keys that visits.
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
  // Of a row that is no version: what the operation's own transaction had written before.
  bool matches_value(std::size_t condition, KeyId key, Value value) const;
  // The value of an expression over the row of a key.
  Scalar value_of(const Condition& expression, KeyId key, Value value) const;

 private:
  // A column of every version; integers lie side by side.
  struct Column {
    std::string name;
    std::vector<std::int64_t> integers;  // kNull: NULL, or no row.
    std::vector<Scalar> values;          // Empty where all of them are integers or NULL.
    std::uint64_t changes = 0;           // Versions that differ from the one before.
    unsigned kinds = 0;                  // Of values that are not NULL, a bit each.
  };
  static constexpr std::int64_t kNull = INT64_MIN;

  struct Bound {
    std::uint32_t column = 0;
    std::int64_t low = 0, high = 0;  // Both included; low is above kNull.
    friend auto operator<=>(const Bound&, const Bound&) = default;
  };
  using Box = std::vector<Bound>;

  struct Table {
    std::string name;
    std::vector<KeyId> keys;
    std::vector<bool> has;  // By key.
  };
  struct Prepared {
    PredicateId predicate;             // One that has it.
    const Condition* where = nullptr;  // Of a query.
    std::size_t table = 0;
    std::vector<std::uint32_t> columns;           // Of the condition, into columns_.
    std::optional<std::vector<Box>> boxes;        // A row matches if it is in one of them. None: evaluate.
    std::shared_ptr<const MatchChanges> changes;  // Null: walk. Shared by conditions that mean the same.
    std::uint64_t operations = 0;
  };

  void collect_conditions(const History& history, Budget& budget);
  // Equal conditions by what they say.
  struct Said {
    std::size_t operator()(const Condition* condition) const { return absl::HashOf(*condition); }
    bool operator()(const Condition* a, const Condition* b) const { return *a == *b; }
  };
  using Known = absl::flat_hash_map<const Condition*, std::uint32_t, Said, Said>;  // Into conditions_.
  std::optional<std::uint32_t> condition(const History& history, PredicateId id, const Condition& where,
                                         Known& known);
  std::optional<std::size_t> table_named(const History& history, const Condition& condition);
  void collect_columns(Budget& budget);
  void drop_integers_where_others_are(Column& column);
  void choose_ways(Budget& budget);
  void require_defined(Budget& budget);
  bool is_always_defined(const Prepared& prepared) const;
  std::optional<std::vector<Box>> boxes_of(const Prepared& prepared) const;

  bool varies_within_keys(const Prepared& prepared) const;
  bool has_row(std::uint32_t version) const { return present_[version]; }
  bool match(const Prepared& prepared, std::uint32_t version) const {
    if (!prepared.boxes) return evaluate_version(prepared, version);
    return std::ranges::any_of(*prepared.boxes, [&](const Box& box) { return is_in(box, version); });
  }
  bool is_in(const Box& box, std::uint32_t version) const {
    for (const Bound& bound : box) {
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
  std::vector<bool> present_;  // By version: it has a row.
  std::vector<Table> tables_;
  std::vector<Prepared> conditions_;
  std::deque<Query> queries_;            // Each stays where it is: conditions_ point at them.
  std::vector<std::uint32_t> where_of_;  // By query, into conditions_.
  std::vector<std::uint32_t> query_of_;  // By operation, into queries_; kNone.
};

}  // namespace serval
