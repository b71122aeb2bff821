// The simulated database: correct runs raise no alarm, every bug is caught where it can appear, and
// forgetting changes no verdict.
#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "same_result.h"
#include "sample.h"
#include "serval/base/random.h"
#include "serval/database/simulated/simulate.h"
#include "serval/online/mirror_history.h"
#include "simulated_run.h"

namespace serval::online {
namespace {

const Profile& profile_of(const char* level) { return *find_profile(std::string("simulated:") + level); }

std::uint64_t seeds() { return sample_of(60, 10); }

constexpr const char* kLevels[] = {"read-uncommitted",
                                   "read-committed",
                                   "prefix-consistency",
                                   "snapshot-isolation",
                                   "strong-session-snapshot-isolation",
                                   "strong-snapshot-isolation",
                                   "serializable",
                                   "strong-session-serializable",
                                   "strict-serializable"};

class Simulated : public testing::TestWithParam<const char*> {};

TEST_P(Simulated, CorrectRunsRaiseNoAlarm) {
  for (const char* workload : {"mini", "general", "registers", "blindw-rw", "list-append", "lightweight"})
    for (const std::uint64_t seed : fresh_seeds(seeds())) {
      const History history = history_of({GetParam(), workload, seed});
      const OnlineResult result = mirror_history(history, profile_of(GetParam()));
      ASSERT_FALSE(result.violated()) << workload << " seed " << seed << "\n"
                                      << result.violations.front().format();
      EXPECT_EQ(result.statistics.operations, history.operation_count());
    }
}

// What the level promises also holds for coarser intervals, and under the level's generic profile.
TEST_P(Simulated, CorrectRunsRaiseNoAlarmUnderTheGenericProfile) {
  for (const char* workload : {"mini", "general", "registers"})
    for (const std::uint64_t seed : fresh_seeds(seeds() / 3 + 1)) {
      const OnlineResult result = mirror_history(history_of({GetParam(), workload, seed}),
                                                 *find_profile(std::string("generic:") + GetParam()));
      ASSERT_FALSE(result.violated()) << workload << " seed " << seed << "\n"
                                      << result.violations.front().format();
    }
}

// Clients whose clocks are wrong by up to `error` and declare it: every interval is shifted by its
// session's error and widened by the largest error. Then intervals of one session overlap (R1).
OnlineResult verify_with_clock_error(const History& history, const Profile& profile, std::uint64_t seed,
                                     Time error) {
  HistoryRecords records = records_of(history);
  Random random(seed);
  std::vector<Time> shifts;
  for (std::size_t s = 0; s < history.session_count(); ++s)
    shifts.push_back(static_cast<Time>(random.below(static_cast<std::uint64_t>(2 * error + 1))) - error);
  for (Record& record : records.records) {
    if (record.kind == RecordKind::Initial) continue;
    record.time.begin += shifts[record.session] - error;
    if (record.time.end != kUnknownEnd) record.time.end += shifts[record.session] + error;
  }
  std::ranges::stable_sort(records.records, {}, [](const Record& record) { return record.time.begin; });
  OnlineVerifier verifier(profile);
  verifier.accept(records.records);
  return verifier.finish();
}

TEST_P(Simulated, CorrectRunsRaiseNoAlarmWhenClocksAreWrong) {
  for (const char* workload : {"mini", "general", "list-append"})
    for (const Time error : {100, 3000, 50'000})
      for (const std::uint64_t seed : fresh_seeds(seeds() / 6 + 1)) {
        const OnlineResult result = verify_with_clock_error(history_of({GetParam(), workload, seed}),
                                                            profile_of(GetParam()), seed, error);
        ASSERT_FALSE(result.violated()) << workload << " seed " << seed << " error " << error << "\n"
                                        << result.violations.front().format();
      }
}

// Leopard, Theorem 5, and its analogues for versions and locks: what is forgotten takes part in no
// future violation. Other transactions named in a violation may be forgotten, so only the culprits are
// compared.
TEST_P(Simulated, ForgettingChangesNoVerdict) {
  for (const char* bug :
       {static_cast<const char*>(nullptr), "dirty-read:probability=0.05", "lost-update:probability=0.2",
        "stale-snapshot:probability=0.1", "fractured-commit:probability=0.2",
        "skipped-validation:probability=0.2", "write-skew:probability=0.3"})
    for (const char* workload : {"mini", "general", "registers", "list-append"})
      for (const std::uint64_t seed : fresh_seeds(seeds() / 6 + 1)) {
        const History history = history_of({GetParam(), workload, seed, bug});
        const OnlineOptions all{.most_violations = 100'000, .forgets = false};
        const OnlineOptions some{.most_violations = 100'000, .forgets = true};
        const OnlineResult kept = mirror_history(history, profile_of(GetParam()), all);
        const OnlineResult forgot = mirror_history(history, profile_of(GetParam()), some);
        ASSERT_EQ(kept.violated(), forgot.violated())
            << workload << " " << (bug != nullptr ? bug : "") << " seed " << seed;
        ASSERT_EQ(kept.statistics.violations[0], forgot.statistics.violations[0])
            << workload << " seed " << seed;
        EXPECT_LE(forgot.statistics.versions, kept.statistics.versions);
        // A read of a state that is too old is a violation. Only a verifier that remembers that state
        // knows which cycles it also closes.
        if (kept.statistics.violations[0] == 0) {
          EXPECT_EQ(kept.statistics.violations, forgot.statistics.violations) << workload << " seed " << seed;
          EXPECT_EQ(summary(kept), summary(forgot));
        }
      }
}

// Keys that are unused for a while leave their last value, or nothing at all; then less is certain.
TEST_P(Simulated, SettingKeysAsideChangesNoVerdict) {
  std::uint64_t fewer = 0;
  for (const char* bug : {static_cast<const char*>(nullptr), "dirty-read:probability=0.02",
                          "lost-update:probability=0.1", "stale-snapshot:probability=0.05"})
    for (const char* workload : {"mini", "general", "registers", "list-append"})
      for (const std::uint64_t seed : fresh_seeds(3)) {
        const History history = history_of({GetParam(), workload, seed, bug, 300, 800});
        const auto verify = [&](const OnlineOptions& options) {
          return mirror_history(history, profile_of(GetParam()), options);
        };
        const OnlineResult all = verify({.most_violations = 100'000});
        const OnlineResult last =
            verify({.most_violations = 100'000, .hot_keys = 0, .partitions = seed % 3 == 0 ? 2u : 1u});
        ASSERT_EQ(all.statistics.violations, last.statistics.violations)
            << workload << " " << (bug != nullptr ? bug : "") << " seed " << seed;
        EXPECT_EQ(all.statistics.keys, last.statistics.keys);
        fewer += last.statistics.versions < all.statistics.versions ? 1 : 0;
        const OnlineResult nothing = verify({.most_violations = 100'000, .hot_keys = 0, .cold_keys = 0});
        // A wrong read that tells the value of a forgotten key makes the right reads after it contradict it,
        // so one violation may become several.
        for (std::size_t i = 0; i < kMechanismCount; ++i)
          if (all.statistics.violations[i] == 0) {
            EXPECT_EQ(nothing.statistics.violations[i], 0u)
                << workload << " " << (bug != nullptr ? bug : "") << " seed " << seed;
          }
      }
  // If reads may be of any age, keys stay in use for at least ten seconds, and no run is that long.
  if (profile_of(GetParam()).freshness == Freshness::Current) {
    EXPECT_GT(fewer, 20u);
  }
}

// No transaction wrote the key before it was set aside, so its value was the initial one or none. Then
// came a dirty read.
TEST(SettingKeysAside, KeepsWhatTheInitialValueMayBe) {
  const History history =
      history_of({"read-committed", "registers", 297272958826753, "dirty-read:probability=0.02", 300, 800});
  const auto violations = [&](std::size_t hot_keys) {
    const OnlineOptions options{.most_violations = 100'000, .hot_keys = hot_keys};
    return mirror_history(history, profile_of("read-committed"), options).statistics.violations;
  };
  const auto all = violations(8'192);
  EXPECT_GT(all[0], 0u);
  EXPECT_EQ(violations(0), all);
}

INSTANTIATE_TEST_SUITE_P(Levels, Simulated, testing::ValuesIn(kLevels), [](const auto& test) {
  std::string name = test.param;
  std::erase(name, '-');
  return name;
});

// A bug, the levels that rule it out, and the workloads that can show it.
struct Bug {
  const char* name;
  std::vector<const char*> levels;
  std::vector<const char*> workloads;
};

class Bugs : public testing::TestWithParam<Bug> {};

TEST_P(Bugs, AreCaughtUnderEveryWorkloadThatCanShowThem) {
  const std::string bug = std::string(GetParam().name) + ":probability=0.2";
  for (const char* level : GetParam().levels)
    for (const char* workload : GetParam().workloads) {
      std::uint64_t caught = 0;
      for (std::uint64_t seed = 1; seed <= 40 && caught == 0; ++seed)
        caught +=
            mirror_history(history_of({level, workload, seed, bug.c_str()}), profile_of(level)).violated()
                ? 1
                : 0;
      EXPECT_GT(caught, 0u) << bug << " at " << level << " under " << workload;
    }
}

const std::vector<const char*> kAllWorkloads{"mini",      "general", "registers",
                                             "blindw-rw", "ycsb-a",  "list-append"};
const std::vector<const char*> kSnapshots{"prefix-consistency", "strong-snapshot-isolation",
                                          "strict-serializable"};
const std::vector<const char*> kChecked{"snapshot-isolation",          "strong-session-snapshot-isolation",
                                        "strong-snapshot-isolation",   "serializable",
                                        "strong-session-serializable", "strict-serializable"};
const std::vector<const char*> kReadAndWrite{"mini", "registers", "ycsb-a", "list-append"};

INSTANTIATE_TEST_SUITE_P(
    Kinds, Bugs,
    testing::Values(
        Bug{"dirty-read",
            {"read-committed", "prefix-consistency", "snapshot-isolation", "strong-snapshot-isolation",
             "serializable", "strict-serializable"},
            kAllWorkloads},
        Bug{"dirty-write",
            {"read-committed", "strong-snapshot-isolation", "strict-serializable"},
            {"mini", "general", "registers", "blindw-rw", "ycsb-a"}},
        Bug{"skipped-validation", {"read-uncommitted"}, kAllWorkloads},  // A lock that is not taken.
        Bug{"skipped-validation", kChecked, kAllWorkloads}, Bug{"stale-snapshot", kSnapshots, kAllWorkloads},
        Bug{"stale-snapshot",
            {"strong-session-snapshot-isolation", "strong-session-serializable"},
            kAllWorkloads},
        Bug{"lost-update", kChecked, kAllWorkloads},
        Bug{"fractured-commit", {"prefix-consistency", "strong-snapshot-isolation"}, kAllWorkloads},
        Bug{"aborted-but-visible",
            {"read-committed", "strong-snapshot-isolation", "serializable"},
            kAllWorkloads},
        // A missing abort at the serializable levels. Transactions that only read or only write do not
        // skew.
        Bug{"write-skew",
            {"serializable", "strong-session-serializable", "strict-serializable"},
            kReadAndWrite},
        Bug{"long-fork", kSnapshots, kAllWorkloads}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::erase(name, '-');
      return name + std::to_string(test.index);
    });

}  // namespace
}  // namespace serval::online
