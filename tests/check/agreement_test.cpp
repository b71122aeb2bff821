#include "check/agreement.h"

#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "oracle/enumerate_histories.h"
#include "oracle/random_history.h"
#include "sample.h"
#include "serval/verify/verify_witness.h"

// The engines agree with the oracle on every history of several small universes and on many random ones,
// and every verdict is re-proved. SERVAL_RANDOM_HISTORIES sets the number of random histories,
// SERVAL_RANDOM_SEED the first seed, and SERVAL_UNIVERSE_STEP=n takes every n-th history of a universe
// (sanitizers are slow). A failure prints its seed and the smallest history that still fails.

namespace serval::oracle {
namespace {

class Agreement {
 public:
  void judge(const Draft& draft, const std::string& origin) {
    ++histories_;
    const History history = draft.freeze();
    const LevelSet truth = satisfied_levels(history);
    expect_implications(history, truth, origin);
    for (const Level level : decidable_levels()) {
      if (!is_about(level, history)) continue;
      const Comparison comparison = compare(history, level, truth);
      ++tally_[level][static_cast<std::size_t>(comparison.answer)];
      if (!comparison.complaint.empty() && ++failures_ <= 3) complain(draft, level, comparison, origin);
    }
  }

  // With every engine, and as a survey of all levels.
  void judge_every_way(const Draft& draft, const std::string& origin) {
    judge(draft, origin);
    const History history = draft.freeze();
    const LevelSet truth = satisfied_levels(history);
    for (const Engine engine : {Engine::Certificate, Engine::Polygraph, Engine::Replay})
      for (const Level level : decidable_levels()) {
        // Without a certificate, there is no reference for what that engine proves about
        // repeatable-read.
        const bool certified = engine == Engine::Certificate && level == Level::RepeatableRead;
        if (certified || !is_about(level, history)) continue;
        const Comparison comparison = compare(history, level, truth, engine);
        if (!comparison.complaint.empty() && ++failures_ <= 3)
          complain(draft, level, comparison, origin, engine);
      }
    const auto complaint = [](const Draft& candidate) {
      const History smaller = candidate.freeze();
      return complaint_about_survey(smaller, satisfied_levels(smaller));
    };
    if (complaint(draft).empty() || ++failures_ > 3) return;
    const Draft least = shrink(draft, [&](const Draft& candidate) { return !complaint(candidate).empty(); });
    ADD_FAILURE() << origin << ": " << complaint(draft) << "\nsmallest that still fails:\n"
                  << print_history(least.freeze()) << complaint(least);
  }

  std::uint64_t histories() const { return histories_; }
  std::uint64_t answers(Level level, Answer answer) {
    return tally_[level][static_cast<std::size_t>(answer)];
  }

  // Histories that rarely hold or rarely violate a level would hardly test it.
  void expect_each_verdict(Level level, double least_share) {
    for (const Answer answer : {Answer::Holds, Answer::Violated})
      EXPECT_GE(static_cast<double>(answers(level, answer)), least_share * static_cast<double>(histories_))
          << name_of(level) << (answer == Answer::Holds ? " holds" : " violated");
  }

  void print(const std::string& title) {
    std::cout << title << ": " << histories_ << " histories\n";
    for (auto& [level, counts] : tally_)
      std::cout << "  " << name_of(level) << ": " << counts[0] << " hold, " << counts[1] << " violated, "
                << counts[2] << " undecided\n";
  }

 private:
  static Comparison judge(const Draft& draft, Level level, Engine engine) {
    const History history = draft.freeze();
    if (!is_about(level, history)) return {};
    return compare(history, level, satisfied_levels(history), engine);
  }

  static void complain(const Draft& draft, Level level, const Comparison& comparison,
                       const std::string& origin, Engine engine = Engine::Auto) {
    const Draft least = shrink(draft, [level, engine](const Draft& candidate) {
      return !judge(candidate, level, engine).complaint.empty();
    });
    ADD_FAILURE() << name_of(level) << ": " << comparison.complaint << "\n"
                  << origin << ":\n"
                  << print_history(draft.freeze()) << "smallest that still fails:\n"
                  << print_history(least.freeze()) << judge(least, level, engine).complaint;
  }

  // The oracle itself agrees with the table of implications.
  void expect_implications(const History& history, const LevelSet& truth, const std::string& origin) {
    for (const LevelInfo& row : all_levels())
      for (const Level weaker : row.implies)
        if (truth[index_of(row.level)] && !truth[index_of(weaker)] && ++failures_ <= 3) {
          ADD_FAILURE() << origin << ": the oracle says " << row.name << ", not " << name_of(weaker) << "\n"
                        << print_history(history);
        }
  }

  std::uint64_t histories_ = 0, failures_ = 0;
  std::map<Level, std::array<std::uint64_t, 3>> tally_;
};

class SmallUniverse : public testing::TestWithParam<Universe> {};

TEST_P(SmallUniverse, IsDecidedAsTheOracleSays) {
  const std::uint64_t step = number_from_environment("SERVAL_UNIVERSE_STEP", 1);
  Agreement agreement;
  std::uint64_t number = 0;
  for_each_history(GetParam(), [&](const Draft& draft) {
    if (number++ % step == 0) agreement.judge(draft, GetParam().name);
  });
  agreement.print(GetParam().name);
  EXPECT_GT(number, 1000u);
}

using W = Universe::Writes;
using O = Universe::Outcomes;
using T = Universe::Times;
INSTANTIATE_TEST_SUITE_P(
    Every, SmallUniverse,
    testing::Values(Universe{"TwoTransactionsOfAnyOutcome", 2, 2, 2, W::Unique, O::All, T::None},
                    Universe{"TwoLongTransactions", 2, 3, 1, W::Unique, O::Committed, T::None},
                    Universe{"RepeatedValues", 2, 2, 1, W::Duplicate, O::All, T::None},
                    Universe{"ThreeMiniTransactions", 3, 2, 2, W::ReadFirst, O::Committed, T::None},
                    Universe{"ThreeBlindWriters", 3, 2, 1, W::Unique, O::Committed, T::None},
                    Universe{"FourSingleOperations", 4, 1, 2, W::Unique, O::Committed, T::None},
                    Universe{"TwoListTransactionsOfAnyOutcome", 2, 2, 1, W::FaultyAppends, O::All, T::None},
                    Universe{"TwoListsInTwoTransactions", 2, 3, 2, W::Appends, O::Committed, T::None},
                    Universe{"ThreeListTransactions", 3, 2, 1, W::Appends, O::Committed, T::None},
                    Universe{"TimedListTransactions", 3, 1, 1, W::Appends, O::Committed, T::Small},
                    Universe{"ListsAndRegisters", 2, 2, 2, W::Mixed, O::All, T::None},
                    Universe{"ThreeTimedTransactions", 3, 2, 1, W::ReadFirst, O::Committed, T::Small},
                    Universe{"TimedLightweightTransactions", 3, 1, 1, W::LightWeight, O::Committed, T::Small},
                    Universe{"LightweightTransactionsOfAnyOutcome", 2, 1, 2, W::LightWeight, O::All,
                             T::Small},
                    Universe{"FourLightweightTransactions", 4, 1, 1, W::LightWeight, O::Committed, T::None}),
    [](const auto& universe) { return universe.param.name; });

// The largest number of transactions.
int size_of(std::uint64_t i) { return i % 16 == 0 ? 6 : 5; }

TEST(RandomHistories, AreDecidedAsTheOracleSays) {
  const std::uint64_t count = number_from_environment("SERVAL_RANDOM_HISTORIES", 100'000);
  const std::uint64_t seed = number_from_environment("SERVAL_RANDOM_SEED", 1);
  Agreement agreement;
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random(seed + i);
    agreement.judge(random_transactions(random, size_of(i)), "seed " + std::to_string(seed + i));
  }
  agreement.print("random transactions");
  for (const Level level : {Level::Serializable, Level::StrongSessionSnapshotIsolation})
    agreement.expect_each_verdict(level, 0.05);
}

// The initial value written again, nil, deletes, compare-and-sets, values written by several
// transactions of any outcome, and values that were not recorded.
TEST(RandomHistories, WithEveryFeatureAreDecidedAsTheOracleSays) {
  const std::uint64_t count = number_from_environment("SERVAL_RANDOM_HISTORIES", 100'000) / 4;
  const std::uint64_t seed = number_from_environment("SERVAL_RANDOM_SEED", 1);
  Agreement agreement;
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random(seed + i);
    agreement.judge_every_way(random_hostile_transactions(random, 4),
                              "hostile seed " + std::to_string(seed + i));
  }
  agreement.print("random hostile transactions");
  for (const Level level : {Level::Serializable, Level::StrongSessionSnapshotIsolation})
    agreement.expect_each_verdict(level, 0.02);
}

TEST(RandomHistories, OfListsAreDecidedAsTheOracleSays) {
  const std::uint64_t count = number_from_environment("SERVAL_RANDOM_HISTORIES", 100'000);
  const std::uint64_t seed = number_from_environment("SERVAL_RANDOM_SEED", 1);
  Agreement agreement;
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random(seed + i);
    agreement.judge(random_list_transactions(random, size_of(i)), "list seed " + std::to_string(seed + i));
  }
  agreement.print("random list transactions");
  for (const Level level : {Level::Serializable, Level::ReadCommitted})
    agreement.expect_each_verdict(level, 0.02);
}

TEST(RandomHistories, OfLightweightTransactionsAreDecidedAsTheOracleSays) {
  const std::uint64_t count = number_from_environment("SERVAL_RANDOM_HISTORIES", 100'000) / 3;
  const std::uint64_t seed = number_from_environment("SERVAL_RANDOM_SEED", 1);
  Agreement agreement;
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random(seed + i);
    agreement.judge(random_lightweight_transactions(random, 5),
                    "lightweight seed " + std::to_string(seed + i));
  }
  agreement.print("random lightweight transactions");
  agreement.expect_each_verdict(Level::Linearizable, 0.05);
}

}  // namespace
}  // namespace serval::oracle
