// docs/workloads.md names every workload, parameter and distribution.

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "serval/workload/workload.h"

namespace serval {
namespace {

std::string page() {
  std::ifstream file(std::string(SERVAL_TEST_DIR) + "/../docs/workloads.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The section whose heading names the workload; BlindW and YCSB share one each.
std::string section_of(std::string_view name) {
  const std::string text = page();
  std::string heading(name);
  for (const std::string_view family : {"blindw", "ycsb"})
    if (name.starts_with(family)) heading = family;
  const std::size_t start = text.find("\n## " + heading + "\n");
  if (start == std::string::npos) return {};
  return text.substr(start, text.find("\n## ", start + 1) - start);
}

TEST(WorkloadsPage, HasASectionForEveryWorkload) {
  for (const WorkloadInfo& info : all_workloads()) EXPECT_NE(section_of(info.name), "") << info.name;
}

TEST(WorkloadsPage, NamesEveryParameterInItsSection) {
  for (const WorkloadInfo& info : all_workloads())
    for (const ParameterInfo& parameter : info.parameters)
      EXPECT_NE(section_of(info.name).find(fmt::format("`{}`", parameter.name)), std::string::npos)
          << info.name << " " << parameter.name;
}

TEST(WorkloadsPage, NamesEveryDistribution) {
  for (const KeyDistributionInfo& info : all_key_distributions())
    EXPECT_NE(page().find("`" + std::string(info.name)), std::string::npos) << info.name;
}

}  // namespace
}  // namespace serval
