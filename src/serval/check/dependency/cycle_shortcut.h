#pragma once
// Cycles that make a detour. T1 -wr-> T2 -rw-> T3 -wr-> T4 -rw-> T1 looks like a long fork, but if T3
// also read from T1, the step T1 -wr-> T3 bypasses T2, and the remaining cycle is a causality violation
// that does not involve T2.

#include <vector>

#include "serval/check/dependency/class_search.h"
#include "serval/check/dependency/component_links.h"

namespace serval {

// The strongest cycle that results from a single step between two transactions of `steps`, if it is of a
// stronger class or needs less besides data dependencies, and is no worse in the other respect;
// otherwise empty. Long cycles are not examined: they have no name that could mislead.
std::vector<Step> shortcut(const ComponentLinks& links, const std::vector<Step>& steps);

}  // namespace serval
