#pragma once
// Rows and columns of rows by number. The database bounds how many there are, so they stay.
//
//   const std::uint32_t row = keys.intern(cell.key, {});
//   const std::uint32_t column = keys.intern(cell.key, cell.column);
//   keys.spell(column) == "accounts/7.balance"

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>

#include "serval/trace/record.h"

namespace serval::online {

class KeyTable {
 public:
  std::uint32_t intern(const TraceValue& key, std::string_view column);
  std::uint32_t size() const { return count_; }
  std::string spell(std::uint32_t key) const;  // By any thread.

 private:
  struct Name {
    std::int64_t integer = 0;
    const std::string* text = nullptr;  // Null: the integer.
  };
  std::uint32_t add(Name name);

  absl::flat_hash_map<std::int64_t, std::uint32_t> integers_;
  absl::flat_hash_map<std::string, std::uint32_t> texts_;
  mutable std::mutex names_mutex_;
  std::deque<Name> names_;  // By number.
  std::deque<std::string> spellings_;
  std::string scratch_;
  std::uint32_t count_ = 0;
};

}  // namespace serval::online
