#include <gtest/gtest.h>

#include "serval/base/error.h"
#include "serval/database/address.h"

namespace serval {
namespace {

TEST(Timeout, IsAWholeNumberWithAUnit) {
  EXPECT_EQ(parse_timeout("1500ms"), std::chrono::milliseconds(1500));
  EXPECT_EQ(parse_timeout("5s"), std::chrono::seconds(5));
  EXPECT_EQ(parse_timeout("2m"), std::chrono::minutes(2));
}

TEST(Timeout, AnythingElseIsRefused) {
  for (const char* text : {"", "5", "s", "0s", "-1s", "1.5s", "5 s", "5h", "2000m", "99999999999999999999s"})
    EXPECT_THROW(parse_timeout(text), InputError) << text;
}

}  // namespace
}  // namespace serval
