#pragma once
// What the error codes of MariaDB, MySQL and TiDB, and of their client library, mean for a transaction.
// https://mariadb.com/kb/en/mariadb-error-code-reference/

#include "serval/database/client.h"

namespace serval::mariadb {

FailureCause cause_of(unsigned code);

// Whether this response to a commit means that the transaction was rolled back. Only conflicts do: a
// cluster or a disk may fail in the middle of a commit.
bool says_aborted(unsigned code);

}  // namespace serval::mariadb
