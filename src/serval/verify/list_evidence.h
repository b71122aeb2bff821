#pragma once
// Proves what reads of lists show: bad reads, contradictions, orders of appends.

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

// As flaw_of(facts, kind, BadRead), for a read of a list; the citation has been checked.
[[nodiscard]] Flaw flaw_of_list_read(const Facts& facts, AnomalyKind kind, const BadRead& claim);

// The append `later` certainly comes after what the external list read `read` shows.
[[nodiscard]] Flaw flaw_of_missed_append(const Facts& facts, OperationId read, OperationId later);
// The append `second` certainly comes after `first`.
[[nodiscard]] Flaw flaw_of_append_order(const Facts& facts, OperationId first, OperationId second);

}  // namespace serval::verify
