// Certificates with enough keys that ranges use the index of check/certificate/matching.cpp.

#include <gtest/gtest.h>

#include "serval/check/check.h"
#include "serval/database/simulated/simulate.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

SimulationOptions many_keys(std::string_view level, std::uint64_t seed) {
  return {.workload = "predicate-mix:places=20,width=6,overlap=4,increments=0.1,deletes=0.1,nulls=0.1",
          .sessions = 4,
          .transactions = 150,
          .keys = 300,
          .level = parse_row_level(level),
          .seed = seed};
}

Verdict proved(const History& history, Level level) {
  const CheckResult result = check(history, level);
  EXPECT_EQ(result.engine, "certificate") << name_of(level);
  EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level);
  return result.verdict;
}

TEST(ManyKeys, AStrictStoreHoldsAtEveryLevel) {
  for (const std::uint64_t seed : {1, 2}) {
    const History history = simulate(many_keys("strict-serializable", seed));
    for (const Level level : {Level::ReadCommitted, Level::RepeatableRead, Level::SnapshotIsolation,
                              Level::Serializable, Level::StrictSerializable})
      EXPECT_TRUE(holds(proved(history, level))) << name_of(level);
  }
}

TEST(ManyKeys, AWeakStoreIsCaught) {
  const History history = simulate(many_keys("read-committed", 1));
  EXPECT_TRUE(holds(proved(history, Level::ReadCommitted)));
  EXPECT_TRUE(violated(proved(history, Level::Serializable)));
}

TEST(ManyKeys, PlantedAnomaliesAreFound) {
  for (const PlantedAnomaly& planted : all_planted_rows()) {
    SimulationOptions options = many_keys("strict-serializable", 5);
    options.plant = planted.name;
    EXPECT_TRUE(violated(proved(simulate(options), Level::Serializable))) << planted.name;
  }
}

}  // namespace
}  // namespace serval
