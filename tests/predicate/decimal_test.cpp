#include "serval/predicate/decimal.h"

#include <gtest/gtest.h>

namespace serval {
namespace {

Decimal decimal(std::string_view text) { return *Decimal::parse(text); }

// "2.50" for 250 and two places; "none" if it is not a number.
std::string parsed(std::string_view text) {
  const std::optional<Decimal> number = Decimal::parse(text);
  return number ? number->format() : "none";
}

TEST(Decimal, IsParsedWithItsPlaces) {
  EXPECT_EQ(parsed("12"), "12");
  EXPECT_EQ(parsed("+12"), "12");
  EXPECT_EQ(parsed("-0.50"), "-0.50");
  EXPECT_EQ(parsed(".5"), "0.5");
  EXPECT_EQ(parsed("5."), "5");
  EXPECT_EQ(parsed("1.50"), "1.50");
  EXPECT_EQ(decimal("1.50").scale, 2);
  EXPECT_EQ(parsed("007.0"), "7.0");
  EXPECT_EQ(parsed("-0"), "0");
}

TEST(Decimal, ExponentsMoveThePoint) {
  EXPECT_EQ(parsed("1e3"), "1000");
  EXPECT_EQ(parsed("1E+3"), "1000");
  EXPECT_EQ(parsed("2.5E-3"), "0.0025");
  EXPECT_EQ(parsed("2.5e1"), "25");
  EXPECT_EQ(parsed("2.55e1"), "25.5");
  EXPECT_EQ(parsed("25e-1"), "2.5");
  EXPECT_EQ(parsed("1e37"), "1" + std::string(37, '0'));
  EXPECT_EQ(parsed("1e38"), "none");
  EXPECT_EQ(parsed("0e999"), "0");
}

TEST(Decimal, TextThatIsNotANumberIsRefused) {
  for (const char* text : {"",      "-",  "+",  ".",     "-.", "e3",  ".e3", "1e",    "1e-", "1e++3",
                           "1e+-3", "1 ", " 1", "1.2.3", "1x", "0x1", "--1", "1e3.5", "inf", "1e99999999999"})
    EXPECT_EQ(parsed(text), "none") << text;
}

TEST(Decimal, IsAnIntegerIfItFitsInSixtyFourBits) {
  EXPECT_EQ(decimal("9223372036854775807").whole(), INT64_MAX);
  EXPECT_EQ(decimal("-9223372036854775808").whole(), INT64_MIN);
  EXPECT_EQ(decimal("9223372036854775808").whole(), std::nullopt);
  EXPECT_EQ(decimal("-9223372036854775809").whole(), std::nullopt);
  EXPECT_EQ(decimal("7.00").whole(), 7);
  EXPECT_EQ(decimal("7.01").whole(), std::nullopt);
}

TEST(Decimal, ComparesByNumericValue) {
  EXPECT_EQ(decimal("1.5"), decimal("1.50"));
  EXPECT_LT(decimal("-1.5"), decimal("-1.49"));
  EXPECT_LT(decimal("1.49"), decimal("1.5"));
  EXPECT_GT(decimal("1e37"), decimal("0.00000000000000000000000000000000000001"));
}

TEST(Decimal, HasAtMostThirtyEightDigits) {
  const std::string most(38, '9');
  EXPECT_EQ(decimal(most).format(), most);
  EXPECT_EQ(Decimal::parse(most + "0"), std::nullopt);
  EXPECT_EQ(Decimal::parse(most + "9"), std::nullopt);
  EXPECT_EQ(sum(decimal(most), decimal(most)), std::nullopt);
  EXPECT_EQ(difference(decimal("-" + most), decimal(most)), std::nullopt);
  EXPECT_EQ(product(decimal("-18446744073709551616"), decimal("9223372036854775808")), std::nullopt);
}

TEST(Decimal, WithManyPlacesComparesWithAWholeNumber) {
  EXPECT_EQ(static_cast<std::int64_t>(decimal("1e-200").floor()), 0);
  EXPECT_EQ(static_cast<std::int64_t>(decimal("-1e-200").floor()), -1);
  EXPECT_EQ(static_cast<std::int64_t>(decimal("0e-200").floor()), 0);
  EXPECT_EQ(static_cast<std::int64_t>(decimal("-2.5").floor()), -3);
  EXPECT_EQ(static_cast<std::int64_t>(decimal("-2.0").floor()), -2);
  EXPECT_EQ(static_cast<std::int64_t>(decimal("2.5").floor()), 2);
  EXPECT_LT(decimal("1e-200"), decimal("1"));
  EXPECT_EQ(decimal("1e-200").whole(), std::nullopt);
}

TEST(Decimal, QuotientsWithTooManyPlacesHaveNoResult) {
  EXPECT_EQ(quotient(decimal("0.0001e-1000"), decimal("1")), std::nullopt);
  Decimal small = decimal("1e-1000");
  std::optional<Decimal> next = small;
  for (int i = 0; i < 20 && next; ++i) next = product(*next, small);
  EXPECT_EQ(next, std::nullopt);
}

}  // namespace
}  // namespace serval
