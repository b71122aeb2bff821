#pragma once
// Random histories with predicates and version certificates, from a seed: transactions run one after another,
// each on a snapshot that is usually the latest state and sometimes a stale one, and the certificate says so.
// In some histories an answer or the certificate is damaged afterwards.
//
//   history_text(random_certified_history(random))      // JSON lines, for messages

#include <string>

#include "serval/base/random.h"
#include "serval/history/history.h"

namespace serval::oracle {

History random_certified_history(Random& random, std::size_t transactions);

}  // namespace serval::oracle
