#pragma once
// Re-derives every anomaly that a refusal cites from the raw operations, and judges whether the level forbids
// the first one's shape. One function a kind of evidence; each answers with the first thing that is not true.

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

// One step of a cycle; one that holds in a case only does not stand alone.
[[nodiscard]] Flaw flaw_of_edge(const Facts& facts, const Edge& edge);

// `op` belongs to `t`, is about `key`, and reads (or writes) it.
[[nodiscard]] Flaw flaw_of_read(const Facts& facts, TransactionId t, KeyId key, OperationId op);
[[nodiscard]] Flaw flaw_of_write(const Facts& facts, TransactionId t, KeyId key, OperationId op);
[[nodiscard]] Flaw flaw_of_participation(const Facts& facts, TransactionId t);

}  // namespace serval::verify
