// Replays the inputs that once failed, and the seed corpora, through the targets of fuzz/: none of them
// may fail again. These are the functions that libFuzzer calls, run without libFuzzer.

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "fuzz/target.h"

namespace serval::fuzz {
namespace {

namespace fs = std::filesystem;

const fs::path kFuzz = fs::path(SERVAL_TEST_DIR).parent_path() / "fuzz";

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t replay(const fs::path& folder, const Target& target) {
  std::size_t count = 0;
  if (!fs::exists(folder)) return count;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    ++count;
    EXPECT_NO_THROW(target.run(bytes_of(entry.path()))) << entry.path();
  }
  return count;
}

class FuzzReplay : public testing::TestWithParam<std::string> {};

TEST_P(FuzzReplay, PassesInputsThatOnceFailed) {
  const Target& target = *find_target(GetParam());
  replay(kFuzz / "regressions" / target.name, target);
  EXPECT_GT(replay(kFuzz / "corpus" / target.name, target), 0u);
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const Target& target : all_targets()) out.push_back(target.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Every, FuzzReplay, testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::erase(name, '-');
  return name;
});

TEST(FuzzReplay, EveryFolderBelongsToATarget) {
  for (const char* const kind : {"corpus", "regressions"})
    for (const fs::directory_entry& entry : fs::directory_iterator(kFuzz / kind))
      EXPECT_NE(find_target(entry.path().filename().string()), nullptr) << entry.path();
}

}  // namespace
}  // namespace serval::fuzz
