#pragma once
// The rows of the table in level.h, separate from the functions that look them up.

#include <vector>

#include "serval/levels/level.h"

namespace serval {

// One row per level, in the order of the enumeration.
std::vector<LevelInfo> level_rows();

}  // namespace serval
