#include "serval/base/equal_span.h"

#include <vector>

#include <gtest/gtest.h>

namespace serval {
namespace {

struct Step {
  int from, to;
};

TEST(EqualSpan, FindsExactlyTheEqualElements) {
  const std::vector<Step> steps{{1, 10}, {3, 20}, {3, 21}, {3, 22}, {7, 30}};
  const auto found = equal_span(steps, 3, &Step::from);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found.front().to, 20);
  EXPECT_EQ(found.back().to, 22);
  EXPECT_EQ(equal_span(steps, 1, &Step::from).size(), 1u);
  EXPECT_EQ(equal_span(steps, 7, &Step::from).size(), 1u);
  for (const int absent : {0, 2, 5, 9}) EXPECT_TRUE(equal_span(steps, absent, &Step::from).empty());
  EXPECT_TRUE(equal_span(std::vector<Step>{}, 3, &Step::from).empty());
}

}  // namespace
}  // namespace serval
