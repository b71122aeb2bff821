#pragma once
// Which keys a transaction wrote: a 64-bit signature answers most queries negatively, and an exact
// lookup answers the rest. Transactions with many keys get a sorted index on first use, so that the
// smaller of two sets can always be looked up in the larger one (which bounds the axioms by n^1.5,
// AWDIT).

#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/base/budget.h"
#include "serval/inference/reads_from.h"

namespace serval {

class WriteSets {
 public:
  WriteSets(std::size_t transactions, const ReadWriteSets& read_write_sets, Budget& budget);

  static std::uint64_t signature(KeyId key) noexcept {
    return std::uint64_t{1} << (key.index * 0x9E3779B1u >> 26);
  }
  // The combined signature of all keys written by t; a key whose bit is not set was not written.
  std::uint64_t signature(TransactionId t) const noexcept { return signatures_[t.index]; }
  void prefetch(TransactionId t) const noexcept { __builtin_prefetch(&signatures_[t.index]); }
  // An upper bound for the number of keys written.
  std::size_t size(TransactionId t) const { return sets_.of(t).size(); }
  bool wrote(TransactionId t, KeyId key);

  template <class Visit>
  void for_each_key(TransactionId t, Visit&& visit) const {
    for (const Access& access : sets_.of(t))
      if (!access.written.is_none()) visit(access.key);
  }

 private:
  static constexpr std::size_t kFew = 16;
  const std::vector<KeyId>& sorted_keys(TransactionId t);

  const ReadWriteSets& sets_;
  std::vector<std::uint64_t> signatures_;
  absl::flat_hash_map<TransactionId, std::vector<KeyId>> sorted_;
};

}  // namespace serval
