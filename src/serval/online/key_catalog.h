#pragma once
// Numbers rows and columns, and assigns each to the partition that keeps its state. A column is in the
// partition of its row. Only the thread that reads records uses the numbers; any thread may look up
// names.
//
//   KeyCatalog keys(2);
//   const std::uint32_t column = keys.intern(cell.key, "balance", now, [](std::uint32_t key) { ... });
//   keys.place(column).partition == keys.place(keys.row(column)).partition
//
// evict() removes keys that have not been used for some time, a few at a time. A key that comes back is
// new, in the same partition.

#include <cstdint>
#include <vector>

#include "serval/online/key_table.h"
#include "serval/online/stored_value.h"

namespace serval::online {

struct KeyPlace {
  std::uint32_t partition = 0;
  std::uint32_t local = 0;  // Its number within the partition, from 0.
};

// What a partition has to know about a key before its first access.
struct KeyFact {
  KeyPlace place;
  std::uint32_t row = 0;  // The local number of its row; its own number if it is a row.
  KeyTable::Hash name;
  StoredValue initial;          // The value before the first transaction,
  bool initial_or_nil = false;  // or no row.
  bool is_new = false;          // Otherwise only the initial value changes.
  bool is_evicted = false;      // Keep only its last value.
};

class KeyCatalog {
 public:
  explicit KeyCatalog(std::uint32_t partitions) : parts_(partitions) {}

  // Calls `on_new` for unknown keys, for the row of a column first.
  template <class OnNew>
  std::uint32_t intern(const TraceValue& key, std::string_view column, Time now, const OnNew& on_new) {
    const std::uint32_t number = names_.intern(key, column);
    if (number == entries_.size()) entries_.emplace_back();
    const bool is_new = !entries_[number].known;
    if (is_new) {
      entries_[number] = {.known = true};
      settle(number, column.empty() ? number : intern(key, {}, now, on_new));
    }
    entries_[number].last_use = now;
    entries_[number].round = round_;
    if (is_new) on_new(number);
    return number;
  }
  const KeyPlace& place(std::uint32_t key) const { return entries_[key].place; }
  std::uint32_t row(std::uint32_t key) const { return entries_[key].row; }
  bool is_column(std::uint32_t key) const { return entries_[key].row != key; }
  const KeyTable& names() const { return names_; }
  std::uint32_t partitions() const { return static_cast<std::uint32_t>(parts_.size()); }
  std::size_t size() const { return known_; }  // Without evicted keys.

  // Examines the next `looks` keys and evicts those that were used neither since `time` nor in the
  // current round over all keys. Their numbers stay unused until they are recycled.
  template <class OnEvicted>
  void evict(Time time, std::size_t looks, const OnEvicted& on_evicted) {
    for (; looks > 0 && !entries_.empty(); --looks) {
      if (++cursor_ >= entries_.size()) {
        cursor_ = 0;
        ++round_;
      }
      Entry& entry = entries_[cursor_];
      if (!entry.known || entry.columns > 0) continue;
      if (entry.last_use >= time || entry.round + 1 >= round_) continue;
      on_evicted(cursor_);
      forget(cursor_);
    }
  }
  void recycle(std::uint32_t key) { names_.recycle(key); }

 private:
  struct Entry {
    KeyPlace place;
    std::uint32_t row = 0;
    std::uint32_t columns = 0;  // For a row: the number of its known columns.
    std::uint32_t round = 0;    // The round of its last use,
    Time last_use = 0;          // and the time.
    bool known = false;
  };
  struct Part {
    std::uint32_t size = 0;
    std::vector<std::uint32_t> free;
  };

  void settle(std::uint32_t number, std::uint32_t row) {
    const auto partition = row == number ? static_cast<std::uint32_t>(names_.hash(row).high % parts_.size())
                                         : entries_[row].place.partition;
    Part& part = parts_[partition];
    std::uint32_t local = part.size;
    if (part.free.empty()) {
      ++part.size;
    } else {
      local = part.free.back();
      part.free.pop_back();
    }
    entries_[number].place = {partition, local};
    entries_[number].row = row;
    if (row != number) ++entries_[row].columns;
    ++known_;
  }
  void forget(std::uint32_t number) {
    Entry& entry = entries_[number];
    parts_[entry.place.partition].free.push_back(entry.place.local);
    if (entry.row != number) --entries_[entry.row].columns;
    entry.known = false;
    --known_;
    names_.remove(number);
  }

  KeyTable names_;
  std::vector<Entry> entries_;  // By number.
  std::vector<Part> parts_;
  std::uint32_t cursor_ = 0, round_ = 0;
  std::size_t known_ = 0;
};

}  // namespace serval::online
