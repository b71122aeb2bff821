#pragma once
// A second opinion on predicates: a database evaluates them, too, over the rows that the history holds.
//
//   require_oracle(PredicateOracle::Database);                    // UsageError where there is none
//   report.notices.push_back(ask_database(history, budget));      // "oracle: SQLite agrees on 5,000 ..."
//
// The database is SQLite, in memory. What is Undefined here, and decimals that its binary fractions would
// round, are left out (docs/predicates.md).

#include <string>
#include <string_view>

#include "serval/base/budget.h"
#include "serval/history/history.h"

namespace serval::cli {

enum class PredicateOracle { Interpreter, Database };

PredicateOracle choose_oracle(std::string_view word);
// Throws UsageError where Serval was built without the database.
void require_oracle(PredicateOracle oracle);

// Every distinct predicate over every distinct row that was written or returned; beyond 200,000 pairs a
// sample, the same each time. Says how many agree and how many were left out; throws BrokenContract on the
// first disagreement.
std::string ask_database(const History& history, Budget& budget);

}  // namespace serval::cli
