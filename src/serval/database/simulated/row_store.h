#pragma once
// The committed versions of every row and list of a schema, for the simulated driver. Versions that no
// snapshot can see any more are forgotten when the row is next written.
//
//   RowStore store(schema);
//   store.install({.table = 0, .key = 7}, {.position = 5, .content = {.present = true, .tag = 3}});
//   store.visible({0, 7}, {.snapshot = 4}).position < 5
//
// Not shared between threads; its owner locks.

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "serval/database/simulated/version_store.h"
#include "serval/workload/schema.h"

namespace serval::simulated {

struct RowKey {
  std::uint32_t table = 0;
  std::uint64_t key = 0;
  friend auto operator<=>(const RowKey&, const RowKey&) = default;
};

struct RowContent {
  bool present = false;  // Of a row; lists are always there.
  std::int64_t tag = 0;
  std::vector<std::int64_t> columns;
  std::vector<std::int64_t> list;
};

struct RowVersion {
  Position position = 0;
  std::uint8_t replica = 0;
  RowContent content;
};

class RowStore {
 public:
  explicit RowStore(const Schema& schema);

  const RowVersion& newest(const RowKey& row) const;
  const RowVersion& visible(const RowKey& row, const View& view) const;
  // Those that were installed after a position which is not below the horizon, oldest first.
  std::span<const RowVersion> installed_after(const RowKey& row, Position position) const;
  void install(const RowKey& row, RowVersion version);
  void replace_newest(const RowKey& row, RowVersion version);
  // As if the newest version had appended after these tags. False where what it appended to is forgotten.
  bool append_below_newest(const RowKey& row, const std::vector<std::int64_t>& tags);

  // Rows that have or had a version, with keys from `low` to `high`.
  std::vector<std::uint64_t> keys(std::uint32_t table, std::uint64_t low, std::uint64_t high) const;
  const std::vector<std::int64_t>& initial_columns(std::uint32_t table) const;
  std::size_t table_count() const noexcept { return tables_.size(); }

  // No view asked for from now on is older than `horizon`.
  void forget_before(Position horizon) noexcept { horizon_ = std::max(horizon_, horizon); }
  Position horizon() const noexcept { return horizon_; }

 private:
  using Versions = std::vector<RowVersion>;  // Oldest first.
  struct Table {
    std::vector<std::int64_t> initial_columns;
    std::map<std::uint64_t, Versions> rows;
  };
  const Versions* find(const RowKey& row) const;
  void forget_old(Versions& versions) const;

  std::vector<Table> tables_;
  Position horizon_ = 0;
  RowVersion absent_;
};

}  // namespace serval::simulated
