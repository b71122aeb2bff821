#pragma once
// What the online verifier counts.

#include <array>
#include <cstdint>

#include "serval/history/operation.h"
#include "serval/online/dependency.h"
#include "serval/online/violation.h"

namespace serval::online {

// What the database's own rule for the order of transactions would have looked at.
struct CertifierHints {
  std::uint64_t consecutive_anti_dependencies = 0;  // Two rw in a row.
  std::uint64_t dangerous_structures = 0;           // The last of the three committed first.
  std::uint64_t against_commit_order = 0;           // A dependency from a later to an earlier commit.
};

struct OnlineStatistics {
  std::uint64_t records = 0, operations = 0;
  std::uint64_t committed = 0, aborted = 0, indeterminate = 0;
  std::uint64_t reads_checked = 0;
  std::uint64_t reads_unchecked = 0;  // The profile promises nothing about them, or their value is unknown.
  // Reads of what nobody had begun to commit when they were answered, and how much later the commit began, at
  // most: either the database shows what is not committed, or the clocks of its clients disagree.
  std::uint64_t reads_ahead = 0;
  Time largest_lead = 0;
  // Leopard, Fig. 12: by Dependency. Uncertain: there is one, but not known to whom.
  std::array<std::uint64_t, kDependencyCount> deduced{}, uncertain{};
  std::array<std::uint64_t, kMechanismCount> violations{};  // By Mechanism.
  std::uint64_t violations_in_all() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : violations) sum += count;
    return sum;
  }
  CertifierHints hints;
  // What is remembered now.
  std::uint64_t keys = 0, versions = 0, locks = 0, vertices = 0, edges = 0, open_transactions = 0;
};

}  // namespace serval::online
