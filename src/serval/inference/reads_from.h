#pragma once
// The relations of a history of registers and lists: which version every external read saw, which
// transactions count, which transaction overwrote which version. What cannot be known is listed, not
// guessed. (MTC section IV-A: with unique values the reads-from relation is determined, and with a read
// before every write so is the version order.)
//
//   Relations relations = infer_relations(history, budget);
//   relations.read_write_sets.versions[v].overwriter        // the next version's writer
//
// An indeterminate transaction participates exactly if a participating transaction read from it: it must
// then have committed. One that nobody saw can be removed from any execution without changing what
// others read, so ignoring it does not change the verdict.
// docs/decisions/003-indeterminate-transactions.md has the proof.
//
// A key's versions form a chain if its initial version has one direct overwriter and every other writer
// read what it overwrote. A single write without a read (for example, by the transaction that loads the
// table) is therefore fine; a second one leaves the order open and is listed in open_writes.
//
// Lists show their order: list_versions.h.
//
// O(operations) expected time, plus O(elements) of the lists that were read.

#include <cstdint>
#include <span>
#include <vector>

#include "serval/base/jagged.h"
#include "serval/evidence/list_conflict.h"
#include "serval/evidence/version_precedence.h"
#include "serval/inference/read_write_sets.h"
#include "serval/inference/repeated_inserts.h"

namespace serval {

// Two transactions that read the same version and both overwrote it (MTC Definition 10).
struct DivergentWrites {
  VersionId version;
  KeyId key;
  TransactionId first, second;
};

// A version of a list that its writer followed with another append of its own.
struct EarlierVersion {
  TransactionId writer;
  KeyId key;
  VersionId version;
};

// Two appends to a list whose reads contradict each other, in the order in which one of these reads
// shows them. The other read may show the opposite order.
struct ContestedAppends {
  TransactionId from, to;
  KeyId key;
  OperationId earlier, later;
};

// An order of two versions that rests on an assumption.
struct HintedVersions {
  VersionId earlier, later;
  VersionPrecedence reason;
};

struct Relations {
  ReadWriteSets read_write_sets;
  std::vector<bool> takes_part;    // By transaction.
  std::vector<FaultyRead> faults;  // Of participating transactions, in history order.
  std::vector<DivergentWrites> divergences;
  std::vector<Divergence> repeated_inserts;  // The same for mixed keys, as far as it is certain.
  // One for each read that disagrees with the longest read of its key.
  std::vector<OrderConflict> order_conflicts;
  std::vector<DirtyUpdate> dirty_updates;  // One for each aborted append that others built upon.
  // By (from, to). Read-uncommitted requires nothing else of reads; at higher levels the contradiction
  // is a violation.
  std::vector<ContestedAppends> contested;
  std::vector<EarlierVersion> earlier_versions;  // By writer.
  // Repeated external reads whose version is certain, in history order.
  std::vector<RepeatedRead> repeated_reads;
  // By version, besides its overwriter: writers of versions that certainly come later. No rows: none for
  // any version.
  Jagged<TransactionId> later;
  // Whether some version order is known from other sources than reads (lists or hints): write
  // dependencies are then separate edges. Otherwise each one comes with a read dependency between the
  // same two transactions.
  bool has_separate_writes = false;
  // By key: whether this applies to its versions. Empty: to none.
  std::vector<bool> shows_order;
  std::vector<HintedVersions> hinted;                // By (earlier, later); see version_hints.h.
  std::vector<VersionContradiction> contradictions;  // Likewise, in key order.
  // Why the version order may be incomplete; if both vectors are empty, it is complete.
  std::vector<OperationId> ambiguous_reads;  // Several transactions left the value behind.
  std::vector<OperationId> open_writes;      // Written without a read, on a key with another such write.
  std::span<const TransactionId> later_writers(VersionId version) const {
    return later.rows() == 0 ? std::span<const TransactionId>{} : later[version.index];
  }
  bool order_is_shown(KeyId key) const { return key.index < shows_order.size() && shows_order[key.index]; }
  bool has_unsupported() const { return read_write_sets.unsupported_count > 0; }
  bool order_is_complete() const {
    return ambiguous_reads.empty() && open_writes.empty() && !has_unsupported();
  }
};

// Calls visit(before, after) for each participating transaction and the next one of its session.
template <class Visit>
void for_each_session_step(const History& history, const std::vector<bool>& takes_part, Visit&& visit) {
  for (const SessionId session : history.sessions()) {
    TransactionId before = TransactionId::none();
    for (const TransactionId t : history.session_transactions(session)) {
      if (!takes_part[t.index]) continue;
      if (!before.is_none()) visit(before, t);
      before = t;
    }
  }
}

Relations infer_relations(const History& history, Budget& budget);

}  // namespace serval
