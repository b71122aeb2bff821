#pragma once
// Checks that an execution proves what it claims: a commit order, with snapshots at the snapshot levels,
// in which every read returns what the client saw.
//
// Read-uncommitted, read-committed and prefix consistency: ordered_reads.h.
// Serializable family: each transaction sees all before it. Snapshot family (Cerone & Gotsman 2016): it
// sees the first snapshot[i] transactions, and no transaction between its snapshot and its commit wrote
// a key that it writes. Strong-session, strict and strong variants: predecessors in the session or in
// real time are visible. Linear time.

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

[[nodiscard]] Flaw flaw_of(const History& history, Level asked, const Holds& claim);

// Checks a commit order as witness for one of the weak levels of Biswas & Enea: it contains every
// transaction that counts exactly once, it contains reads-from and session order, and no read saw an
// older version than its transaction had to see. Near linear; causal O(reads * sessions * log).
// Monotonic atomic view, read committed (monotonic), read atomic and causal.
bool shown_by_commit_order(Level level);
Flaw flaw_of_commit_order(const History& history, const Holds& claim);

// Checks one version order per key as witness for a session guarantee or pram: it contains every writer
// that counts exactly once, and no read saw an older version than its transaction had to see. Near
// linear; pram O(reads * sessions * log).
bool shown_by_version_order(Level level);
// By key: whether some value was appended to the list twice, so that its reads do not determine whose
// appends they show. If they do but contradict each other, no version order agrees with them.
// O(operations).
std::vector<bool> lists_with_repeated_appends(const Facts& facts);
Flaw flaw_of_version_order(const History& history, const Holds& claim);

// Checks a commit order as witness for cursor-stability, monotonic-view, consistent-view or
// parallel-snapshot-isolation, by their definitions: dependencies follow the order by construction, and
// a version that a read missed must not lead back to its reader. The missed ones are checked 64 at a
// time, by propagating marks along the order.
[[nodiscard]] bool is_view_level(Level level);

// Requires is_view_level(claim.proven).
[[nodiscard]] Flaw flaw_of_views(const History& history, const Holds& claim);

}  // namespace serval::verify
