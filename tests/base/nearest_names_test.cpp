#include "serval/base/nearest_names.h"

#include <array>

#include <gtest/gtest.h>

namespace serval {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"snapshot-isolation", "serializable",
                                                    "strict-serializable"};

TEST(NearestNames, FindsAMissingLetterAndASwap) {
  EXPECT_EQ(nearest_names("serializble", kNames), (std::vector<std::string_view>{"serializable"}));
  EXPECT_EQ(nearest_names("seiralizable", kNames), (std::vector<std::string_view>{"serializable"}));
}

TEST(NearestNames, FindsAPrefix) {
  EXPECT_EQ(nearest_names("snap", kNames), (std::vector<std::string_view>{"snapshot-isolation"}));
}

TEST(NearestNames, IsEmptyWhenNothingIsNear) { EXPECT_TRUE(nearest_names("banana", kNames).empty()); }

TEST(DidYouMean, QuotesTheNearestOrListsAll) {
  EXPECT_EQ(did_you_mean("serializble", kNames), "did you mean \"serializable\"?");
  EXPECT_EQ(did_you_mean("banana", kNames), "one of: snapshot-isolation, serializable, strict-serializable");
}

}  // namespace
}  // namespace serval
