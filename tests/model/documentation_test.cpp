// docs/models.md names everything that the table offers.

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "serval/model/model.h"

namespace serval {
namespace {

std::string page() {
  std::ifstream file(std::string(SERVAL_TEST_DIR) + "/../docs/models.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The line of the page's table that begins with the name.
std::string row_of(const std::string& text, std::string_view name) {
  const std::size_t begin = text.find("\n| `" + std::string(name) + "` |");
  return begin == std::string::npos ? "" : text.substr(begin + 1, text.find('\n', begin + 1) - begin);
}

TEST(ModelsPage, NamesEveryModelWithItsFindingsAndFlags) {
  const std::string text = page();
  for (const ModelInfo& model : all_models()) {
    const std::string row = row_of(text, model.name);
    ASSERT_FALSE(row.empty()) << model.name;
    for (const std::string_view finding : model.findings)
      EXPECT_NE(row.find("`" + std::string(finding) + "`"), std::string::npos) << finding;
    for (const std::string_view flag : model.parameters)
      EXPECT_NE(row.find(std::string(flag.substr(0, flag.find(' ')))), std::string::npos) << flag;
  }
}

}  // namespace
}  // namespace serval
