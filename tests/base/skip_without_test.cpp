#include "skip_without.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace serval {
namespace {

TEST(SkipWithout, OneRequiresEverythingThatCanBeInstalled) {
  EXPECT_TRUE(is_required("postgres", "1"));
  EXPECT_FALSE(is_required("corpora", "1"));
  EXPECT_TRUE(is_required("corpora", "1,corpora"));
}

TEST(SkipWithout, AListRequiresTheNamesInIt) {
  EXPECT_TRUE(is_required("etcd", "postgres,etcd"));
  EXPECT_TRUE(is_required("postgres", "postgres,etcd"));
  EXPECT_FALSE(is_required("postgres-9.4.4", "postgres,etcd"));
  EXPECT_FALSE(is_required("h2", "postgres,etcd"));
  EXPECT_FALSE(is_required("h2", ""));
  EXPECT_FALSE(is_required("", ""));
}

// Sets the variable for the duration of a test.
class Requiring : public testing::Test {
 protected:
  void SetUp() override { before_ = skipped_tests(); }
  void TearDown() override {
    skipped_tests() = before_;
    was_set_ ? setenv(kName, was_.c_str(), 1) : unsetenv(kName);
  }
  static void require(const char* text) { setenv(kName, text, 1); }

  static constexpr const char* kName = "SERVAL_TEST_REQUIRE_ALL";
  const bool was_set_ = std::getenv(kName) != nullptr;
  const std::string was_ = was_set_ ? std::getenv(kName) : "";
  std::map<std::string, int> before_;
};

void needs_gold() { SKIP_WITHOUT("gold", "no gold here"); }

TEST_F(Requiring, AMissingRequirementFailsTheTest) {
  require("1");
  EXPECT_FATAL_FAILURE(needs_gold(), "requires gold, but: no gold here");
  EXPECT_FALSE(skipped_tests().contains("gold"));
}

TEST_F(Requiring, AMissingOptionalDependencySkipsTheTestAndIsCounted) {
  require("silver");
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    needs_gold();
  }
  ASSERT_EQ(results.size(), 1);
  EXPECT_TRUE(results.GetTestPartResult(0).skipped());
  EXPECT_EQ(skipped_tests()["gold"], 1);
  skipped_tests() = {{"gold", 2}, {"silver", 1}};
  EXPECT_EQ(skipped_summary(), "not tested: 2 without gold, 1 without silver");
  skipped_tests().clear();
  EXPECT_EQ(skipped_summary(), "");
}

}  // namespace
}  // namespace serval
