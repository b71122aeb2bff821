#pragma once
// How the online verifier works: what it keeps, and in how many threads.

#include <cstddef>
#include <cstdint>

#include "serval/history/operation.h"

namespace serval::online {

struct OnlineOptions {
  std::size_t most_violations = 10;  // Kept with their evidence; all are counted.
  bool forgets = true;               // What nobody can contradict any more.
  // How long versions stay where reads may be of any age; what is older is forgotten, and reads of it are
  // uncertain.
  Time retention = Time{10} * 1'000'000'000;
  // Past `hot_keys`, or more where they come back, keys that nobody uses are put aside with their last value
  // only, 40 bytes in a table; past `cold_keys` of those they are forgotten, and what is read there first is
  // taken as it is.
  std::size_t hot_keys = 8'192;
  std::size_t cold_keys = 1'000'000;
  // The keys in so many parts, each with a thread of its own; the verdicts are those of one. 1: no threads.
  std::uint32_t partitions = 1;
};

}  // namespace serval::online
