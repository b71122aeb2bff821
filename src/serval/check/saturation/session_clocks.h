#pragma once
// Vector clocks over sessions: how many transactions of each session are visible. Thousands of sessions
// with few transactions each are common if a recording does not identify clients, so clocks share their
// common parts. A clock is a row of blocks; a block is modified in place only while no other clock uses
// it.
//
//   Clock c = clocks.make();
//   clocks.advance(c, session, 3);       // the first three transactions of the session
//   clocks.join(c, other);               // the later of the two, session by session
//   clocks.seen(c, session)              // >= 3
//
// One word per session, or one bit per transaction if that takes less space. A clock that extends
// another costs the blocks in which they differ plus one number for each of the others.

#include <cstdint>
#include <span>
#include <vector>

#include "serval/history/history.h"

namespace serval {

class SessionClocks {
 public:
  using Clock = std::uint32_t;
  static constexpr Clock kNone = 0xFFFFFFFFu;

  explicit SessionClocks(const History& history);

  Clock make();  // A clock of zeros.
  Clock copy(Clock clock);
  void release(Clock clock);

  void join(Clock into, Clock from);
  // No effect if the clock is already further.
  void advance(Clock clock, SessionId session, std::uint32_t count);
  std::uint32_t seen(Clock clock, SessionId session) const;

  // Calls `visit` with ascending, disjoint ranges of sessions, outside of which the two clocks are
  // equal.
  template <class Visit>
  void for_each_difference(Clock one, Clock other, Visit&& visit) const {
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < row_size_; ++i) {
      if (block_of(one, i) == block_of(other, i)) continue;
      const std::uint32_t begin = std::max(next, session_at(std::uint64_t{i} * block_size_)),
                          end = end_of_block(i);
      if (begin < end) visit(SessionId{begin}, SessionId{end});
      next = std::max(next, end);
    }
  }

 private:
  using Block = std::uint32_t;
  static constexpr Block kEmpty = 0;                   // The shared block of zeros.
  static constexpr std::uint32_t kLargestBlock = 128;  // Words.

  const Block& block_of(Clock clock, std::uint32_t i) const {
    return rows_[std::size_t{clock} * row_size_ + i];
  }
  Block& block_of(Clock clock, std::uint32_t i) { return rows_[std::size_t{clock} * row_size_ + i]; }
  std::span<const std::uint32_t> words(Block block) const {
    return std::span(words_).subspan(std::size_t{block} * block_size_, block_size_);
  }
  std::span<std::uint32_t> words(Block block) {
    return std::span(words_).subspan(std::size_t{block} * block_size_, block_size_);
  }
  std::uint32_t word(Clock clock, std::uint64_t index) const {
    return words(block_of(clock, static_cast<std::uint32_t>(index / block_size_)))[index % block_size_];
  }
  bool has_bit(Clock clock, std::uint64_t bit) const {
    return (word(clock, bit / 32) >> (bit % 32) & 1) != 0;
  }
  std::uint32_t& own_word(Clock clock, std::uint64_t index);
  Block new_block();
  Block copy_block(Block block);
  void drop(Block block);
  void join_blocks(Block& into, Block from);
  std::uint32_t session_at(std::uint64_t word) const;
  std::uint32_t end_of_block(std::uint32_t i) const;

  std::uint32_t sessions_;
  bool packed_;                           // One bit per transaction.
  std::vector<std::uint64_t> first_bit_;  // By session, if packed; plus a sentinel.
  std::uint32_t block_size_ = 1;          // In words.
  std::uint32_t row_size_ = 1;            // In blocks.
  std::vector<Block> rows_;
  std::vector<Clock> free_rows_;
  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> owners_;  // By block: number of clocks that use it.
  std::vector<Block> free_blocks_;
};

}  // namespace serval
