#pragma once
// What a session guarantee (Terry et al. 1994) or pram implies for the versions of each key, as a graph.
//
// Every guarantee has one form: T4 reads x from T1, and certain transactions T2 that wrote x must not be
// later than T1. These are a prefix of a chain, with one chain per session and key:
//
//   read your writes       the session of T4 wrote x, up to T4
//   monotonic reads        the session of T4 saw x, up to T4 (it read anything from a writer of x)
//   monotonic writes       the session of a T5 that T4 reads from wrote x, up to T5
//   writes follow reads    the session of a T5 that T4 reads from saw x, up to T5
//   pram                   every session wrote x, up to what T4's session has read from it
//
// A prefix may be long, and nothing orders its members among themselves, so each position in a chain
// gets a vertex for the latest version so far. "Not later than" allows equality: the guarantee is
// violated exactly if a strongly connected component of this graph contains two versions.
// O(constraints), one per read and session.

#include <cstdint>
#include <span>
#include <vector>

#include "serval/base/budget.h"
#include "serval/check/saturation/forced_order.h"
#include "serval/evidence/verdict.h"
#include "serval/graph/csr_graph.h"
#include "serval/history/history.h"
#include "serval/levels/level.h"

namespace serval {

// The four session guarantees and pram.
bool is_session_guarantee(Level level);

// By key: whether some value was appended to the list twice, so its reads do not determine whose appends
// they show.
std::vector<bool> keys_with_repeated_appends(const History& history);
// By key: whether reads show its version order.
std::vector<bool> keys_that_show_order(const History& history, const Relations& relations);

struct VersionConstraints {
  CsrGraph graph;  // Vertices below `versions` are VersionIds, the others positions in chains.
  Vertex versions = 0;
  std::vector<StaleInitialRead> stale;  // Each violates the guarantee by itself.
};

VersionConstraints constrain_versions(const History& history, const Relations& relations, Level level,
                                      Budget& budget);

// One version order per key that a session guarantee or pram allows, or why there is none.
struct VersionOrders {
  std::vector<Anomaly> anomalies;     // Empty: the guarantee holds for the reads that are certain.
  Jagged<TransactionId> by_key = {};  // Then the writers of every key, oldest first.
};

// session_guarantees.cpp
VersionOrders order_versions(const History& history, const Relations& relations, Level level, Budget& budget);

}  // namespace serval
