#pragma once
// What the weak levels forbid, told by shape alone: how a reader must have seen a transaction for the
// level to say that it must not miss it.

#include <vector>

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

// Whether a reader that saw a transaction by `path` (edges of so and wr) and then performed `read` must, at
// `level`, see that transaction's writes or later ones.
bool obliges(Level level, const std::vector<Edge>& path, OperationId read);

// Whether the edges of the cycle, each proven alone, contradict `level`: one that saturation decides, or one
// that implies such a level.
bool contradicts(Level level, const Cycle& cycle);

// The name of a cycle that has CommitOrder edges.
Flaw flaw_of_forced_name(AnomalyKind kind, const Cycle& cycle);

}  // namespace serval::verify
