#pragma once
// The counts of the online verifier.

#include <array>
#include <cstdint>

#include "serval/history/operation.h"
#include "serval/online/violation.h"

namespace serval::online {

// Structures that the database's own certifier would have examined.
struct CertifierHints {
  std::uint64_t consecutive_anti_dependencies = 0;  // Two rw in a row.
  std::uint64_t dangerous_structures = 0;           // The last of the three committed first.
  std::uint64_t against_commit_order = 0;           // A dependency from a later to an earlier commit.
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
  // Leopard, Fig. 12: by Dependency. Uncertain: a dependency exists, but on an unknown transaction.
  std::array<std::uint64_t, kDependencyCount> deduced{}, uncertain{};
  std::array<std::uint64_t, kMechanismCount> violations{};  // By Mechanism.
  std::uint64_t violations_in_all() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : violations) sum += count;
    return sum;
  }
  CertifierHints hints;
  // Currently in memory.
  std::uint64_t keys = 0, versions = 0, locks = 0, vertices = 0, edges = 0, open_transactions = 0;
};

}  // namespace serval::online
