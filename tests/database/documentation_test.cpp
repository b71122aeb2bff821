// docs/simulated-database.md names everything that the tables offer.

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "serval/database/simulated/simulate.h"
#include "serval/workload/workload.h"

namespace serval {
namespace {

std::string page() {
  std::ifstream file(std::string(SERVAL_TEST_DIR) + "/../docs/simulated-database.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool mentions(const std::string& text, std::string_view name) {
  return text.find("`" + std::string(name)) != std::string::npos;
}

TEST(SimulatedDatabasePage, NamesEveryLevelBugAndPlant) {
  const std::string text = page();
  for (const auto& row : all_simulated_levels()) EXPECT_TRUE(mentions(text, row.name)) << row.name;
  for (const auto& row : all_simulated_bugs()) EXPECT_TRUE(mentions(text, row.name)) << row.name;
  for (const auto& row : all_planted_anomalies()) EXPECT_TRUE(mentions(text, row.name)) << row.name;
}

TEST(SimulatedDatabasePage, NamesEveryWorkloadParameterAndDistribution) {
  const std::string text = page();
  for (const auto& row : all_workloads()) {
    if (row.form != WorkloadInfo::Form::Plans) continue;
    EXPECT_TRUE(mentions(text, row.name)) << row.name;
    for (const ParameterInfo& parameter : row.parameters)
      EXPECT_TRUE(mentions(text, parameter.name)) << parameter.name;
  }
  for (const auto& row : all_key_distributions()) EXPECT_TRUE(mentions(text, row.name)) << row.name;
}

TEST(SimulatedDatabasePage, SaysWhatEveryBugBreaks) {
  const std::string text = page();
  for (const auto& row : all_simulated_bugs()) {
    const std::size_t start = text.find("| `" + std::string(row.name) + "` |");
    ASSERT_NE(start, std::string::npos) << row.name;
    const std::string line = text.substr(start, text.find('\n', start) - start);
    for (const std::string_view level : row.breaks) EXPECT_NE(line.find(level), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace serval
