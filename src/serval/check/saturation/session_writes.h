#pragma once
// The writers of each key, session by session: for every key one entry per session that writes it, and
// for every entry the positions of its writers in session order, ascending. Only participating
// transactions.
//
//   s1: [w(x,1)] [w(y,1)] [w(x,2)]  s2: [w(x,3)]       x: s1 -> 0, 2;  s2 -> 0
//
// O(writes) time and memory.

#include <cstdint>
#include <span>
#include <vector>

#include "serval/base/budget.h"
#include "serval/history/history.h"
#include "serval/inference/reads_from.h"

namespace serval {

class SessionWrites {
 public:
  struct Entry {
    SessionId session;
    std::uint32_t first_position = 0;  // Index into the positions; they end where the next entry's begin.
    std::uint32_t reached = 0;         // For traversals: one more than the last position reached so far.
  };

  SessionWrites(const History& history, const Relations& relations, Budget& budget);

  std::span<Entry> of(KeyId key) {
    return std::span(entries_).subspan(first_entry_[key.index],
                                       first_entry_[key.index + 1] - first_entry_[key.index]);
  }
  // Requires that the session writes the key.
  Entry& entry(KeyId key, SessionId session);
  std::span<const std::uint32_t> positions(const Entry& entry) const {
    const std::uint32_t end = (&entry + 1)->first_position;
    return std::span(positions_).subspan(entry.first_position, end - entry.first_position);
  }
  // One more than the last position below `limit`; 0 if there is none.
  std::uint32_t last_below(const Entry& entry, std::uint32_t limit) const;

 private:
  std::vector<std::uint32_t> first_entry_;  // By key, plus a sentinel.
  std::vector<Entry> entries_;              // Plus a sentinel, which ends the positions of the last.
  std::vector<std::uint32_t> positions_;
};

// The position of every transaction in its session.
std::vector<std::uint32_t> positions_in_sessions(const History& history);

}  // namespace serval
