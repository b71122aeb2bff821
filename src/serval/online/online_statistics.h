#pragma once
// The counts of the online verifier.

#include <array>
#include <cstdint>

#include "serval/history/operation.h"
#include "serval/online/profile.h"
#include "serval/online/violation.h"

namespace serval::online {

// Patterns that certifiers of databases look for (Leopard V-D; report II, Table II), among committed
// transactions. None is a violation by itself: a certifier may refuse more than its level forbids. Only
// what is certain from the intervals is counted.
struct CertifierHints {
  std::uint64_t consecutive_anti_dependencies = 0;  // Transactions between two rw: pivots.
  std::uint64_t dangerous_structures = 0;  // SSI: pivots whose successor committed first of the three.
  std::uint64_t against_commit_order = 0;  // TO: dependencies on a transaction that committed later.
  std::uint64_t overwritten_reads = 0;     // OCC: reads of a writer, overwritten before its commit.
  std::uint64_t concurrent_writes = 0;     // Percolator: writes of what had changed since the snapshot.

  // The matches of one certifier's pattern; 0 for none.
  std::uint64_t matches_of(Certifier certifier) const;
};

struct OnlineStatistics {
  std::uint64_t records = 0, operations = 0;
  std::uint64_t committed = 0, aborted = 0, indeterminate = 0;
  std::uint64_t reads_checked = 0;
  std::uint64_t reads_unchecked = 0;  // The profile promises nothing about them, or the value is unknown.
  // Reads of values whose commit had not begun when they completed, and the maximum time by which the
  // commit began later. Either the database shows uncommitted values, or the clocks of its clients
  // disagree.
  std::uint64_t reads_ahead = 0;
  Time largest_lead = 0;
  // Leopard, Figs. 3 and 12: by Dependency. Uncertain: a dependency exists, but on an unknown transaction.
  // Overlapping: the intervals of the two events overlap (two installs; an install and a snapshot), so that
  // times alone leave it open. It was deduced nevertheless, or is uncertain.
  std::array<std::uint64_t, kDependencyCount> deduced{}, uncertain{}, overlapping{};
  std::array<std::uint64_t, kMechanismCount> violations{};  // By Mechanism.
  std::uint64_t violations_in_all() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : violations) sum += count;
    return sum;
  }
  CertifierHints hints;
  Certifier certifier = Certifier::None;  // Of the profile.
  // Currently in memory.
  std::uint64_t keys = 0, versions = 0, locks = 0, vertices = 0, edges = 0, open_transactions = 0;
};

}  // namespace serval::online
