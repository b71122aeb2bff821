#pragma once
// Cycles that go a roundabout way. T1 -wr-> T2 -rw-> T3 -wr-> T4 -rw-> T1 looks like a long fork, but if T3
// also read from T1, the step T1 -wr-> T3 leaves T2 out, and what is left is a causality violation: T2 has
// nothing to do with it.

#include <vector>

#include "serval/check/dependency/class_search.h"
#include "serval/check/dependency/component_links.h"

namespace serval {

// The strongest cycle that one step between two transactions of `steps` makes of it, where that is of a
// stronger class or needs less beside data dependencies, and is no worse in the other respect; empty where
// there is none. Long cycles are not looked at: they have no name that could mislead.
std::vector<Step> shortcut(const ComponentLinks& links, const std::vector<Step>& steps);

}  // namespace serval
