#pragma once
// What a transaction has done to each of its keys so far: a linear search for few keys, an index by key
// for many. State has a member `key`; the other members of a new one are value-initialised.

#include <cstdint>
#include <span>
#include <vector>

#include "serval/history/ids.h"

namespace serval {

template <class State>
class KeyStates {
 public:
  explicit KeyStates(std::size_t key_count) : key_count_(key_count) {}

  // Before keys that did not exist then; all() must be empty.
  void set_key_count(std::size_t key_count) { key_count_ = key_count; }

  void clear() {
    states_.clear();
    ++epoch_;
  }
  std::span<const State> all() const { return states_; }

  State& operator[](KeyId key) { return states_[position(key)]; }

  // The position of the key in all(); a new key is appended.
  std::uint32_t position(KeyId key) {
    if (states_.size() <= kFew) {
      for (std::uint32_t at = 0; at < states_.size(); ++at) {
        if (states_[at].key == key) return at;
      }
      if (states_.size() < kFew) return add(key);
      index_all();
    }
    Slot& slot = index_[key.index];
    if (slot.epoch != epoch_) slot = {epoch_, add(key)};
    return slot.position;
  }

 private:
  static constexpr std::size_t kFew = 12;
  struct Slot {
    std::uint32_t epoch = 0;
    std::uint32_t position = 0;
  };

  std::uint32_t add(KeyId key) {
    states_.push_back(State{.key = key});
    return static_cast<std::uint32_t>(states_.size() - 1);
  }
  void index_all() {
    index_.resize(key_count_);
    for (std::uint32_t position = 0; position < states_.size(); ++position)
      index_[states_[position].key.index] = {epoch_, position};
  }

  std::size_t key_count_;
  std::vector<State> states_;
  std::vector<Slot> index_;
  std::uint32_t epoch_ = 0;
};

}  // namespace serval
