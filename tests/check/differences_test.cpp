#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "check/agreement.h"
#include "check/litmus.h"

// The histories in docs/differences.md are decided as the page says, and the oracle agrees.

namespace serval {
namespace {

std::vector<Litmus> histories_of_the_page() {
  std::ifstream stream(SERVAL_TEST_DIR "/../docs/differences.md");
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  const std::string fence = "```notation\n";
  std::vector<Litmus> histories;
  for (std::size_t begin = page.find(fence); begin != std::string::npos; begin = page.find(fence, begin)) {
    begin += fence.size();
    const std::size_t end = page.find("```", begin);
    const std::string title = page.substr(page.rfind("\n##", begin) + 1, 70);
    histories.push_back(parse_litmus(title.substr(0, title.find('\n')), page.substr(begin, end - begin)));
  }
  return histories;
}

TEST(Differences, AreWhatThePageSays) {
  const std::vector<Litmus> histories = histories_of_the_page();
  EXPECT_GT(histories.size(), 10u);
  for (const Litmus& litmus : histories) {
    SCOPED_TRACE(litmus.file + "\n" + litmus.text);
    const History history = parse_history(litmus.text, litmus.file);
    const oracle::LevelSet truth = oracle::satisfied_levels(history);
    EXPECT_FALSE(litmus.violated.empty() && litmus.holds.empty());
    for (const Level level : oracle::decidable_levels()) {
      if (!oracle::is_about(level, history)) continue;
      if (claims_to_hold(litmus, level)) {
        EXPECT_TRUE(truth[oracle::index_of(level)]) << name_of(level);
      }
      if (claims_violated(litmus, level)) {
        EXPECT_FALSE(truth[oracle::index_of(level)]) << name_of(level);
      }
      EXPECT_EQ(oracle::compare(history, level, truth).complaint, "") << name_of(level);
    }
  }
}

}  // namespace
}  // namespace serval
