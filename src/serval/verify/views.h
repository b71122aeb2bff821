#pragma once
// Checks that a commit order shows cursor-stability, monotonic-view, consistent-view or
// parallel-snapshot-isolation, by their definitions: dependencies follow the order by construction, and what
// a read missed must not lead back to its reader. Which of the missed do is found by carrying the marks of 64
// of them at a time along the order.

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

[[nodiscard]] bool is_view_level(Level level);

// Requires is_view_level(claim.proven).
[[nodiscard]] Flaw flaw_of_views(const History& history, const Holds& claim);

}  // namespace serval::verify
