#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "check/agreement.h"
#include "serval/base/contract.h"
#include "serval/check/check.h"
#include "serval/check/verify_witness.h"
#include "serval/history/notation.h"

// Every litmus file at every level it names: the verdict it expects, re-proved, and confirmed by the oracle.

namespace serval {
namespace {

// Those that a file must name.
constexpr std::array kRequired{
    Level::Serializable,      Level::StrongSessionSerializable,      Level::StrictSerializable,
    Level::SnapshotIsolation, Level::StrongSessionSnapshotIsolation, Level::StrongSnapshotIsolation,
    Level::Linearizable};

struct Litmus {
  std::string file;
  std::map<std::string, std::string> fields;
  std::map<Level, std::string> expected;  // "holds", "violated lost-update", "undecided"
  std::string text;
};

void read_header(const std::string& line, Litmus& litmus) {
  const std::size_t colon = line.find(": ");
  if (!line.starts_with("# ") || colon == std::string::npos) return;
  const std::string field = line.substr(2, colon - 2), value = line.substr(colon + 2);
  if (!field.starts_with("expect ")) {
    litmus.fields[field] = value;
    return;
  }
  const std::optional<Level> level = find_level(field.substr(7));
  expects(level.has_value(), "a litmus file names levels that exist");
  litmus.expected[*level] = value;
}

Litmus read_litmus(const std::filesystem::path& path) {
  std::ifstream stream(path);
  Litmus litmus{.file = path.stem().string()};
  for (std::string line; std::getline(stream, line); litmus.text += line + "\n") read_header(line, litmus);
  return litmus;
}

std::vector<Litmus> all_litmus() {
  std::vector<Litmus> all;
  for (const auto& entry : std::filesystem::directory_iterator(SERVAL_TEST_DIR "/litmus"))
    if (entry.path().extension() == ".litmus") all.push_back(read_litmus(entry.path()));
  std::ranges::sort(all, {}, &Litmus::file);
  return all;
}

std::string spell(const Verdict& verdict) {
  if (holds(verdict)) return "holds";
  if (undecided(verdict)) return "undecided";
  return "violated " + std::string(name_of(std::get<Violated>(verdict).anomalies.front().kind));
}

void PrintTo(const Litmus& litmus, std::ostream* out) { *out << litmus.file; }

class LitmusTest : public testing::TestWithParam<Litmus> {};

TEST_P(LitmusTest, SaysWhoItIs) {
  std::string name = GetParam().file;
  std::ranges::replace(name, '_', '-');
  EXPECT_EQ(GetParam().fields.at("name"), name);
  EXPECT_FALSE(GetParam().fields.at("source").empty());
  EXPECT_FALSE(GetParam().fields.at("description").empty());
  for (const Level level : kRequired) EXPECT_TRUE(GetParam().expected.contains(level)) << name_of(level);
}

TEST_P(LitmusTest, GetsTheVerdictItExpects) {
  const History history = parse_history(GetParam().text, GetParam().file);
  for (const auto& [level, expected] : GetParam().expected) {
    const Verdict verdict = check(history, level).verdict;
    EXPECT_EQ(spell(verdict), expected) << name_of(level);
    EXPECT_EQ(verify_witness(history, level, verdict), std::nullopt) << name_of(level);
  }
}

TEST_P(LitmusTest, ExpectsWhatTheOracleSays) {
  const History history = parse_history(GetParam().text, GetParam().file);
  const oracle::LevelSet truth = oracle::satisfied_levels(history);
  for (const auto& [level, expected] : GetParam().expected) {
    if (expected == "undecided") continue;
    EXPECT_EQ(truth[oracle::index_of(level)], expected == "holds") << name_of(level);
  }
}

TEST_P(LitmusTest, IsDecidedRightlyAtEveryLevel) {
  const History history = parse_history(GetParam().text, GetParam().file);
  const oracle::LevelSet truth = oracle::satisfied_levels(history);
  for (const Level level : oracle::decidable_levels())
    if (oracle::is_about(level, history)) {
      EXPECT_EQ(oracle::compare(history, level, truth).complaint, "") << name_of(level);
    }
}

INSTANTIATE_TEST_SUITE_P(All, LitmusTest, testing::ValuesIn(all_litmus()),
                         [](const auto& litmus) { return litmus.param.file; });

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
