#pragma once
// Maps the transactions of a recording to those of the server, so that they can be found in the log of
// the database. Kept only if a certificate is requested.
//
//   {.session = 3, .transaction = 42, .server_transaction = "991"}

#include <cstdint>
#include <string>
#include <vector>

#include "serval/history/transaction.h"

namespace serval {

struct LedgerEntry {
  std::int64_t session = 0, transaction = 0;  // Labels, as in the recording.
  Outcome outcome = Outcome::Committed;
  std::string server_transaction;  // The server's id, if known.
  // For an indeterminate transaction: the tags that it requested to write, and whether a completed
  // request must appear in the log if it took effect.
  std::vector<std::int64_t> tags;
  bool surely_wrote = false;
};

}  // namespace serval
