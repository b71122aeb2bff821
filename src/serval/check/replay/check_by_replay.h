#pragma once
// The replay engine: a serial order that is expected, verified. It proves the serializable levels and
// whatever they imply; it refutes nothing, for where one order fails another may not.

#include "serval/check/check_options.h"
#include "serval/evidence/verdict.h"

namespace serval {

// Whether the engine can prove the level.
bool proves_by_replay(Level level);
// Whether it is worth a try where nobody asked for it: an order is given or follows from timestamps.
bool suggests_replay(const History& history, const CheckOptions& options);

// Holds, or Undecided with the first mismatch.
[[nodiscard]] Verdict check_by_replay(const History& history, Level level, const CheckOptions& options,
                                      Budget& budget);

}  // namespace serval
