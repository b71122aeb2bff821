#pragma once
// The name of a cycle by its shape (MTC Table I and Figure 5; Adya 1999 for the rest).

#include "serval/evidence/verdict.h"

namespace serval {

AnomalyKind name_cycle(const std::vector<Edge>& edges);

}  // namespace serval
