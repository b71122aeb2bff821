#include "serval/workload/key_choice.h"

#include <vector>

#include <gtest/gtest.h>

#include "serval/base/error.h"

namespace serval {
namespace {

std::vector<int> draw(std::string_view spec, std::uint64_t keys, int draws) {
  const KeyChoice choice = make_key_choice(spec, keys);
  Random random(11);
  std::vector<int> counts(keys, 0);
  for (int i = 0; i < draws; ++i) ++counts[choice.choose(random)];
  return counts;
}

TEST(KeyChoice, UniformChoosesEveryKeyEqually) {
  for (const int count : draw("uniform", 10, 100'000)) EXPECT_NEAR(count, 10'000, 500);
}

TEST(KeyChoice, ZipfHalvesFromTheFirstKeyToTheSecond) {
  const std::vector<int> counts = draw("zipf:exponent=1", 100, 100'000);
  EXPECT_NEAR(counts[0], 2 * counts[1], 1500);
  EXPECT_NEAR(counts[1], 2 * counts[3], 1000);
}

TEST(KeyChoice, HotspotDirectsItsShareToTheHotKeys) {
  const std::vector<int> counts = draw("hotspot:keys=0.1,operations=0.9", 100, 100'000);
  int hot = 0;
  for (int key = 0; key < 10; ++key) hot += counts[static_cast<std::size_t>(key)];
  EXPECT_NEAR(hot, 90'000, 1000);
  EXPECT_GT(counts[99], 0);
}

TEST(KeyChoice, HotspotOverOneKeyTakesIt) { EXPECT_EQ(draw("hotspot", 1, 100)[0], 100); }

TEST(KeyChoice, ExponentialDecreases) {
  const std::vector<int> counts = draw("exponential", 100, 100'000);
  EXPECT_GT(counts[0], counts[20]);
  EXPECT_GT(counts[20], counts[60]);
}

TEST(KeyChoice, FindsAnotherKeyEvenIfOneHasAllTheWeight) {
  const KeyChoice choice = make_key_choice("hotspot:keys=0.01,operations=1", 100);
  Random random(1);
  EXPECT_EQ(choice.choose(random), 0u);
  EXPECT_EQ(choice.choose_other_than(0, random), 1u);
}

TEST(KeyChoice, RefusesAnUnknownDistribution) {
  EXPECT_THROW((void)make_key_choice("zip:exponent=1", 10), InputError);
}

}  // namespace
}  // namespace serval
