#pragma once
// Re-derives every anomaly of a violation from the raw operations, and checks that the level forbids the
// shape of the first one. One function per kind of evidence; each returns the first error found.

#include "serval/evidence/verdict.h"
#include "serval/verify/facts.h"

namespace serval::verify {

[[nodiscard]] Flaw flaw_of(const Facts& facts, Level level, const Violated& claim);

[[nodiscard]] Flaw flaw_of(const Facts& facts, AnomalyKind kind, const BadRead& claim);
[[nodiscard]] Flaw flaw_of(const Facts& facts, AnomalyKind kind, const Cycle& claim);
[[nodiscard]] Flaw flaw_of(const Facts& facts, AnomalyKind kind, const Divergence& claim);
[[nodiscard]] Flaw flaw_of(const Facts& facts, AnomalyKind kind, const ChainBreak& claim);
[[nodiscard]] Flaw flaw_of(const Facts& facts, AnomalyKind kind, const OrderConflict& claim);
[[nodiscard]] Flaw flaw_of(const Facts& facts, AnomalyKind kind, const DirtyUpdate& claim);
[[nodiscard]] Flaw flaw_of(const Facts& facts, AnomalyKind kind, const VersionContradiction& claim);
[[nodiscard]] Flaw flaw_of(const Facts& facts, AnomalyKind kind, const Contradiction& claim);

// One edge of a cycle. An edge that holds only within a case is rejected.
[[nodiscard]] Flaw flaw_of_edge(const Facts& facts, const Edge& edge);

// Whether `op` belongs to `t`, is about `key`, and reads (or writes) it.
[[nodiscard]] Flaw flaw_of_read(const Facts& facts, TransactionId t, KeyId key, OperationId op);
[[nodiscard]] Flaw flaw_of_write(const Facts& facts, TransactionId t, KeyId key, OperationId op);
[[nodiscard]] Flaw flaw_of_participation(const Facts& facts, TransactionId t);

}  // namespace serval::verify
