#pragma once
// A second opinion on predicates: SQLite also evaluates them over the rows of the history.
//
//   require_oracle(PredicateOracle::Database);                    // UsageError where there is none
//   report.notices.push_back(ask_database(history, budget));      // "oracle: SQLite agrees on 5,000 ..."
//
// SQLite runs in memory. Evaluations that are Undefined here, and decimals that SQLite would round, are
// left out (docs/predicates.md).

#include <string>
#include <string_view>

#include "serval/base/budget.h"
#include "serval/history/history.h"

namespace serval::cli {

// Server: the address of a database (server_oracle.h).
enum class PredicateOracle { Interpreter, Database, Server };

PredicateOracle choose_oracle(std::string_view word);
// Throws UsageError if Serval was built without SQLite.
void require_oracle(PredicateOracle oracle);

// Evaluates every distinct predicate over every distinct row that was written or returned; beyond 200,000
// pairs only a sample, the same on every run. Returns how many agree and how many were left out. Throws
// BrokenContract at the first disagreement.
std::string ask_database(const History& history, Budget& budget);

}  // namespace serval::cli
