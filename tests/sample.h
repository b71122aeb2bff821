#pragma once
// How much of a long test to run, and from where random ones start. Sanitized builds are slow and look at a
// sample of what the optimised build looks at; whoever hunts something asks for more:
//
//   SERVAL_RANDOM_HISTORIES=n   n random histories instead of what the test says
//   SERVAL_RANDOM_SEED=n        where they start; without it another place in every run, which is printed
//   SERVAL_UNIVERSE_STEP=n      every n-th history of a universe
//
// What must hold of every input is tried from a fresh seed; what only must happen now and then ("some run of
// these shows the anomaly") keeps seeds of its own, so that it does not depend on luck.

#include <cstdint>
#include <cstdlib>
#include <ranges>

#include "serval/base/random.h"

namespace serval {

inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// The share of `all` that SERVAL_RANDOM_HISTORIES is of 100,000, but at least `few`.
inline std::uint64_t sample_of(std::uint64_t all, std::uint64_t few = 1) {
  const std::uint64_t share = all * number_from_environment("SERVAL_RANDOM_HISTORIES", 100'000) / 100'000;
  return share < few ? few : share;
}

// main() of the tests sets the variable.
inline std::uint64_t first_seed() { return number_from_environment("SERVAL_RANDOM_SEED", 1); }

// for (const std::uint64_t seed : fresh_seeds(100)) ...
inline auto fresh_seeds(std::uint64_t count) { return std::views::iota(first_seed(), first_seed() + count); }

inline Random fresh_random() { return Random(first_seed()); }

}  // namespace serval
