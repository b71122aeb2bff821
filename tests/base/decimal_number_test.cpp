#include "serval/base/decimal_number.h"

#include <gtest/gtest.h>

namespace serval {
namespace {

TEST(DecimalNumber, HasDigitsAndOptionallyASignAFractionAndAnExponent) {
  for (const char* text : {"0", "7", "-7", "+7", "007", "2.50", "-0.0", "1e3", "1E3", "1e-3", "1e+3",
                           "2.5E-3", "123456789012345678901234567890", "9e999999"})
    EXPECT_TRUE(is_decimal_number(text)) << text;
}

TEST(DecimalNumber, NeedsDigits) {
  for (const char* text : {"", "-", "+", ".", ".5", "5.", "-.5", "1.e3", "e3", "1e", "1e-", "1e+", "1.5e"})
    EXPECT_FALSE(is_decimal_number(text)) << text;
}

TEST(DecimalNumber, HasNothingElse) {
  for (const char* text : {" 1",  "1 ",  "1.2.3", "1e3.5", "1e3e3", "--1", "+-1", "1-", "0x10", "1_000",
                           "1,5", "inf", "nan",   "1f",    "/",     ":",   "1/",  "1:", "1./",  "1e:"})
    EXPECT_FALSE(is_decimal_number(text)) << text;
  EXPECT_FALSE(is_decimal_number(std::string_view("1\0", 2)));
}

TEST(DecimalNumber, EndsWithItsText) {
  const std::string_view text = "12345e";
  EXPECT_TRUE(is_decimal_number(text.substr(0, 5)));
  EXPECT_FALSE(is_decimal_number(text.substr(0, 0)));
}

}  // namespace
}  // namespace serval
