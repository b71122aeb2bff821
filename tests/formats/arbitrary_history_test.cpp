#include "formats/arbitrary_history.h"

#include <gtest/gtest.h>

#include "history_equality.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

TEST(ArbitraryHistory, DependsOnlyOnTheSeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_EQ(difference(arbitrary_history(seed), arbitrary_history(seed)), "");
  EXPECT_NE(difference(arbitrary_history(1), arbitrary_history(2)), "");
}

TEST(HistoryEquality, DetectsEveryMemberOfTheNotation) {
  const History history = parse_history("s1: [w(x,1) r(y,0)]@1..2 s2: [cas(x,1,2)]!");
  EXPECT_EQ(difference(history, parse_history("s1: [w(x,1) r(y,0)]@1..2 s2: [cas(x,1,2)]!")), "");
  for (const char* other :
       {"s1: [w(x,1) r(y,0)]@1..2 s2: [cas(x,1,2)]", "s1: [w(x,1) r(y,0)]@1..3 s2: [cas(x,1,2)]!",
        "s1: [w(x,1) r(y,0)]@1..2 s2: [cas(x,3,2)]!", "s1: [w(x,1) r(y,_)]@1..2 s2: [cas(x,1,2)]!",
        "s1: [w(x,1)]@1..2 s2: [cas(x,1,2)]!", "s1: [w(x,1) r(y,0)]@1..2"})
    EXPECT_NE(difference(history, parse_history(other)), "") << other;
}

}  // namespace
}  // namespace serval
