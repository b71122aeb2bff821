#pragma once
// Which transactions are visible to each transaction, as rows of words: a count per session, or one bit
// per transaction if that takes less space. Shares nothing with the search's clocks.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "serval/verify/facts.h"

namespace serval::verify {

class Pasts {
 public:
  using Row = std::vector<std::uint32_t>;

  explicit Pasts(const Facts& facts) : facts_(facts) {
    const History& history = facts.history();
    counts_ = history.transaction_count() > 32 * history.session_count();
    for (const SessionId s : history.sessions()) {
      start_.push_back(size_);
      size_ += counts_ ? 1 : history.session_transactions(s).size();
    }
    if (!counts_) size_ = size_ / 32 + 1;
  }

  Row nothing() const { return Row(size_, 0); }
  void add(Row& row, const Row& other) const {
    if (counts_)
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::max(row[i], other[i]);
    else
      for (std::size_t i = 0; i < row.size(); ++i) row[i] |= other[i];
  }
  // Also covers all before it in its session, which must already be included.
  void add(Row& row, TransactionId t) const {
    if (counts_)
      row[place(t)] = std::max(row[place(t)], facts_.session_position(t) + 1);
    else
      row[bit(t) / 32] |= std::uint32_t{1} << (bit(t) % 32);
  }
  bool has(const Row& row, TransactionId t) const {
    if (counts_) return row[place(t)] > facts_.session_position(t);
    return (row[bit(t) / 32] >> (bit(t) % 32) & 1) != 0;
  }

 private:
  std::size_t place(TransactionId t) const { return start_[facts_.history().session(t).index]; }
  std::size_t bit(TransactionId t) const { return place(t) + facts_.session_position(t); }

  const Facts& facts_;
  bool counts_ = false;
  std::vector<std::size_t> start_;  // By session: its word, or its first bit.
  std::size_t size_ = 0;            // Words per row.
};

}  // namespace serval::verify
