#include "check/litmus.h"

#include <algorithm>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "check/agreement.h"
#include "serval/check/check.h"
#include "serval/history/notation.h"
#include "serval/verify/verify_witness.h"

// Every litmus file at every level: its claims are what the oracle says, the verdict of check() is right
// and re-proved, and where the file expects a verdict by name, it is that one.

namespace serval {
namespace {

std::string format(const Verdict& verdict) {
  if (holds(verdict)) return "holds";
  if (undecided(verdict)) return "undecided";
  return "violated " + std::string(name_of(std::get<Violated>(verdict).anomalies.front().kind));
}

class LitmusTest : public testing::TestWithParam<Litmus> {};

TEST_P(LitmusTest, HasANameASourceAndADescription) {
  std::string name = GetParam().file;
  std::ranges::replace(name, '_', '-');
  EXPECT_EQ(GetParam().fields.at("name"), name);
  EXPECT_FALSE(GetParam().fields.at("source").empty());
  EXPECT_FALSE(GetParam().fields.at("description").empty());
}

TEST_P(LitmusTest, GetsTheVerdictItExpects) {
  const History history = parse_history(GetParam().text, GetParam().file);
  for (const auto& [level, expected] : GetParam().expected) {
    const Verdict verdict = check(history, level).verdict;
    EXPECT_EQ(format(verdict), expected) << name_of(level);
    EXPECT_EQ(verify_witness(history, level, verdict), std::nullopt) << name_of(level);
  }
}

std::vector<TransactionId> order_of(const std::string& numbers) {
  std::istringstream words(numbers);
  std::vector<TransactionId> order;
  for (std::uint32_t number; words >> number;) order.push_back(TransactionId{number - 1});
  return order;
}

TEST_P(LitmusTest, GetsTheVerdictInTheOrderItExpects) {
  const auto& fields = GetParam().fields;
  if (!fields.contains("expected order")) return;
  const History history = parse_history(GetParam().text, GetParam().file);
  const ExpectedOrderChoice order{.source = ExpectedOrderSource::Given,
                                  .given = order_of(fields.at("expected order")),
                                  .role = ExpectedOrderChoice::Role::Required};
  const CheckResult result = check(history, Level::Serializable, {.expected_order = order});
  EXPECT_EQ(format(result.verdict), fields.at("in that order"));
  EXPECT_EQ(verify_witness(history, Level::Serializable, result.verdict), std::nullopt);
  ASSERT_EQ(result.without_expected_order.has_value(), violated(result.verdict));
  if (!violated(result.verdict)) return;
  EXPECT_EQ(result.without_expected_order->answer == CheckResult::OtherOrders::Answer::SomeOrderExists,
            claims_to_hold(GetParam(), Level::Serializable));
}

TEST_P(LitmusTest, ClaimsWhatTheOracleSays) {
  const History history = parse_history(GetParam().text, GetParam().file);
  const oracle::LevelSet truth = oracle::satisfied_levels(history);
  for (const Level level : oracle::decidable_levels()) {
    if (!oracle::is_about(level, history)) continue;
    EXPECT_EQ(claims_to_hold(GetParam(), level), truth[oracle::index_of(level)]) << name_of(level);
    EXPECT_EQ(claims_violated(GetParam(), level), !truth[oracle::index_of(level)]) << name_of(level);
  }
}

TEST_P(LitmusTest, IsDecidedCorrectlyAtEveryLevel) {
  const History history = parse_history(GetParam().text, GetParam().file);
  const oracle::LevelSet truth = oracle::satisfied_levels(history);
  for (const Level level : oracle::decidable_levels())
    if (oracle::is_about(level, history)) {
      EXPECT_EQ(oracle::compare(history, level, truth).complaint, "") << name_of(level);
    }
}

INSTANTIATE_TEST_SUITE_P(All, LitmusTest, testing::ValuesIn(all_litmus()),
                         [](const auto& litmus) { return litmus.param.file; });

// No level is vacuous, and no two levels are the same.
class EveryLevel : public testing::TestWithParam<Level> {};

TEST_P(EveryLevel, AcceptsSomeLitmusFile) {
  const auto files = all_litmus();
  EXPECT_TRUE(
      std::ranges::any_of(files, [](const Litmus& litmus) { return claims_to_hold(litmus, GetParam()); }));
}

// Linearizable applies to single operations only and is skipped elsewhere.
bool is_the_weakest_that_rejects(const Litmus& litmus, Level level) {
  const History history = parse_history(litmus.text, litmus.file);
  if (!oracle::is_about(level, history) || !claims_violated(litmus, level)) return false;
  return std::ranges::none_of(oracle::decidable_levels(), [&](Level weaker) {
    return weaker != level && implies(level, weaker) && oracle::is_about(weaker, history) &&
           claims_violated(litmus, weaker);
  });
}

TEST_P(EveryLevel, RejectsALitmusFileThatEveryWeakerLevelAccepts) {
  const auto files = all_litmus();
  const bool rejects_more = std::ranges::any_of(
      files, [](const Litmus& litmus) { return is_the_weakest_that_rejects(litmus, GetParam()); });
  // Without predicates, serializable is the same as repeatable-read, which it implies (docs/levels.md).
  EXPECT_EQ(rejects_more, GetParam() != Level::Serializable);
}

INSTANTIATE_TEST_SUITE_P(Of, EveryLevel, testing::ValuesIn(oracle::decidable_levels()),
                         [](const auto& level) {
                           std::string name(name_of(level.param));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(LitmusFiles, ShowEachAnomalyOfTheMiniTransactionPaperByName) {
  std::set<std::string> shown;
  for (const Litmus& litmus : all_litmus())
    for (const auto& [level, expected] : litmus.expected)
      if (expected.starts_with("violated ")) shown.insert(expected.substr(9));
  std::set<char> letters;
  for (const AnomalyInfo& anomaly : all_anomalies())
    if (const auto at = anomaly.citation.find("MTC Table I ("); at != std::string_view::npos)
      if (shown.contains(std::string(anomaly.name))) letters.insert(anomaly.citation[at + 13]);
  EXPECT_EQ(std::string(letters.begin(), letters.end()), "abcdefghijklmn");
}

}  // namespace
}  // namespace serval
