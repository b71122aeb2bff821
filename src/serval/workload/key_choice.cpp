#include "serval/workload/key_choice.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "serval/base/contract.h"

namespace serval {
namespace {

// Fine enough for 10^6 keys of any skew offered, coarse enough that a last-bit difference between two libms
// does not change a weight.
constexpr double kWeightOne = 0x1.0p40;

template <class Weight>
KeyChoice weighted(std::uint64_t keys, Weight weight) {
  std::vector<double> weights(keys);
  for (std::uint64_t key = 0; key < keys; ++key) weights[key] = weight(static_cast<double>(key));
  return KeyChoice(weights);
}

KeyChoice make_uniform(const Parameters&, std::uint64_t keys) { return KeyChoice(keys); }

KeyChoice make_zipf(const Parameters& parameters, std::uint64_t keys) {
  const double exponent = parameters["exponent"];
  return weighted(keys, [exponent](double key) { return std::pow(key + 1, -exponent); });
}

KeyChoice make_hotspot(const Parameters& parameters, std::uint64_t keys) {
  const double all = static_cast<double>(keys);
  const double hot = std::clamp(std::ceil(parameters["keys"] * all), 1.0, all);
  const double share = parameters["operations"];
  const double cold_weight = hot < all ? (1 - share) / (all - hot) : 0;
  return weighted(keys, [=](double key) { return key < hot ? share / hot : cold_weight; });
}

KeyChoice make_exponential(const Parameters& parameters, std::uint64_t keys) {
  const double rate = parameters["rate"] / static_cast<double>(keys);
  return weighted(keys, [rate](double key) { return std::exp(-rate * key); });
}

}  // namespace

KeyChoice::KeyChoice(std::span<const double> weights) : keys_(weights.size()) {
  std::uint64_t total = 0;
  cumulative_.reserve(weights.size());
  for (const double weight : weights) {
    expects(weight >= 0 && weight <= 1, "weights are between 0 and 1");
    cumulative_.push_back(total += static_cast<std::uint64_t>(std::llround(weight * kWeightOne)));
  }
  expects(total > 0, "some key has a positive weight");
}

std::uint64_t KeyChoice::choose(Random& random) const {
  if (cumulative_.empty()) return random.below(keys_);
  const std::uint64_t draw = random.below(cumulative_.back());
  return static_cast<std::uint64_t>(std::ranges::upper_bound(cumulative_, draw) - cumulative_.begin());
}

// Redraws a few times, then takes the adjacent key: one key may have all the weight.
std::uint64_t KeyChoice::choose_other_than(std::uint64_t key, Random& random) const {
  for (int attempt = 0; attempt < 8; ++attempt) {
    const std::uint64_t other = choose(random);
    if (other != key) return other;
  }
  return (key + 1) % keys_;
}

std::span<const KeyDistributionInfo> all_key_distributions() {
  static const std::array<KeyDistributionInfo, 4> table = {{
      {"uniform", "all keys equally likely", {}, make_uniform},
      {"zipf",
       "the key of rank i with weight 1 / i^exponent",
       {{"exponent", "skew; 0 is uniform", 0.99, 0, 4, kReal}},
       make_zipf},
      {"hotspot",
       "a small share of the keys gets a large share of the operations",
       {{"keys", "share of hot keys", 0.2, 0, 1, kReal},
        {"operations", "share of operations on hot keys", 0.8, 0.001, 1, kReal}},
       make_hotspot},
      {"exponential",
       "key k with weight e^(-rate k / keys)",
       {{"rate", "how many e-foldings the keys span", 10, 0, 30, kReal}},
       make_exponential},
  }};
  return table;
}

KeyChoice make_key_choice(std::string_view spec, std::uint64_t keys) {
  expects(keys > 0, "at least one key");
  std::vector<ChoiceInfo> rows;
  for (const KeyDistributionInfo& info : all_key_distributions())
    rows.push_back({info.name, info.parameters});
  const Choice choice = parse_choice("key distribution", spec, rows);
  return all_key_distributions()[choice.row].make(choice.parameters, keys);
}

}  // namespace serval
