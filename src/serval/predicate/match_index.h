#pragma once
// Where the versions of keys begin and cease to match a predicate. Of all versions ever written only these
// give a predicate read its dependencies: the last change at or before the version that it saw, and the first
// one after (Adya's "changes the matches"). Emme's paper looks at every version for every predicate,
// O(P * W); here an ordered index on the predicate's columns leads to the versions that can match, and keys
// that never do cost nothing.
//
//   VersionRows table({"place"});
//   table.begin_key(x);
//   table.add_absence();                                   // position 0: the initial version, no row
//   table.add_row(std::vector{Scalar(3)});                 // position 1
//   table.add_row(std::vector{Scalar(9)});                 // position 2
//   const MatchIndex index(std::move(table));
//   index.changes(condition("place < 5"), budget).around(x, 2)      // last change at 2; none after
//
// Building: O(W log W) a column. Asking: O(M log M) for M versions that can match, so ask once for all
// operations with the same condition. May be asked by many threads.

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

// The versions of every key in the key's version order, each with its row, if it has one.
class VersionRows {
 public:
  explicit VersionRows(std::vector<std::string> columns) : columns_(std::move(columns)) {
    values_.resize(columns_.size());
  }

  void begin_key(KeyId key);  // Each key once; its versions follow.
  void add_row(std::span<const Scalar> row);
  void add_absence();  // A version without a row: before the first insert, after a delete.

  std::size_t version_count() const noexcept { return present_.size(); }

 private:
  friend class MatchIndex;

  std::vector<std::string> columns_;
  std::vector<KeyId> keys_;
  std::vector<std::uint32_t> first_;         // Of each key; into what follows.
  std::vector<std::uint8_t> present_;        // 0: no row.
  std::vector<std::vector<Scalar>> values_;  // By column, then version; NULL where there is no row.
};

// The changes of one predicate.
class MatchChanges {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  // Positions in the key's order of versions; kNone where there is no such change.
  struct Neighbours {
    std::uint32_t at_or_before = kNone;
    std::uint32_t after = kNone;
    friend bool operator==(const Neighbours&, const Neighbours&) = default;
  };
  // A key that has matched at some time, and the positions at which that changed: began, ended, began, ...
  struct Key {
    KeyId key;
    std::uint32_t first = 0, last = 0;  // Into positions().
  };

  std::span<const Key> keys() const noexcept { return keys_; }
  std::span<const std::uint32_t> positions(const Key& key) const {
    return std::span(positions_).subspan(key.first, key.last - key.first);
  }
  // Around what was seen of a key: O(log changes).
  Neighbours around(const Key& key, std::uint32_t seen) const;
  Neighbours around(KeyId key, std::uint32_t seen) const;
  // Whether the version at that position matches.
  bool matches(const Key& key, std::uint32_t position) const;

  // A version for which the condition is undefined, the first one found: the changes are not known then.
  struct Undefined {
    KeyId key;
    std::uint32_t position = 0;
  };
  const std::optional<Undefined>& undefined() const noexcept { return undefined_; }

 private:
  friend class MatchIndex;

  std::vector<Key> keys_;
  std::vector<std::uint32_t> positions_;
  absl::flat_hash_map<KeyId, std::uint32_t> places_;  // Into keys_.
  std::optional<Undefined> undefined_;
};

class MatchIndex {
 public:
  explicit MatchIndex(VersionRows table);

  // The condition's columns must be among the table's; other columns are undefined.
  MatchChanges changes(const Condition& condition, Budget& budget) const;

  // How many versions changes() would look at. O(nodes + log versions).
  std::size_t count_candidates(const Condition& condition) const;

  std::size_t version_count() const noexcept { return table_.version_count(); }

 private:
  struct ColumnIndex {
    std::vector<std::uint32_t> by_value;  // Versions with a row, ascending by the column's value.
    std::uint8_t families = 0;            // Bits by Cut::Family; kOdd where some value is undefined.
  };
  static constexpr std::uint8_t kOdd = 0x80;

  struct Candidates {
    std::vector<std::uint32_t> versions;  // Ascending.
    bool all_match = false;               // No need to evaluate.
  };
  // For each column of a condition: where it is in the table, if it is.
  using Places = std::vector<std::optional<std::size_t>>;

  void build(std::size_t column);
  Places places_of(const Condition& condition) const;
  bool may_mix_kinds(const Condition& condition, const Places& places) const;
  using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;  // Parts of a column's index, from and to.
  // The column that leaves the fewest versions to look at, and where in its index they are.
  struct Choice {
    std::optional<std::size_t> column;  // None: all versions are to be looked at.
    Ranges ranges;
    std::size_t count = 0;
    bool all_match = false;
  };
  Choice choose(const Condition& condition, const Places& places) const;
  Candidates candidates(const Condition& condition, const Places& places) const;
  Ranges ranges(std::size_t column, const IntervalSet& set) const;
  std::vector<std::uint32_t> matching(const Condition& condition, Budget& budget, MatchChanges& out) const;
  std::size_t key_of(std::uint32_t version) const;
  std::uint32_t end_of(std::size_t key) const;

  VersionRows table_;
  std::vector<ColumnIndex> columns_;
};

}  // namespace serval
