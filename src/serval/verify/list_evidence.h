#pragma once
// Proves what list reads show: bad reads, contradictions, orders of appends.

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

// Like flaw_of(facts, kind, BadRead), for a read of a list; the cited operations have been checked.
[[nodiscard]] Flaw flaw_of_list_read(const Facts& facts, AnomalyKind kind, const BadRead& claim);

// Whether the append `later` certainly comes after what the external list read `read` shows.
[[nodiscard]] Flaw flaw_of_missed_append(const Facts& facts, OperationId read, OperationId later);
// Whether the append `second` certainly comes after `first`.
[[nodiscard]] Flaw flaw_of_append_order(const Facts& facts, OperationId first, OperationId second);

}  // namespace serval::verify
