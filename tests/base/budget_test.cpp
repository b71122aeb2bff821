#include "serval/base/budget.h"

#include <gtest/gtest.h>

namespace serval {
namespace {

TEST(Budget, EndsWhenItsOwnStopIsSetAndLeavesOthersAlone) {
  std::atomic<bool> stop = false;
  Budget budget = Budget::until_set(stop);
  EXPECT_NO_THROW(budget.look("phase"));
  stop = true;
  EXPECT_THROW(budget.look("phase"), BudgetExhausted);
  EXPECT_NO_THROW(Budget::unlimited().look("phase"));
}

TEST(Budget, EndsWhenItsTimeHasPassed) {
  Budget budget = Budget::until(Budget::Clock::now());
  try {
    budget.look("reads-from");
    FAIL() << "time is up";
  } catch (const BudgetExhausted& exhausted) {
    EXPECT_EQ(exhausted.cause(), BudgetExhausted::Cause::TimeBudget);
    EXPECT_STREQ(exhausted.phase(), "reads-from");
  }
}

// The poll that ends the work does not depend on the machine.
TEST(Budget, EffortEndsAtTheSamePollEveryTime) {
  const auto polls_until_the_end = [] {
    Budget budget = Budget::unlimited().with_effort(10'000);
    try {
      for (int polls = 1;; ++polls) budget.poll("phase");
    } catch (const BudgetExhausted& exhausted) {
      EXPECT_EQ(exhausted.cause(), BudgetExhausted::Cause::EffortBudget);
    }
    return budget.effort();
  };
  EXPECT_EQ(polls_until_the_end(), 12'288u);  // The first check after 10,000.
  EXPECT_EQ(polls_until_the_end(), 12'288u);
}

TEST(Budget, EffortIsCountedSeparatelyForEachLimit) {
  Budget whole = Budget::unlimited();
  for (int polls = 0; polls < 9'000; ++polls) whole.poll("phase");
  EXPECT_EQ(whole.effort(), 9'000u);
  EXPECT_EQ(whole.with_effort(5'000).effort(), 0u);
}

}  // namespace
}  // namespace serval
