#pragma once
// Re-proves a verdict from the raw history, sharing no code with the search that found it. Linear time.
//
//   std::optional<std::string> flaw = verify_witness(history, level, verdict);   // nullopt: it is correct
//
// Holds: replays the commit order operation by operation and compares every read, then checks session
// order, real time, write conflicts and that every committed transaction participates. Violated: checks
// every operation, edge and uniqueness claim that the anomalies cite, that the cycle closes, and that
// the level forbids its shape. Undecided claims nothing and passes.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "serval/evidence/verdict.h"

namespace serval {

// `transaction_order` is the one passed to the check (VersionHints), if any.
[[nodiscard]] std::optional<std::string> verify_witness(const History& history, Level level,
                                                        const Verdict& verdict,
                                                        std::span<const std::int64_t> transaction_order = {});

}  // namespace serval
