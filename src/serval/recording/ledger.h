#pragma once
// Who is who on the server: what it takes to find the transactions of a recording again in the log of the
// database. Kept only where a certificate is asked for.
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
  std::string server_transaction;  // As the server calls it, where it was told.
  // Of an indeterminate one: the tags that it asked to be written, and whether some request was answered
  // that, if it took effect, cannot be missing from a log.
  std::vector<std::int64_t> tags;
  bool surely_wrote = false;
};

}  // namespace serval
