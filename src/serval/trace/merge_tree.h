#pragma once
// Whose record is next? A tree of losers (Knuth 5.4.1) over the lanes of a merge: each inner node keeps
// the key that lost there, so that a new key of the winner costs one comparison a level, without a branch
// that would be guessed wrong.
//
//   MergeTree tree;
//   tree.rebuild(keys);                  // After lanes came or went. O(lanes)
//   tree.winner();                       // The smallest key.
//   tree.replace_winner(time);           // Its lane has a new one. O(log lanes)
//   tree.runner_up();                    // The smallest of the others. O(log lanes)

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "serval/history/operation.h"

namespace serval {

struct MergeKey {
  Time time = kUnknownEnd;
  std::uint32_t client = 0xFFFFFFFFu;  // Decides between equal times.
  std::uint32_t lane = 0xFFFFFFFFu;

  friend bool operator<(const MergeKey& a, const MergeKey& b) {
    return static_cast<int>(a.time < b.time) |
           (static_cast<int>(a.time == b.time) & static_cast<int>(a.client < b.client));
  }
};

class MergeTree {
 public:
  void rebuild(std::span<const MergeKey> keys) {
    leaves_ = std::bit_ceil(keys.size() + 1);
    losers_.assign(leaves_, MergeKey{});
    winner_ = play(1, keys);
  }
  const MergeKey& winner() const noexcept { return winner_; }

  void replace_winner(Time time) {
    MergeKey key = winner_;
    key.time = time;
    for (std::size_t node = (leaves_ + key.lane) / 2; node > 0; node /= 2) {
      const MergeKey loser = losers_[node];
      const bool loses = loser < key;
      losers_[node] = loses ? key : loser;
      key = loses ? loser : key;
    }
    winner_ = key;
  }

  // Its time is kUnknownEnd where there is no other.
  MergeKey runner_up() const {
    MergeKey best;
    for (std::size_t node = (leaves_ + winner_.lane) / 2; node > 0; node /= 2)
      if (losers_[node] < best) best = losers_[node];
    return best;
  }

 private:
  // The winner of the games below `node`; keeps the loser of each.
  MergeKey play(std::size_t node, std::span<const MergeKey> keys) {
    if (node >= leaves_) return node - leaves_ < keys.size() ? keys[node - leaves_] : MergeKey{};
    MergeKey left = play(2 * node, keys);
    MergeKey right = play(2 * node + 1, keys);
    if (right < left) std::swap(left, right);
    losers_[node] = right;
    return left;
  }

  std::size_t leaves_ = 1;
  std::vector<MergeKey> losers_{MergeKey{}};  // From 1.
  MergeKey winner_;
};

}  // namespace serval
