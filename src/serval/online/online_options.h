#pragma once
// Options of the online verifier: what it keeps, and how many threads it uses.

#include <cstddef>
#include <cstdint>

#include "serval/history/operation.h"

namespace serval::online {

struct OnlineOptions {
  std::size_t most_violations = 10;  // Kept with their evidence; all are counted.
  bool forgets = true;               // Forgets what can no longer be contradicted.
  // How long versions are kept if reads may be of any age. Reads of older, forgotten versions are
  // uncertain.
  Time retention = Time{10} * 1'000'000'000;
  // Beyond `hot_keys` (more if evicted keys come back), unused keys are evicted: only their last value
  // is kept, 40 bytes in a table, or their last versions if commits overlapped. Beyond `cold_keys`, evicted
  // keys are forgotten, and the first read of one is assumed to be correct.
  std::size_t hot_keys = 8'192;
  std::size_t cold_keys = 1'000'000;
  // Number of partitions of the keys, each with its own thread. The verdicts do not depend on it. 1: no
  // threads.
  std::uint32_t partitions = 1;
};

}  // namespace serval::online
