#pragma once
// Random histories with predicates and version certificates, from a seed. Transactions run serially,
// each on a snapshot that is usually the latest state and sometimes a stale one, and the certificate
// says so. In some histories an answer or the certificate is then damaged.
//
//   Random random(seed);
//   const History history = random_certified_history(random, 4);

#include <optional>
#include <string>

#include "serval/base/random.h"
#include "serval/history/history.h"

namespace serval::oracle {

// `forgets`: the same history from the same seed, but some version sets are missing. `damaged`: the
// same, but this operation gets a different answer; beyond the last operation, the order of a key is
// reversed instead.
History random_certified_history(Random& random, std::size_t transactions, bool forgets = false,
                                 std::optional<std::size_t> damaged = std::nullopt);

}  // namespace serval::oracle
