#pragma once
// The relations of a history of registers and lists: which version every external read saw, which
// transactions count, who overwrote which version. What cannot be known is listed, not guessed. (MTC
// section IV-A: with unique values the reads-from relation is determined, and with a read before every
// write so is the order of the versions.)
//
//   Relations relations = infer_relations(history, budget);
//   relations.read_write_sets.versions[v].overwriter        // the next version's writer
//
// An indeterminate transaction takes part exactly when a transaction that takes part read from it: then it
// must have committed. One that nobody saw can be left out of any execution without changing what others
// read, so leaving it out decides the same. docs/decisions/003-indeterminate-transactions.md has the proof.
//
// A key's versions form a chain when its initial version has one direct overwriter and every other writer
// read what it overwrote. A single write without a read (say, by the transaction that loads the table) is
// therefore fine; a second one leaves the order open and is listed in open_writes.
//
// Lists show their order: list_versions.h.
//
// O(operations) expected time, and O(elements) of the lists that were read.

#include <cstdint>
#include <span>
#include <vector>

#include "serval/base/jagged.h"
#include "serval/evidence/list_conflict.h"
#include "serval/inference/hinted_versions.h"
#include "serval/inference/read_write_sets.h"

namespace serval {

// Two transactions that read the same version and both overwrote it (MTC Definition 10).
struct DivergentWrites {
  VersionId version;
  KeyId key;
  TransactionId first, second;
};

// A version of a list that its writer followed by another of its own.
struct EarlierVersion {
  TransactionId writer;
  KeyId key;
  VersionId version;
};

// Two appends to a list whose reads contradict each other, in the order in which one of these shows them. The
// other may well show the contrary.
struct ContestedAppends {
  TransactionId from, to;
  KeyId key;
  OperationId earlier, later;
};

struct Relations {
  ReadWriteSets read_write_sets;
  std::vector<bool> takes_part;    // By transaction.
  std::vector<FaultyRead> faults;  // Of transactions that take part, in the order of the history.
  std::vector<DivergentWrites> divergences;
  std::vector<OrderConflict> order_conflicts;  // One for each read that disagrees with its key's longest.
  std::vector<DirtyUpdate> dirty_updates;      // One for each aborted append that was built upon.
  // By (from, to). Read-uncommitted asks nothing else of reads; above it the contradiction is a violation.
  std::vector<ContestedAppends> contested;
  std::vector<EarlierVersion> earlier_versions;  // By writer.
  // Repeated external reads whose version is certain, in the order of the history.
  std::vector<RepeatedRead> repeated_reads;
  // By version, besides its overwriter: writers of versions that certainly come later. No rows: none has any.
  Jagged<TransactionId> later;
  // Versions follow each other for reasons other than reads (lists show it, hints say it): then write
  // dependencies are edges of their own. Otherwise each comes with a read dependency between the same two.
  bool has_separate_writes = false;
  // By key: whether that is so for its versions. Empty: for none.
  std::vector<bool> shows_order;
  std::vector<HintedVersions> hinted;                // By (earlier, later); see version_hints.h.
  std::vector<VersionContradiction> contradictions;  // Likewise, in the order of the keys.
  // Why the order of versions may be incomplete; empty vectors: it is complete.
  std::vector<OperationId> ambiguous_reads;  // Several transactions left the value behind.
  std::vector<OperationId> open_writes;      // Written without a read, and not alone in being so on its key.
  std::span<const TransactionId> later_writers(VersionId version) const {
    return later.rows() == 0 ? std::span<const TransactionId>{} : later[version.index];
  }
  bool order_is_shown(KeyId key) const { return key.index < shows_order.size() && shows_order[key.index]; }
  bool has_unsupported() const { return read_write_sets.unsupported_count > 0; }
  bool order_is_complete() const {
    return ambiguous_reads.empty() && open_writes.empty() && !has_unsupported();
  }
};

Relations infer_relations(const History& history, Budget& budget);

}  // namespace serval
