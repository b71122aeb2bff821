#pragma once
// The meaning of an SQLSTATE for a transaction.
// https://www.postgresql.org/docs/current/errcodes-appendix.html

#include <string_view>

#include "serval/database/client.h"
#include "serval/database/postgres/postgres_address.h"

namespace serval::postgres {

FailureCause cause_of(std::string_view sqlstate);

// Whether this response to a commit means that the transaction was rolled back. All PostgreSQL errors do,
// except those that close the connection. In a distributed commit, only conflicts do.
bool says_aborted(std::string_view sqlstate, Kind kind);

}  // namespace serval::postgres
