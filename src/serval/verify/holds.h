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

}  // namespace serval::verify
