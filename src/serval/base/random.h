#pragma once
// A small, fast, portable random generator: the same seed gives the same numbers on every machine, which
// std::uniform_int_distribution does not guarantee. SplitMix64 (Steele, Lea & Flood 2014).

#include <cstdint>

#include "serval/base/contract.h"

namespace serval {

class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
  }
  // Uniform in [0, bound). Multiply-shift; the bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    expects(bound > 0, "a bound above zero");
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }
  // Uniform in [0, 1).
  double unit() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) noexcept { return unit() < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace serval
