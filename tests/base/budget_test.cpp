#include "serval/base/budget.h"

#include <gtest/gtest.h>

namespace serval {
namespace {

TEST(Budget, EndsWhenItsOwnStopIsSetAndLeavesOthersAlone) {
  std::atomic<bool> stop = false;
  const Budget budget = Budget::until_set(stop);
  EXPECT_NO_THROW(budget.look("phase"));
  stop = true;
  EXPECT_THROW(budget.look("phase"), BudgetExhausted);
  EXPECT_NO_THROW(Budget::unlimited().look("phase"));
}

TEST(Budget, EndsWhenItsTimeHasPassed) {
  const Budget budget = Budget::until(Budget::Clock::now());
  try {
    budget.look("reads-from");
    FAIL() << "time is up";
  } catch (const BudgetExhausted& exhausted) {
    EXPECT_EQ(exhausted.cause(), BudgetExhausted::Cause::TimeBudget);
    EXPECT_STREQ(exhausted.phase(), "reads-from");
  }
}

}  // namespace
}  // namespace serval
