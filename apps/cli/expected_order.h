#pragma once
// --expected-order: the serial order that the replay engine verifies. An order that was asked for is
// required: its failure is a violation.
//
//   timestamps | completion | a file, one transaction per line: "t" or "s t", by their labels; # comments

#include <string>

#include "serval/check/check.h"
#include "serval/history/history.h"

namespace serval::cli {

// Empty: by timestamps, not required. Throws InputError for a line that names no transaction, several, an
// aborted one or one that was listed before, for a file that lacks a committed transaction or cannot be
// read; BudgetExhausted.
ExpectedOrderChoice choose_expected_order(const std::string& flag, const History& history, Budget& budget);

}  // namespace serval::cli
