#pragma once
// What the five characters of an SQLSTATE mean for a transaction.
// https://www.postgresql.org/docs/current/errcodes-appendix.html

#include <string_view>

#include "serval/database/client.h"
#include "serval/database/postgres/postgres_address.h"

namespace serval::postgres {

FailureCause cause_of(std::string_view sqlstate);

// Whether such an answer to a commit says that the transaction was rolled back. PostgreSQL's errors do, but
// for those that end the connection. Where the commit is spread over several machines, only those that name
// a conflict.
bool says_aborted(std::string_view sqlstate, Kind kind);

}  // namespace serval::postgres
