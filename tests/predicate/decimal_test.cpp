#include "serval/predicate/decimal.h"

#include <gtest/gtest.h>

namespace serval {
namespace {

Decimal decimal(std::string_view text) { return *Decimal::parse(text); }

TEST(Decimal, HasAtMostThirtyEightDigits) {
  const std::string most(38, '9');
  EXPECT_EQ(decimal(most).format(), most);
  EXPECT_EQ(Decimal::parse(most + "0"), std::nullopt);
  EXPECT_EQ(Decimal::parse(most + "9"), std::nullopt);
  EXPECT_EQ(sum(decimal(most), decimal(most)), std::nullopt);
  EXPECT_EQ(difference(decimal("-" + most), decimal(most)), std::nullopt);
  EXPECT_EQ(product(decimal("-18446744073709551616"), decimal("9223372036854775808")), std::nullopt);
}

TEST(Decimal, WithManyPlacesIsBesideAWholeNumber) {
  EXPECT_EQ(static_cast<std::int64_t>(decimal("1e-200").floor()), 0);
  EXPECT_EQ(static_cast<std::int64_t>(decimal("-1e-200").floor()), -1);
  EXPECT_EQ(static_cast<std::int64_t>(decimal("0e-200").floor()), 0);
  EXPECT_EQ(static_cast<std::int64_t>(decimal("-2.5").floor()), -3);
  EXPECT_EQ(static_cast<std::int64_t>(decimal("-2.0").floor()), -2);
  EXPECT_EQ(static_cast<std::int64_t>(decimal("2.5").floor()), 2);
  EXPECT_LT(decimal("1e-200"), decimal("1"));
  EXPECT_EQ(decimal("1e-200").whole(), std::nullopt);
}

TEST(Decimal, QuotientsOfManyPlacesHaveNoResult) {
  EXPECT_EQ(quotient(decimal("0.0001e-1000"), decimal("1")), std::nullopt);
  Decimal small = decimal("1e-1000");
  std::optional<Decimal> next = small;
  for (int i = 0; i < 20 && next; ++i) next = product(*next, small);
  EXPECT_EQ(next, std::nullopt);
}

}  // namespace
}  // namespace serval
