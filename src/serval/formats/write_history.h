#pragma once
// write_history of format.h with a budget.

#include "serval/formats/format.h"

namespace serval {

// Also throws BudgetExhausted, and then leaves no file behind.
WriteReport write_history(const History& history, Format format, const std::string& path, Budget& budget);

}  // namespace serval
