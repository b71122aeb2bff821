#pragma once
// --expected-order: the serial order that the replay engine verifies.
//
//   timestamps | completion | a file, one transaction per line: "t" or "s t", by their labels; # comments

#include <string>

#include "serval/check/check.h"
#include "serval/history/history.h"

namespace serval::cli {

// Empty: by timestamps. Throws InputError for a line that names no transaction or several, and for a file
// that cannot be read; BudgetExhausted.
ExpectedOrderChoice choose_expected_order(const std::string& flag, const History& history, Budget& budget);

}  // namespace serval::cli
