#pragma once
// How much of a long test to run, and where random tests start. Sanitized builds are slow and test a
// sample of what the optimised build tests. To search for a bug, ask for more:
//
//   SERVAL_RANDOM_HISTORIES=n   n random histories instead of the test's own number
//   SERVAL_RANDOM_SEED=n        the first seed; by default a different one in each run, which is printed
//   SERVAL_UNIVERSE_STEP=n      every n-th history of a universe
//
// Properties that must hold for every input are tested from a fresh seed. Properties that must hold for
// some input only ("one of these runs shows the anomaly") have fixed seeds, so that they do not depend
// on luck.

#include <cstdint>
#include <cstdlib>
#include <ranges>

#include "serval/base/random.h"

namespace serval {

inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Scales `all` by SERVAL_RANDOM_HISTORIES / 100,000, but returns at least `few`.
inline std::uint64_t sample_of(std::uint64_t all, std::uint64_t few = 1) {
  const std::uint64_t share = all * number_from_environment("SERVAL_RANDOM_HISTORIES", 100'000) / 100'000;
  return share < few ? few : share;
}

// main() of the tests sets this variable.
inline std::uint64_t first_seed() { return number_from_environment("SERVAL_RANDOM_SEED", 1); }

// for (const std::uint64_t seed : fresh_seeds(100)) ...
inline auto fresh_seeds(std::uint64_t count) { return std::views::iota(first_seed(), first_seed() + count); }

inline Random fresh_random() { return Random(first_seed()); }

}  // namespace serval
