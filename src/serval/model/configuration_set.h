#pragma once
// A set of short sequences of words, compared in full. Append-only; two allocations, whatever the number
// of members.
//
//   ConfigurationSet seen;
//   seen.insert(words)   // True the first time, false afterwards.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace serval {

class ConfigurationSet {
 public:
  bool insert(std::span<const std::uint64_t> words) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    const std::uint64_t hash = hash_of(words);
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.offset == kFree) {
        slot = {hash, words_.size()};
        words_.push_back(words.size());
        words_.insert(words_.end(), words.begin(), words.end());
        ++size_;
        return true;
      }
      if (slot.hash == hash && std::ranges::equal(member(slot), words)) return false;
    }
  }
  std::uint64_t size() const noexcept { return size_; }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t offset = kFree;
  };

  static std::uint64_t hash_of(std::span<const std::uint64_t> words) {
    std::uint64_t hash = words.size();
    for (const std::uint64_t word : words) {
      hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
      hash ^= hash >> 32;
    }
    return hash;
  }
  std::span<const std::uint64_t> member(const Slot& slot) const {
    return std::span(words_).subspan(slot.offset + 1, words_[slot.offset]);
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.offset == kFree) continue;
      std::size_t at = slot.hash & (slots_.size() - 1);
      while (slots_[at].offset != kFree) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace serval
