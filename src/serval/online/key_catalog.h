#pragma once
// Which rows and columns there are, by number, and which partition keeps the state of each: a column is where
// its row is. The numbers are of the thread that reads records; names may be asked for by any.
//
//   KeyCatalog keys(2);
//   const std::uint32_t column = keys.intern(cell.key, "balance", [](std::uint32_t key) { ... });
//   keys.place(column).partition == keys.place(keys.row(column)).partition

#include <cstdint>
#include <vector>

#include "serval/online/key_table.h"
#include "serval/online/stored_value.h"

namespace serval::online {

struct KeyPlace {
  std::uint32_t partition = 0;
  std::uint32_t local = 0;  // Counts from 0 in the order in which the partition learns of them.
};

// What a partition has to know of a key before its first access.
struct KeyFact {
  KeyPlace place;
  std::uint32_t row = 0;        // The local number of its row; its own, if it is one.
  StoredValue initial;          // What was there before the first transaction,
  bool initial_or_nil = false;  // or no row.
};

class KeyCatalog {
 public:
  explicit KeyCatalog(std::uint32_t partitions) : known_(partitions, 0) {}

  // Tells `on_new` of keys that it had not seen, of a column's row first.
  template <class OnNew>
  std::uint32_t intern(const TraceValue& key, std::string_view column, const OnNew& on_new) {
    const std::uint32_t number = names_.intern(key, column);
    if (number < entries_.size()) return number;
    entries_.emplace_back();
    if (column.empty()) {
      settle(number, number);
    } else {
      const std::uint32_t row = intern(key, {}, on_new);  // Its number may be a later one.
      settle(number, row);
    }
    on_new(number);
    return number;
  }
  const KeyPlace& place(std::uint32_t key) const { return entries_[key].place; }
  std::uint32_t row(std::uint32_t key) const { return entries_[key].row; }
  bool is_column(std::uint32_t key) const { return entries_[key].row != key; }
  const KeyTable& names() const { return names_; }
  std::size_t size() const { return entries_.size(); }
  std::uint32_t partitions() const { return static_cast<std::uint32_t>(known_.size()); }

 private:
  struct Entry {
    KeyPlace place;
    std::uint32_t row = 0;
  };
  void settle(std::uint32_t number, std::uint32_t row) {
    const std::uint32_t partition = row % partitions();
    entries_[number] = {.place = {partition, known_[partition]++}, .row = row};
  }

  KeyTable names_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> known_;  // By partition.
};

}  // namespace serval::online
