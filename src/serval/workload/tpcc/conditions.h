#pragma once
// TPC-C's consistency conditions (clause 3.3.2) on the final state: 1 to 4, which every implementation
// must demonstrate, and 5, 8 and 9, which follow from the same rows.

#include <string>
#include <vector>

#include "serval/workload/final_state.h"
#include "serval/workload/tpcc/rows.h"

namespace serval::tpcc {

std::vector<std::string> broken_conditions(const Sizes& sizes, FinalState& state);

}  // namespace serval::tpcc
