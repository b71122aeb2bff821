#pragma once
// The weak levels, decided for every history whose reads are certain, including blind writes and lists:
// what reads imply for the commit order (or, for the session guarantees and pram, for the versions of
// each key) either has a cycle, which is the violation, or any order that contains it is the witness.
// The order of blind writes never has to be guessed, because every conclusion has a single premise
// (Biswas & Enea 2019, Theorem 4.1; AWDIT, PLDI 2025).
//
// Monotonic atomic view, read committed and read atomic O(n^1.5), causal O(n * sessions).

#include "serval/check/check_options.h"
#include "serval/evidence/verdict.h"
#include "serval/inference/reads_from.h"

namespace serval {

bool decides_by_saturation(Level level);

// Requires decides_by_saturation(level).
Verdict check_by_saturation(const History& history, const Relations& relations, Level level,
                            const CheckOptions& options, Budget& budget);

}  // namespace serval
