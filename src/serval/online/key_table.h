#pragma once
// Numbers rows and columns of rows. The number of a removed key is reused after the caller recycles it.
//
//   const std::uint32_t row = keys.intern(cell.key, {});
//   const std::uint32_t column = keys.intern(cell.key, cell.column);
//   keys.format(column) == "accounts/7.balance"

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/stream/record.h"

namespace serval::online {

class KeyTable {
 public:
  std::uint32_t intern(const TraceValue& key, std::string_view column);
  // Its number is not reused until it is recycled.
  void remove(std::uint32_t key);
  void recycle(std::uint32_t key) { free_.push_back(key); }
  // Equal for equal names, at any time.
  struct Hash {
    std::uint64_t high = 0, low = 0;
    friend bool operator==(const Hash&, const Hash&) = default;
    template <class H>
    friend H AbslHashValue(H state, const Hash& hash) {
      return H::combine(std::move(state), hash.low);
    }
  };
  Hash hash(std::uint32_t key) const;
  std::string format(std::uint32_t key) const;  // Callable from any thread.
  // Whether `row` is the row of `column`. Callable from any thread.
  bool is_row_of(std::uint32_t row, std::uint32_t column) const;

 private:
  struct Name {
    std::int64_t integer = 0;
    std::string text;  // Empty: the integer.
  };
  std::uint32_t next() const;
  void add(std::uint32_t number, Name name);

  absl::flat_hash_map<std::int64_t, std::uint32_t> integers_;
  absl::flat_hash_map<std::string_view, std::uint32_t> texts_;  // Keys point into names_.
  mutable std::mutex names_mutex_;
  std::deque<Name> names_;  // By number.
  std::vector<std::uint32_t> free_;
  std::string scratch_;
};

}  // namespace serval::online
