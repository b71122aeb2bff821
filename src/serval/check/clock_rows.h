#pragma once
// Vector clocks over sessions, one row each, in a pool: a row lives only until the last transaction that
// needs it has looked at it, so the pool stays as small as the part of the history that is still being
// read, and in the cache.
//
//   rows[slot][s] == n     the first n transactions of session s have been seen

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace serval {

class ClockRows {
 public:
  using Slot = std::uint32_t;

  explicit ClockRows(std::size_t sessions) : sessions_(sessions) {}

  std::span<const std::uint32_t> operator[](Slot slot) const {
    return std::span(cells_).subspan(slot * sessions_, sessions_);
  }
  Slot keep(std::span<const std::uint32_t> row) {
    if (free_.empty()) {
      cells_.insert(cells_.end(), row.begin(), row.end());
      return static_cast<Slot>(cells_.size() / sessions_ - 1);
    }
    const Slot slot = free_.back();
    free_.pop_back();
    std::ranges::copy(row, cells_.begin() + static_cast<std::ptrdiff_t>(slot * sessions_));
    return slot;
  }
  void release(Slot slot) { free_.push_back(slot); }

 private:
  std::size_t sessions_;
  std::vector<std::uint32_t> cells_;
  std::vector<Slot> free_;
};

// row := the later of the two, session by session.
inline void join_clock(std::span<std::uint32_t> row, std::span<const std::uint32_t> other) {
  for (std::size_t s = 0; s < row.size(); ++s) row[s] = std::max(row[s], other[s]);
}

}  // namespace serval
