#include "serval/check/readers.h"

#include <algorithm>

#include "serval/check/external_reads.h"

namespace serval {

Readers::Readers(const History& history, const Relations& relations,
                 const absl::flat_hash_set<TransactionId>& writers, Budget& budget) {
  ExternalReads reads(history, relations);
  for (const TransactionId t : history.transactions()) {
    budget.poll("evidence");
    if (!relations.takes_part[t.index]) continue;
    for (const ExternalRead& read : reads.of(t)) {
      if (!writers.contains(read.writer)) continue;
      std::vector<TransactionId>& found = readers_[read.writer];
      if (found.empty() || found.back() != t) found.push_back(t);
    }
  }
}

OperationId final_write(const Relations& relations, TransactionId t, KeyId key) {
  const auto accesses = relations.footprints.of(t);
  const auto found = std::ranges::find(accesses, key, &Access::key);
  const bool wrote = found != accesses.end() && !found->written.is_none();
  return wrote ? relations.footprints.write_operation[found->written.index] : OperationId::none();
}

}  // namespace serval
