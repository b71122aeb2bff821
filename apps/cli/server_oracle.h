#pragma once
// A second opinion on predicates from a server, such as the database under test: it evaluates them over
// the rows of the history, as literals in a query. Nothing is stored there.
//
//   const ServerOpinion opinion = ask_server("postgres://app@db1/bench", history, budget);
//   opinion.disagreement               // Empty, or the predicate, the row and both answers.

#include <string>

#include "serval/base/budget.h"
#include "serval/history/history.h"

namespace serval::cli {

struct ServerOpinion {
  std::string note;          // "oracle: PostgreSQL agrees on 5,000 evaluations ..."
  std::string disagreement;  // The first one; then no verdict may rest on the evaluations.
};

// Throws UsageError for an address of a database that has no SQL server.
void require_server_oracle(const std::string& address);

// Evaluates at most 20,000 pairs of a predicate and a row, evenly spread. Leaves out what is undefined
// here or refused there. Throws DatabaseError if the server cannot be reached, is lost, or refuses
// everything.
ServerOpinion ask_server(const std::string& address, const History& history, Budget& budget);

}  // namespace serval::cli
