#include "serval/inference/statistics.h"

#include <gtest/gtest.h>

#include "serval/history/notation.h"

namespace serval {
namespace {

TEST(Statistics, CountsOutcomesKindsAndContention) {
  const Statistics numbers =
      measure(parse_history("s1: [r(x,0) w(x,1)] [r(x,1)]!  s2: [r(y,0) w(x,2)]? [a(z,1)]"));
  EXPECT_EQ(numbers.sessions, 2u);
  EXPECT_EQ(numbers.transactions, 4u);
  EXPECT_EQ(numbers.committed, 2u);
  EXPECT_EQ(numbers.aborted, 1u);
  EXPECT_EQ(numbers.indeterminate, 1u);
  EXPECT_EQ(numbers.by_kind[static_cast<std::size_t>(OperationKind::Read)], 3u);
  EXPECT_EQ(numbers.by_kind[static_cast<std::size_t>(OperationKind::Append)], 1u);
  EXPECT_EQ(numbers.operations_per_key.max, 4);
  EXPECT_EQ(numbers.hottest_key, KeyId{0});
  EXPECT_EQ(numbers.written_keys, 2u);
}

TEST(Statistics, LatencyNeedsBothTimes) {
  EXPECT_FALSE(measure(parse_history("s1: [r(x,0)]@5..")).latency_ns.has_value());
  const Statistics numbers = measure(parse_history("s1: [r(x,0)]@5..9 [r(x,0)]@10..20 [r(x,0)]"));
  EXPECT_EQ(numbers.latency_ns.value().median, 4);
  EXPECT_EQ(numbers.latency_ns.value().max, 10);
  EXPECT_EQ(numbers.span_ns.value(), 15);
}

TEST(Statistics, PercentilesAreElementsOfTheList) {
  EXPECT_EQ(distribution_of({5, 1, 3}), (Distribution{1, 3, 5, 5, 5, 5}));
  EXPECT_EQ(distribution_of({}), Distribution{});
}

TEST(Statistics, AnEmptyHistoryIsAllZero) {
  const Statistics numbers = measure(History{});
  EXPECT_EQ(numbers.transactions, 0u);
  EXPECT_TRUE(numbers.hottest_key.is_none());
}

}  // namespace
}  // namespace serval
