#pragma once
// Checks a history using its version certificate (Emme): Adya's graph with item and predicate
// dependencies, the reads that no order explains, and the snapshots that the certificate claims. Levels:
// read-uncommitted (PL-1), read-committed (PL-2), repeatable-read (PL-2.99), snapshot isolation,
// serializable (PL-3), each with its variants.
//
//   CertifiedHistory certified(history, budget);
//   if (certified.problem().empty())
//     check_certificate(certified, Level::Serializable, options, trail, budget);
//
// Repeatable read ignores predicate anti-dependencies, so cycles that need one are allowed: this is what
// short predicate locks permit (docs/decisions/011-certificates.md).
//
// There are many predicate dependencies, up to two per operation and key, and nearly all of them agree
// with the others. So they are not collected. Instead the check finds an order of the known
// dependencies, asks which predicate dependencies contradict it, and adds these, until there are none or
// there is a cycle. Near-linear in the operations and in the keys over which their predicates range.

#include "serval/check/certificate/certified_history.h"
#include "serval/check/check_options.h"
#include "serval/check/trail.h"
#include "serval/evidence/verdict.h"

namespace serval {

bool decides_by_certificate(Level level);

// Requires decides_by_certificate(level) and an empty problem().
Verdict check_certificate(const CertifiedHistory& certified, Level level, const CheckOptions& options,
                          Trail& trail, Budget& budget);

}  // namespace serval
