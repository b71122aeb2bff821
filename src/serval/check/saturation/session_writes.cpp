#include "serval/check/saturation/session_writes.h"

#include <algorithm>
#include <numeric>

namespace serval {
namespace {

struct PlacedWrite {
  SessionId session;
  std::uint32_t position;
};

// The writes of each key, by session and position: filled session by session, they arrive sorted.
class WritesByKey {
 public:
  WritesByKey(const History& history, const Relations& relations, Budget& budget)
      : relations_(relations), first_(history.key_count() + 1, 0) {
    for (const TransactionId t : history.transactions())
      for_each_write(t, [&](KeyId key) { ++first_[key.index + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    writes_.resize(first_.back());
    std::vector<std::uint32_t> next = first_;
    for (const SessionId session : history.sessions()) {
      std::uint32_t position = 0;
      for (const TransactionId t : history.session_transactions(session)) {
        budget.poll("writes by session");
        for_each_write(t, [&](KeyId key) { writes_[next[key.index]++] = {session, position}; });
        ++position;
      }
    }
  }

  std::span<const PlacedWrite> of(std::size_t key) const {
    return std::span(writes_).subspan(first_[key], first_[key + 1] - first_[key]);
  }
  std::size_t size() const { return writes_.size(); }

 private:
  template <class Visit>
  void for_each_write(TransactionId t, Visit&& visit) const {
    if (!relations_.takes_part[t.index]) return;
    for (const Access& access : relations_.read_write_sets.of(t))
      if (!access.written.is_none()) visit(access.key);
  }

  const Relations& relations_;
  std::vector<std::uint32_t> first_;
  std::vector<PlacedWrite> writes_;
};

}  // namespace

SessionWrites::SessionWrites(const History& history, const Relations& relations, Budget& budget) {
  const WritesByKey writes(history, relations, budget);
  positions_.reserve(writes.size());
  first_entry_.reserve(history.key_count() + 1);
  for (std::size_t key = 0; key < history.key_count(); ++key) {
    first_entry_.push_back(static_cast<std::uint32_t>(entries_.size()));
    SessionId last = SessionId::none();
    for (const PlacedWrite& write : writes.of(key)) {
      if (write.session != last)
        entries_.push_back({write.session, static_cast<std::uint32_t>(positions_.size())});
      last = write.session;
      positions_.push_back(write.position);
    }
  }
  first_entry_.push_back(static_cast<std::uint32_t>(entries_.size()));
  entries_.push_back({SessionId::none(), static_cast<std::uint32_t>(positions_.size())});
}

SessionWrites::Entry& SessionWrites::entry(KeyId key, SessionId session) {
  const std::span<Entry> entries = of(key);
  return *std::ranges::lower_bound(entries, session, {}, &Entry::session);
}

std::uint32_t SessionWrites::last_below(const Entry& entry, std::uint32_t limit) const {
  const std::span<const std::uint32_t> all = positions(entry);
  const auto end = std::ranges::lower_bound(all, limit);
  return end == all.begin() ? 0 : *(end - 1) + 1;
}

std::vector<std::uint32_t> positions_in_sessions(const History& history) {
  std::vector<std::uint32_t> positions(history.transaction_count());
  std::vector<std::uint32_t> next(history.session_count(), 0);
  for (const TransactionId t : history.transactions()) positions[t.index] = next[history.session(t).index]++;
  return positions;
}

}  // namespace serval
