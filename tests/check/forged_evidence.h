#pragma once
// Evidence with a small lie in it: one id, kind, position or number differs from what the engine reported.
//
//   Random random(seed);
//   const Verdict lie = forged(verdict, history, random);
//
// Ids are those of the history, or none().

#include "serval/base/random.h"
#include "serval/evidence/verdict.h"

namespace serval::oracle {

Verdict forged(Verdict verdict, const History& history, Random& random);

}  // namespace serval::oracle
