#pragma once
// The replay engine: verifies an expected serial order, or the snapshots and commits that timestamps claim.
// It proves the serializable and snapshot levels and whatever they imply. An order that fails refutes
// nothing, because another one may succeed, unless the user required this order (Enne, section 6).

#include "serval/check/check_options.h"
#include "serval/evidence/verdict.h"

namespace serval {

// Whether the engine can prove the level.
bool proves_by_replay(Level level);
// Whether the level holds only if the expected order passes.
bool requires_order(Level level, const CheckOptions& options);
// Whether it is worth trying without being requested: an order is given or follows from timestamps.
bool suggests_replay(const History& history, const CheckOptions& options);

// Whether it also tries start and commit timestamps, as snapshots: if they are required, or for
// predicates, which other engines decide only with a certificate.
bool suggests_snapshots(const History& history, Level level, const CheckOptions& options);

// Holds, or Undecided with the first mismatch. If the order is required: Violated, if it certainly fails.
[[nodiscard]] Verdict check_by_replay(const History& history, Level level, const CheckOptions& options,
                                      Budget& budget);

}  // namespace serval
