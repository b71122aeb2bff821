#pragma once
// Checks a commit order as witness for cursor-stability, monotonic-view, consistent-view or
// parallel-snapshot-isolation, by their definitions: dependencies follow the order by construction, and
// a version that a read missed must not lead back to its reader. The missed ones are checked 64 at a
// time, by propagating marks along the order.

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

[[nodiscard]] bool is_view_level(Level level);

// Requires is_view_level(claim.proven).
[[nodiscard]] Flaw flaw_of_views(const History& history, const Holds& claim);

}  // namespace serval::verify
