#pragma once
// Judges a history by its version certificate (Emme): Adya's graph with dependencies of items and
// predicates, the reads that no order explains, and the snapshots that the certificate claims. Levels:
// read-uncommitted (PL-1), read-committed (PL-2), repeatable-read (PL-2.99), snapshot isolation,
// serializable (PL-3), each with its variants.
//
//   CertifiedHistory certified(history, budget);
//   if (certified.problem().empty()) check_certificate(certified, Level::Serializable, options, trail,
// budget)
//
// Repeatable read leaves the anti-dependencies of predicates out, so cycles that need one are allowed:
// that is what short predicate locks let through (docs/decisions/011-certificates.md).
//
// Dependencies of predicates are many, up to two for each operation and key, and nearly all of them
// point the way that the others do. So they are not collected: an order of what is known so far is
// looked for, the predicates are asked which of their dependencies contradict it, these are added,
// until none does or a cycle is there. Near-linear in the operations and in what their predicates range
// over.

#include "serval/check/certificate/certified_history.h"
#include "serval/check/check_options.h"
#include "serval/check/trail.h"
#include "serval/evidence/verdict.h"

namespace serval {

bool decides_by_certificate(Level level);

// Requires decides_by_certificate(level) and no problem.
Verdict check_certificate(const CertifiedHistory& certified, Level level, const CheckOptions& options,
                          Trail& trail, Budget& budget);

}  // namespace serval
