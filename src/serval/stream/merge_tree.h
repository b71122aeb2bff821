#pragma once
// Finds the lane with the next record: a tournament tree (Knuth 5.4.1) over the lanes of a merge. Each
// inner node keeps the smaller key of its children. Lanes can be added, changed and removed.
//
//   MergeTree tree;
//   tree.rebuild(keys);                  // Changes the number of lanes. O(lanes)
//   tree.set(key);                       // Adds a lane or changes its key; MergeKey::none(lane) removes it.
//   tree.winner();                       // The smallest key.
//   tree.replace_winner(time);           // Changes the key of its lane.
//   tree.runner_up();                    // The smallest of the others.
//
// All but rebuild take O(log lanes), without unpredictable branches.

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "serval/history/operation.h"

namespace serval {

struct MergeKey {
  Time time = kUnknownEnd;
  std::uint32_t client = 0xFFFFFFFFu;  // Breaks ties.
  std::uint32_t lane = 0xFFFFFFFFu;

  static MergeKey none(std::uint32_t lane) { return {kUnknownEnd, 0xFFFFFFFFu, lane}; }

  friend bool operator<(const MergeKey& a, const MergeKey& b) {
    return static_cast<int>(a.time < b.time) |
           (static_cast<int>(a.time == b.time) & static_cast<int>(a.client < b.client));
  }
};

class MergeTree {
 public:
  // Keys by lane, from 0; their number is the capacity.
  void rebuild(std::span<const MergeKey> keys) {
    leaves_ = std::bit_ceil(keys.size() + 1);
    nodes_.assign(2 * leaves_, MergeKey{});
    for (std::size_t i = 0; i < keys.size(); ++i) nodes_[leaves_ + i] = keys[i];
    for (std::size_t node = leaves_ - 1; node > 0; --node) play(node);
  }
  const MergeKey& winner() const noexcept { return nodes_[1]; }

  void set(const MergeKey& key) {
    std::size_t node = leaves_ + key.lane;
    nodes_[node] = key;
    for (node /= 2; node > 0; node /= 2) play(node);
  }
  void replace_winner(Time time) {
    MergeKey key = winner();
    key.time = time;
    set(key);
  }

  // Its time is kUnknownEnd if there is no other.
  MergeKey runner_up() const {
    MergeKey best;
    for (std::size_t node = leaves_ + winner().lane; node > 1; node /= 2)
      if (nodes_[node ^ 1] < best) best = nodes_[node ^ 1];
    return best;
  }

 private:
  void play(std::size_t node) {
    const MergeKey& left = nodes_[2 * node];
    const MergeKey& right = nodes_[2 * node + 1];
    nodes_[node] = right < left ? right : left;
  }

  std::size_t leaves_ = 1;
  std::vector<MergeKey> nodes_{MergeKey{}, MergeKey{}};  // From 1; the leaves are the second half.
};

}  // namespace serval
