#include "serval/inference/write_sets.h"

#include <algorithm>

namespace serval {

WriteSets::WriteSets(std::size_t transactions, const ReadWriteSets& read_write_sets, Budget& budget)
    : sets_(read_write_sets), signatures_(transactions, 0) {
  for (std::uint32_t t = 0; t < transactions; ++t) {
    budget.poll("write sets");
    std::uint64_t bits = 0;
    for (const Access& access : read_write_sets.of(TransactionId{t}))
      if (!access.written.is_none()) bits |= signature(access.key);
    signatures_[t] = bits;
  }
}

bool WriteSets::wrote(TransactionId t, KeyId key) {
  if ((signature(t) & signature(key)) == 0) return false;
  const std::span<const Access> accesses = sets_.of(t);
  if (accesses.size() > kFew) return std::ranges::binary_search(sorted_keys(t), key);
  for (const Access& access : accesses)
    if (access.key == key) return !access.written.is_none();
  return false;
}

const std::vector<KeyId>& WriteSets::sorted_keys(TransactionId t) {
  auto [found, fresh] = sorted_.try_emplace(t);
  std::vector<KeyId>& keys = found->second;
  if (fresh) {
    for_each_key(t, [&](KeyId key) { keys.push_back(key); });
    std::ranges::sort(keys);
  }
  return keys;
}

}  // namespace serval
