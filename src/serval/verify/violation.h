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
// That the order follows from its source and that the operation certainly disagrees with it, or that the
// cited transactions contradict it, whatever
// indeterminate transactions did and however equal timestamps are arranged. O(operations + keys).
[[nodiscard]] Flaw flaw_of(const Facts& facts, AnomalyKind kind, const BrokenOrder& claim);

// One edge of a cycle. An edge that holds only within a case is rejected.
[[nodiscard]] Flaw flaw_of_edge(const Facts& facts, const Edge& edge);

// Whether `op` belongs to `t`, is about `key`, and reads (or writes) it.
[[nodiscard]] Flaw flaw_of_read(const Facts& facts, TransactionId t, KeyId key, OperationId op);
[[nodiscard]] Flaw flaw_of_write(const Facts& facts, TransactionId t, KeyId key, OperationId op);
[[nodiscard]] Flaw flaw_of_participation(const Facts& facts, TransactionId t);

// Re-proves from the raw operations that one version of a key precedes another under an assumption: the
// cited operations saw or wrote those versions, and the assumption orders them (version_precedence.h
// says how).
[[nodiscard]] Flaw flaw_of_precedence(const Facts& facts, KeyId key, const VersionPrecedence& claim);

// Whether a divergence claims that two transactions inserted a key whose writers are not all known. Its
// proof: both inserted it as their first write, and nobody can have deleted it.
bool is_of_inserts(const Facts& facts, const Divergence& claim);
[[nodiscard]] Flaw flaw_of_repeated_inserts(const Facts& facts, const Divergence& claim);

// Like flaw_of(facts, PhantomRead, BadRead): the same predicate, asked twice, had different rows or counts,
// and its transaction had written none of the rows that make the difference.
[[nodiscard]] Flaw flaw_of_phantom_read(const Facts& facts, const BadRead& claim);

// Like flaw_of(facts, kind, BadRead), for a read of a list; the cited operations have been checked.
[[nodiscard]] Flaw flaw_of_list_read(const Facts& facts, AnomalyKind kind, const BadRead& claim);

// Whether the append `later` certainly comes after what the external list read `read` shows.
[[nodiscard]] Flaw flaw_of_missed_append(const Facts& facts, OperationId read, OperationId later);
// Whether the append `second` certainly comes after `first`.
[[nodiscard]] Flaw flaw_of_append_order(const Facts& facts, OperationId first, OperationId second);

// Whether the edges of the cycle, each already proven, contradict `level`: a level decided by
// saturation, or one that implies such a level.
bool contradicts(const Facts& facts, Level level, const Cycle& cycle);

// Checks the name of a cycle with CommitOrder edges.
Flaw flaw_of_forced_name(AnomalyKind kind, const Cycle& cycle);

}  // namespace serval::verify
