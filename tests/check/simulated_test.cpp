// The engine against the simulated database, which provides ground truth by construction. Every level
// keeps its promise, every bug is caught at a level it breaks, every planted anomaly is reported by its
// name, and every verdict is re-proved.

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "sample.h"
#include "serval/check/check.h"
#include "serval/database/simulated/simulate.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

constexpr std::array kSearchedLevels{
    Level::StrictSerializable,      Level::StrongSessionSerializable,      Level::Serializable,
    Level::StrongSnapshotIsolation, Level::StrongSessionSnapshotIsolation, Level::SnapshotIsolation};

Verdict proved(const History& history, Level level) {
  CheckResult result = check(history, level);
  EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level);
  return result.verdict;
}

// Contended enough that conflicts are common, and long enough that old versions are forgotten.
SimulationOptions contended(SimulatedLevel level, std::uint64_t seed) {
  return {.sessions = 10,
          .transactions = 1500,
          .keys = 25,
          .level = level,
          .seed = seed,
          .indeterminate_share = 0.02};
}

class SimulatedLevelCheck : public testing::TestWithParam<SimulatedLevel> {
 protected:
  const SimulatedLevelInfo& simulated() const { return info(GetParam()); }
  Level promised() const { return find_level(simulated().name).value(); }
};

std::string test_name(std::string_view name) {
  std::string result(name);
  std::ranges::replace(result, '-', '_');
  return result;
}

TEST_P(SimulatedLevelCheck, IsNamedForALevel) {
  EXPECT_TRUE(find_level(simulated().name)) << simulated().name;
}

TEST_P(SimulatedLevelCheck, HoldsAtEveryLevelItImplies) {
  for (const std::uint64_t seed : fresh_seeds(8)) {
    const History history = simulate(contended(GetParam(), seed));
    EXPECT_FALSE(violated(proved(history, promised()))) << seed;
    for (const Level level : kSearchedLevels)
      EXPECT_TRUE(!implies(promised(), level) || holds(proved(history, level)))
          << name_of(level) << " " << seed;
  }
}

TEST_P(SimulatedLevelCheck, IsCaughtAtSomeSeedAtEveryLevelItDoesNotImply) {
  for (const Level level : kSearchedLevels) {
    if (implies(promised(), level)) continue;
    bool caught = false;
    for (std::uint64_t seed = 1; seed <= 8 && !caught; ++seed)
      caught = violated(proved(simulate(contended(GetParam(), seed)), level));
    EXPECT_TRUE(caught) << name_of(level);
  }
}

TEST_P(SimulatedLevelCheck, IsNotViolatedUnderAnyOtherWorkload) {
  for (const char* workload : {"general", "registers", "list-append", "lightweight"}) {
    // At these levels, a read after the transaction's own append does not show what others commit before
    // the reader does, so it contradicts the final list.
    const bool forgets =
        GetParam() == SimulatedLevel::ReadCommitted || GetParam() == SimulatedLevel::PrefixConsistency;
    if (forgets && std::string_view(workload) == "list-append") continue;
    SimulationOptions options = contended(GetParam(), 3);
    options.workload = workload;
    const History history = simulate(options);
    EXPECT_FALSE(violated(proved(history, promised()))) << workload;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SimulatedLevelCheck,
                         testing::Values(SimulatedLevel::ReadUncommitted, SimulatedLevel::ReadCommitted,
                                         SimulatedLevel::PrefixConsistency, SimulatedLevel::SnapshotIsolation,
                                         SimulatedLevel::StrongSessionSnapshotIsolation,
                                         SimulatedLevel::StrongSnapshotIsolation,
                                         SimulatedLevel::Serializable,
                                         SimulatedLevel::StrongSessionSerializable,
                                         SimulatedLevel::StrictSerializable),
                         [](const auto& parameter) { return test_name(serval::info(parameter.param).name); });

TEST(SimulatedCheck, LightweightTransactionsOfAStrictDatabaseAreLinearizable) {
  for (const std::uint64_t seed : fresh_seeds(5)) {
    SimulationOptions options = contended(SimulatedLevel::StrictSerializable, seed);
    options.workload = "lightweight";
    EXPECT_TRUE(holds(proved(simulate(options), Level::Linearizable))) << seed;
  }
}

TEST(SimulatedCheck, LostUpdatesOfLightweightTransactionsBreakTheChain) {
  bool caught = false;
  for (std::uint64_t seed = 1; seed <= 5 && !caught; ++seed) {
    SimulationOptions options = contended(SimulatedLevel::StrictSerializable, seed);
    options.workload = "lightweight";
    options.keys = 4;
    options.bugs = {parse_simulated_bug("lost-update:probability=0.5")};
    caught = violated(proved(simulate(options), Level::Linearizable));
  }
  EXPECT_TRUE(caught);
}

// A bug, the simulated level that contains it, and its effect on each level that this one implies.
class SimulatedBugCheck : public testing::TestWithParam<SimulatedBugKind> {
 protected:
  bool breaks(Level level) const {
    return std::ranges::any_of(info(GetParam()).breaks, [level](std::string_view weakest) {
      return implies(level, find_level(weakest).value());
    });
  }
  History history(std::uint64_t seed) const {
    SimulationOptions options = contended(SimulatedLevel::StrictSerializable, seed);
    options.keys = 8;
    options.bugs = {{.kind = GetParam(), .probability = 0.1}};
    return simulate(options);
  }
};

TEST_P(SimulatedBugCheck, NamesLevels) {
  for (const std::string_view level : info(GetParam()).breaks) EXPECT_TRUE(find_level(level)) << level;
}

TEST_P(SimulatedBugCheck, IsCaughtExactlyAtTheLevelsItBreaks) {
  std::map<Level, int> caught;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const History buggy = history(seed);
    for (const Level level : kSearchedLevels) caught[level] += violated(proved(buggy, level)) ? 1 : 0;
  }
  for (const Level level : kSearchedLevels) EXPECT_EQ(caught[level] > 0, breaks(level)) << name_of(level);
}

INSTANTIATE_TEST_SUITE_P(All, SimulatedBugCheck,
                         testing::Values(SimulatedBugKind::DirtyRead, SimulatedBugKind::DirtyWrite,
                                         SimulatedBugKind::LostUpdate, SimulatedBugKind::StaleSnapshot,
                                         SimulatedBugKind::FracturedCommit,
                                         SimulatedBugKind::SkippedValidation,
                                         SimulatedBugKind::AbortedButVisible, SimulatedBugKind::WriteSkew,
                                         SimulatedBugKind::LongFork),
                         [](const auto& parameter) { return test_name(serval::info(parameter.param).name); });

TEST(PlantedAnomalyCheck, CoversTheFourteenAnomaliesOfMtcAndRealTime) {
  EXPECT_EQ(all_planted_anomalies().size(), 15u);
  for (const PlantedAnomaly& planted : all_planted_anomalies())
    EXPECT_TRUE(find_anomaly(planted.name)) << planted.name;
}

TEST(PlantedAnomalyCheck, IsFoundOnceByNameExactlyWhereItIsForbidden) {
  for (const PlantedAnomaly& planted : all_planted_anomalies()) {
    const AnomalyKind kind = find_anomaly(planted.name).value();
    for (const std::uint64_t seed : fresh_seeds(3)) {
      SimulationOptions options = contended(SimulatedLevel::StrictSerializable, seed);
      options.plant = planted.name;
      const History history = simulate(options);
      for (const Level level : kSearchedLevels) {
        const Verdict verdict = proved(history, level);
        EXPECT_EQ(violated(verdict), forbids(level, kind)) << planted.name << " " << name_of(level);
        if (!violated(verdict)) continue;
        const std::map<AnomalyKind, std::uint64_t>& counts = std::get<Violated>(verdict).counts;
        EXPECT_EQ(counts, (std::map<AnomalyKind, std::uint64_t>{{kind, 1}}))
            << planted.name << " " << name_of(level);
      }
    }
  }
}

TEST(PlantedAnomalyCheck, DoesNotAffectWeakerLevels) {
  for (const SimulatedLevelInfo& simulated : all_simulated_levels()) {
    const Level promised = find_level(simulated.name).value();
    for (const char* plant : {"write-skew", "read-your-writes-violation", "read-skew-realtime"}) {
      SimulationOptions options = contended(simulated.level, 5);
      options.plant = plant;
      const Verdict verdict = proved(simulate(options), promised);
      EXPECT_TRUE(forbids(promised, find_anomaly(plant).value()) || !violated(verdict))
          << plant << simulated.name;
    }
  }
}

}  // namespace
}  // namespace serval
