#pragma once
// Where versions of keys start or stop matching a predicate. Only these versions give a predicate read
// its dependencies: the last change at or before the version that it saw, and the first one after it
// (Adya's "changes the matches"). Emme's paper examines every version for every predicate, O(P * W).
// Here an ordered index on the predicate's columns finds the versions that can match, and keys that
// never match cost nothing.
//
//   VersionRows table({"place"});
//   table.begin_key(x);
//   table.add_absence();                                   // position 0: initial version without a row
//   table.add_row(std::vector{Scalar(3)});                 // position 1
//   table.add_row(std::vector{Scalar(9)});                 // position 2
//   const MatchIndex index(std::move(table));
//   index.changes(condition("place < 5"), budget).around(x, 2)      // last change at 2; none after
//
// Building takes O(W log W) per column. A query takes O(M log M) for M versions that can match, so query
// once for all operations with the same condition. May be queried by many threads.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/base/budget.h"
#include "serval/history/ids.h"
#include "serval/predicate/condition.h"
#include "serval/predicate/interval_set.h"

namespace serval {

// The versions of every key in version order, each with its row, if any.
class VersionRows {
 public:
  explicit VersionRows(std::vector<std::string> columns) : columns_(std::move(columns)) {
    values_.resize(columns_.size());
  }

  void begin_key(KeyId key);  // Once per key; its versions follow.
  void add_row(std::span<const Scalar> row);
  void add_absence();  // A version without a row: before the first insert, after a delete.

  std::size_t version_count() const noexcept { return present_.size(); }

 private:
  friend class MatchIndex;

  std::vector<std::string> columns_;
  std::vector<KeyId> keys_;
  std::vector<std::uint32_t> first_;         // By key: index into the following.
  std::vector<std::uint8_t> present_;        // 0: no row.
  std::vector<std::vector<Scalar>> values_;  // By column, then version; NULL where there is no row.
};

// The changes of one predicate.
class MatchChanges {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  // Positions in the key's version order; kNone if there is no such change.
  struct Neighbours {
    std::uint32_t at_or_before = kNone;
    std::uint32_t after = kNone;
    friend bool operator==(const Neighbours&, const Neighbours&) = default;
  };
  // A key that matched at some point, and the positions at which this changed: start, end, start, ...
  struct Key {
    KeyId key;
    std::uint32_t first = 0, last = 0;  // Indices into positions().
  };

  std::span<const Key> keys() const noexcept { return keys_; }
  std::span<const std::uint32_t> positions(const Key& key) const {
    return std::span(positions_).subspan(key.first, key.last - key.first);
  }
  // The changes around the version of a key that was seen. O(log changes).
  Neighbours around(const Key& key, std::uint32_t seen) const;
  Neighbours around(KeyId key, std::uint32_t seen) const;
  // Whether the version at that position matches.
  bool matches(const Key& key, std::uint32_t position) const;

  // The first version found for which the condition is undefined; the changes are then unknown.
  struct Undefined {
    KeyId key;
    std::uint32_t position = 0;
  };
  const std::optional<Undefined>& undefined() const noexcept { return undefined_; }

 private:
  friend class MatchIndex;

  std::vector<Key> keys_;
  std::vector<std::uint32_t> positions_;
  absl::flat_hash_map<KeyId, std::uint32_t> places_;  // Index into keys_.
  std::optional<Undefined> undefined_;
};

class MatchIndex {
 public:
  explicit MatchIndex(VersionRows table);

  // The condition's columns should be among the table's; other columns are undefined.
  MatchChanges changes(const Condition& condition, Budget& budget) const;

  // The number of versions that changes() would examine. O(nodes + log versions).
  std::size_t count_candidates(const Condition& condition) const;

  std::size_t version_count() const noexcept { return table_.version_count(); }

 private:
  struct ColumnIndex {
    std::vector<std::uint32_t> by_value;  // Versions with a row, by the column's value.
    std::uint8_t families = 0;            // Bits by Cut::Family; kOdd if some value is undefined.
  };
  static constexpr std::uint8_t kOdd = 0x80;

  // For each column of a condition, its index in the table, if it exists there.
  using Places = std::vector<std::optional<std::size_t>>;

  void build(std::size_t column);
  Places places_of(const Condition& condition) const;
  bool may_mix_kinds(const Condition& condition, const Places& places) const;
  using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;  // Ranges of a column's index: from, to.
  // The column with the fewest versions to examine, and where they are in its index.
  struct Choice {
    std::optional<std::size_t> column;  // None: all versions must be examined.
    Ranges ranges;
    std::size_t count = 0;
    bool all_match = false;  // No evaluation needed.
  };
  Choice choose(const Condition& condition, const Places& places) const;
  std::vector<std::uint32_t> candidates(const Choice& choice) const;  // Ascending.
  Ranges ranges(std::size_t column, const IntervalSet& set) const;
  std::vector<std::uint32_t> matching(const Condition& condition, Budget& budget, MatchChanges& out) const;
  std::size_t key_of(std::uint32_t version) const;
  std::uint32_t end_of(std::size_t key) const;

  VersionRows table_;
  std::vector<ColumnIndex> columns_;
};

}  // namespace serval
