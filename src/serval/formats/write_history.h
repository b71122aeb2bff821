#pragma once
// Writing a history within a budget: what write_history of format.h does, for whoever may be interrupted.

#include "serval/formats/format.h"

namespace serval {

// Throws BudgetExhausted as well, and then leaves nothing behind.
WriteReport write_history(const History& history, Format format, const std::string& path, Budget& budget);

}  // namespace serval
