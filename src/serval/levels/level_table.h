#pragma once
// The rows behind level.h, apart from the functions that look things up in them.

#include <vector>

#include "serval/levels/level.h"

namespace serval {

// One row a level, in the order of the enumeration.
std::vector<LevelInfo> level_rows();

}  // namespace serval
