#pragma once
// (key, value) -> the version with that value: a flat open-addressed table with 16 bytes per slot and
// one cache line per probe. Lookups for a run of reads are overlapped by prefetching, because with a
// million transactions every probe misses the cache.
//
//   VersionTable table(expected);
//   table.insert(key, value, version);                  // a second version of one (key, value) is ambiguous
//   VersionTable::Hit hit = table.find(key, value);

#include <bit>
#include <cstdint>
#include <vector>

#include "serval/inference/read_write_sets.h"

namespace serval {

class VersionTable {
 public:
  struct Hit {
    VersionId version = VersionId::none();  // none(): not the last write of any transaction.
    bool ambiguous = false;                 // Several transactions left this value behind.
  };

  // Space for `versions` insertions at a load of at most two thirds.
  explicit VersionTable(std::size_t versions)
      : slots_(std::bit_ceil(versions + versions / 2 + 8)), mask_(slots_.size() - 1) {}

  void prefetch(KeyId key, Value value) const noexcept { __builtin_prefetch(&slots_[home(key, value)]); }

  void insert(KeyId key, Value value, VersionId version) noexcept {
    std::size_t at = home(key, value);
    for (; slots_[at].version != kEmpty; at = (at + 1) & mask_) {
      if (slots_[at].key == key && slots_[at].value == value) {
        slots_[at].version |= kAmbiguous;
        return;
      }
    }
    slots_[at] = {value, key, version.index};
  }

  Hit find(KeyId key, Value value) const noexcept {
    for (std::size_t at = home(key, value); slots_[at].version != kEmpty; at = (at + 1) & mask_) {
      if (slots_[at].key == key && slots_[at].value == value)
        return {VersionId{slots_[at].version & ~kAmbiguous}, (slots_[at].version & kAmbiguous) != 0};
    }
    return {};
  }

 private:
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFFu;
  static constexpr std::uint32_t kAmbiguous = 0x80000000u;  // Versions stay below 2^31 - 1.
  struct Slot {
    Value value;
    KeyId key;
    std::uint32_t version = kEmpty;
  };

  std::size_t home(KeyId key, Value value) const noexcept {
    const std::uint64_t mixed = (value.bits() ^ (std::uint64_t{key.index} << 40)) * 0x9E3779B97F4A7C15u;
    return (mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9u >> 20 & mask_;
  }

  std::vector<Slot> slots_;
  std::size_t mask_;
};

}  // namespace serval
