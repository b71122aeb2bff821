#include "serval/base/folder.h"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "serval/base/error.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

TEST(Folder, ListsFilesAndAnythingThatMayBeOne) {
  const fs::path folder = fs::path(testing::TempDir()) / ("serval-folder-" + std::to_string(::getpid()));
  fs::create_directories(folder / "inner");
  std::ofstream(folder / "b.log") << "x";
  fs::create_symlink("loop", folder / "loop");
  fs::create_symlink("nowhere", folder / "dangling");
  std::vector<std::string> names;
  for (const fs::path& file : files_in(folder)) names.push_back(file.filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"b.log", "dangling", "loop"}));
  EXPECT_THROW(files_in(folder / "loop"), InputError);
  EXPECT_THROW(files_in(folder / "absent"), InputError);
  EXPECT_THROW(files_in(folder / "b.log"), InputError);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace serval
