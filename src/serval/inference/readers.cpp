#include "serval/inference/readers.h"

#include <algorithm>

#include "serval/inference/external_reads.h"

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

VersionId final_version(const Relations& relations, TransactionId t, KeyId key) {
  const Access* const access = relations.read_write_sets.access(t, key);
  return access == nullptr ? VersionId::none() : access->written;
}

OperationId final_write(const Relations& relations, TransactionId t, KeyId key) {
  const VersionId version = final_version(relations, t, key);
  return version.is_none() ? OperationId::none() : relations.read_write_sets.write_operation[version.index];
}

}  // namespace serval
