#pragma once
// The readers of a few writers, and what transactions wrote: only needed for evidence. One pass over the
// history.

#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "serval/base/budget.h"
#include "serval/history/history.h"
#include "serval/inference/reads_from.h"

namespace serval {

class Readers {
 public:
  Readers(const History& history, const Relations& relations,
          const absl::flat_hash_set<TransactionId>& writers, Budget& budget);

  // Ascending; requires one of the writers.
  const std::vector<TransactionId>& of(TransactionId writer) { return readers_[writer]; }

 private:
  absl::flat_hash_map<TransactionId, std::vector<TransactionId>> readers_;
};

// The version of `key` that `t` left behind; none() if it did not write it.
VersionId final_version(const Relations& relations, TransactionId t, KeyId key);
// The last write of `t` to `key`; none() if there is none.
OperationId final_write(const Relations& relations, TransactionId t, KeyId key);

}  // namespace serval
