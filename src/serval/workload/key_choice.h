#pragma once
// Key distributions: uniform, zipf, hotspot or exponential over the keys 0 to keys - 1, with key 0 the
// most likely. Weights are rounded to integers once and drawing uses integers, so that a draw does not
// depend on the last bit of a platform's pow().
//
//   const KeyChoice choice = make_key_choice("zipf:exponent=0.99", 10'000);
//   choice.choose(random) < 10'000
//
// A draw costs O(1) if uniform, else O(log keys); the table of weights takes 8 bytes per key.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "serval/base/random.h"
#include "serval/workload/parameters.h"

namespace serval {

class KeyChoice {
 public:
  explicit KeyChoice(std::uint64_t keys) : keys_(keys) {}  // Uniform.
  // One weight per key, between 0 and 1; the first is above 0.
  explicit KeyChoice(std::span<const double> weights);

  std::uint64_t keys() const noexcept { return keys_; }
  std::uint64_t choose(Random& random) const;
  // Two different keys, if there are two.
  std::uint64_t choose_other_than(std::uint64_t key, Random& random) const;

 private:
  std::uint64_t keys_;
  std::vector<std::uint64_t> cumulative_;  // Empty when uniform.
};

struct KeyDistributionInfo {
  std::string_view name;
  std::string_view description;  // One line.
  std::vector<ParameterInfo> parameters;
  KeyChoice (*make)(const Parameters& parameters, std::uint64_t keys);
};

std::span<const KeyDistributionInfo> all_key_distributions();
// `spec` is "name" or "name:parameter=value,..."; throws InputError. Requires keys > 0.
[[nodiscard]] KeyChoice make_key_choice(std::string_view spec, std::uint64_t keys);

}  // namespace serval
