#pragma once
// The external reads of each transaction, in program order, with the writer that each certainly saw: the
// input of all axioms of the weak levels. Uncertain reads are omitted; a key that was read again is
// repeated if it had changed.
//
//   ExternalReads reads(history, relations);
//   for (const ExternalRead& read : reads.of(t)) ...        // valid until the next call
//
// In history order, each read costs one prefetched lookup.

#include <span>
#include <vector>

#include "serval/inference/reads_from.h"

namespace serval {

struct ExternalRead {
  KeyId key;
  VersionId version;
  TransactionId writer;  // none(): the initial version.
};

// The same with the operation, for use with few transactions: allocates a vector per call. Here a key
// that was read again is always repeated, because the last read limits what may be visible in between.
struct CertainRead {
  KeyId key;
  VersionId version;
  OperationId operation;
};
std::vector<CertainRead> certain_reads(const History& history, const Relations& relations, TransactionId t);

class ExternalReads {
 public:
  ExternalReads(const History& history, const Relations& relations)
      : history_(history), relations_(relations), sets_(relations.read_write_sets) {}

  std::span<const ExternalRead> of(TransactionId t) {
    found_.clear();
    for (const Access& access : sets_.of(t)) {
      sets_.prefetch_versions_after(access);
      if (access.read.is_none()) continue;
      found_.push_back({access.key, access.read, sets_.versions[access.read.index].writer});
    }
    if (!relations_.repeated_reads.empty() && has_changed_reads(t)) [[unlikely]]
      add_all(t);
    return found_;
  }

  // Including repeated reads, changed or not.
  std::span<const ExternalRead> all_of(TransactionId t) {
    of(t);
    const bool repeats = history_.operations(t).size() > sets_.of(t).size() && reads_more_often(t);
    if (repeats || (relations_.has_separate_writes && !follow_program_order(t))) add_all(t);
    return found_;
  }

 private:
  bool has_changed_reads(TransactionId t) const;
  bool reads_more_often(TransactionId t) const;
  bool follow_program_order(TransactionId t) const;
  void add_all(TransactionId t);

  const History& history_;
  const Relations& relations_;
  const ReadWriteSets& sets_;
  std::vector<ExternalRead> found_;
};

}  // namespace serval
