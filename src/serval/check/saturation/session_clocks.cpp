#include "serval/check/saturation/session_clocks.h"

#include <algorithm>

namespace serval {
namespace {

struct ClockComparison {
  bool first_has_more = false, second_has_more = false;
};

ClockComparison compare(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second,
                        bool packed) {
  std::uint32_t more = 0, less = 0;
  if (packed) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      more |= first[i] & ~second[i];
      less |= second[i] & ~first[i];
    }
  } else {
    for (std::size_t i = 0; i < first.size(); ++i) {
      more |= static_cast<std::uint32_t>(first[i] > second[i]);
      less |= static_cast<std::uint32_t>(second[i] > first[i]);
    }
  }
  return {more != 0, less != 0};
}

void merge(std::span<std::uint32_t> into, std::span<const std::uint32_t> from, bool packed) {
  if (packed)
    for (std::size_t i = 0; i < into.size(); ++i) into[i] |= from[i];
  else
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

SessionClocks::SessionClocks(const History& history)
    : sessions_(static_cast<std::uint32_t>(history.session_count())),
      packed_(history.transaction_count() <= std::size_t{32} * sessions_) {
  std::uint64_t size = sessions_;
  if (packed_) {
    first_bit_.reserve(sessions_ + 1);
    first_bit_.push_back(0);
    for (const SessionId session : history.sessions())
      first_bit_.push_back(first_bit_.back() + history.session_transactions(session).size());
    size = first_bit_.back() / 32 + 1;
  }
  size = std::max<std::uint64_t>(size, 1);
  block_size_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, kLargestBlock));
  row_size_ = static_cast<std::uint32_t>((size + block_size_ - 1) / block_size_);
  words_.assign(block_size_, 0);
  owners_.assign(1, 1);
}

SessionClocks::Clock SessionClocks::make() {
  Clock clock = static_cast<Clock>(rows_.size() / row_size_);
  if (free_rows_.empty()) {
    rows_.resize(rows_.size() + row_size_, kEmpty);
    return clock;
  }
  clock = free_rows_.back();
  free_rows_.pop_back();
  for (std::uint32_t i = 0; i < row_size_; ++i) block_of(clock, i) = kEmpty;
  return clock;
}

SessionClocks::Clock SessionClocks::copy(Clock clock) {
  const Clock out = make();
  for (std::uint32_t i = 0; i < row_size_; ++i) {
    const Block block = block_of(clock, i);
    block_of(out, i) = block;
    ++owners_[block];
  }
  return out;
}

void SessionClocks::release(Clock clock) {
  for (std::uint32_t i = 0; i < row_size_; ++i) drop(block_of(clock, i));
  free_rows_.push_back(clock);
}

void SessionClocks::drop(Block block) {
  if (block != kEmpty && --owners_[block] == 0) free_blocks_.push_back(block);
}

SessionClocks::Block SessionClocks::new_block() {
  if (!free_blocks_.empty()) {
    const Block block = free_blocks_.back();
    free_blocks_.pop_back();
    owners_[block] = 1;
    return block;
  }
  words_.resize(words_.size() + block_size_);
  owners_.push_back(1);
  return static_cast<Block>(owners_.size() - 1);
}

SessionClocks::Block SessionClocks::copy_block(Block block) {
  const Block out = new_block();
  std::ranges::copy(words(block), words(out).begin());
  return out;
}

void SessionClocks::join(Clock into, Clock from) {
  for (std::uint32_t i = 0; i < row_size_; ++i) {
    const Block other = block_of(from, i);
    if (other != kEmpty && other != block_of(into, i)) join_blocks(block_of(into, i), other);
  }
}

// Shares a block that contains all of the other; creates a third only if each has something of its own.
void SessionClocks::join_blocks(Block& into, Block from) {
  const ClockComparison found =
      into == kEmpty ? ClockComparison{false, true} : compare(words(into), words(from), packed_);
  if (!found.second_has_more) return;
  if (!found.first_has_more) {
    drop(into);
    into = from;
    ++owners_[from];
    return;
  }
  if (owners_[into] > 1) {
    const Block own = copy_block(into);
    drop(into);
    into = own;
  }
  merge(words(into), words(from), packed_);
}

std::uint32_t& SessionClocks::own_word(Clock clock, std::uint64_t index) {
  Block& block = block_of(clock, static_cast<std::uint32_t>(index / block_size_));
  if (block == kEmpty || owners_[block] > 1) {
    const Block own = copy_block(block);
    drop(block);
    block = own;
  }
  return words(block)[index % block_size_];
}

void SessionClocks::advance(Clock clock, SessionId session, std::uint32_t count) {
  const std::uint32_t before = seen(clock, session);
  if (before >= count) return;
  if (!packed_) {
    own_word(clock, session.index) = count;
    return;
  }
  for (std::uint64_t bit = first_bit_[session.index] + before; bit < first_bit_[session.index] + count; ++bit)
    own_word(clock, bit / 32) |= std::uint32_t{1} << (bit % 32);
}

std::uint32_t SessionClocks::seen(Clock clock, SessionId session) const {
  if (!packed_) return word(clock, session.index);
  std::uint64_t low = first_bit_[session.index], high = first_bit_[session.index + 1];
  while (low < high) {  // The first bit that is not set.
    const std::uint64_t middle = low + (high - low) / 2;
    if (has_bit(clock, middle))
      low = middle + 1;
    else
      high = middle;
  }
  return static_cast<std::uint32_t>(low - first_bit_[session.index]);
}

// The session of the first bit of a word.
std::uint32_t SessionClocks::session_at(std::uint64_t word) const {
  if (!packed_) return static_cast<std::uint32_t>(std::min<std::uint64_t>(word, sessions_));
  const auto after = std::ranges::upper_bound(first_bit_, word * 32);
  return static_cast<std::uint32_t>(after - first_bit_.begin()) - 1;
}

std::uint32_t SessionClocks::end_of_block(std::uint32_t i) const {
  const std::uint64_t end = (std::uint64_t{i} + 1) * block_size_;
  return packed_ ? std::min(session_at(end) + 1, sessions_) : session_at(end);
}

}  // namespace serval
