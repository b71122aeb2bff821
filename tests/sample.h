#pragma once
// How much of a long test to run. Sanitized builds are slow and look at a sample of what the optimised build
// looks at; whoever hunts something asks for more:
//
//   SERVAL_RANDOM_HISTORIES=n   n random histories instead of what the test says
//   SERVAL_RANDOM_SEED=n        where they start
//   SERVAL_UNIVERSE_STEP=n      every n-th history of a universe

#include <cstdint>
#include <cstdlib>

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

}  // namespace serval
