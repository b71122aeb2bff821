#pragma once
// What the weak levels forbid, by shape alone: through which paths a transaction must be visible to a
// reader so that the level obliges the reader not to miss it.

#include <vector>

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

// Whether a reader to which a transaction is visible through `path` (edges of so and wr), and which then
// performed `read`, must at `level` see that transaction's writes or later ones.
bool obliges(Level level, const std::vector<Edge>& path, OperationId read);

// Whether the edges of the cycle, each already proven, contradict `level`: a level decided by
// saturation, or one that implies such a level.
bool contradicts(const Facts& facts, Level level, const Cycle& cycle);

// Checks the name of a cycle with CommitOrder edges.
Flaw flaw_of_forced_name(AnomalyKind kind, const Cycle& cycle);

}  // namespace serval::verify
