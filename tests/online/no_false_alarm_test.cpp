// Valid histories raise no alarm, whatever they contain: histories that keep a level by construction,
// and tiny ones that the oracle calls valid.
#include <algorithm>

#include <gtest/gtest.h>

#include "oracle/brute_force.h"
#include "sample.h"
#include "serval/online/mirror_history.h"
#include "small_database.h"

namespace serval::online {
namespace {

using Keeps = SmallDatabase::Keeps;
using Times = SmallDatabase::Times;

struct Case {
  const char* name;
  Keeps keeps;
  std::vector<const char*> profiles;
};

class NoFalseAlarm : public testing::TestWithParam<Case> {};

std::string format(const OnlineResult& result) {
  return result.violations.empty() ? "" : result.violations.front().format();
}

TEST_P(NoFalseAlarm, ByConstruction) {
  for (const std::uint64_t seed : fresh_seeds(sample_of(1000, 20)))
    for (const Times times : {Times::OfTransactions, Times::OfOperations}) {
      const History history = SmallDatabase({.keeps = GetParam().keeps, .times = times, .seed = seed}).run();
      const auto indeterminate =
          static_cast<std::uint64_t>(std::ranges::count(history.outcome_column(), Outcome::Indeterminate));
      for (const char* profile : GetParam().profiles) {
        const OnlineResult result = mirror_history(history, *find_profile(profile));
        ASSERT_FALSE(result.violated()) << profile << " seed " << seed << "\n" << format(result);
        ASSERT_EQ(result.statistics.indeterminate, indeterminate) << profile << " seed " << seed;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Levels, NoFalseAlarm,
    testing::Values(
        Case{"ReadCommitted", Keeps::ReadCommitted, {"generic:read-committed", "simulated:read-committed"}},
        Case{"Snapshot",
             Keeps::Snapshot,
             {"generic:read-committed", "generic:prefix-consistency", "generic:snapshot-isolation",
              "generic:strong-snapshot-isolation", "simulated:strong-snapshot-isolation",
              "tidb-optimistic:repeatable-read", "rocksdb-optimistic:snapshot-isolation",
              "foundationdb:snapshot", "spanner:repeatable-read"}},
        Case{"StrictSerializable",
             Keeps::StrictSerializable,
             {"generic:read-committed", "generic:snapshot-isolation", "generic:strong-snapshot-isolation",
              "generic:serializable", "generic:strict-serializable", "simulated:strong-snapshot-isolation",
              "simulated:strict-serializable", "rocksdb-optimistic:serializable", "cockroachdb:serializable",
              "foundationdb:serializable", "spanner:serializable"}}),
    [](const auto& test) { return std::string(test.param.name); });

// Some reads return arbitrary values, so that many are refuted and all kinds of explanations occur.
TEST(NoFalseAlarm, WhereTheOracleFindsAnExplanation) {
  std::uint64_t valid = 0, alarms = 0;
  for (const std::uint64_t seed : fresh_seeds(sample_of(3000, 50))) {
    const History history = SmallDatabase({.keeps = seed % 2 == 0 ? Keeps::ReadCommitted : Keeps::Snapshot,
                                           .times = Times::OfTransactions,
                                           .seed = seed,
                                           .transactions = 5,
                                           .lies = 0.2})
                                .run();
    for (const auto& [profile, level] :
         {std::pair{"generic:strict-serializable", Level::StrictSerializable},
          std::pair{"generic:strong-snapshot-isolation", Level::StrongSnapshotIsolation}}) {
      const OnlineResult result = mirror_history(history, *find_profile(profile));
      alarms += result.violated() ? 1 : 0;
      if (!oracle::satisfies(history, level)) continue;
      ++valid;
      ASSERT_FALSE(result.violated()) << profile << " seed " << seed << "\n" << format(result);
    }
  }
  EXPECT_GT(valid, 0u);
  EXPECT_GT(alarms, 0u);
}

}  // namespace
}  // namespace serval::online
