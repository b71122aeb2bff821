// Every file of other checkers that is in a register format is detected by its content and read, and
// what is written from it means the same.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "register_histories.h"
#include "skip_without.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_below(const std::string& folder, const std::string& extension) {
  std::vector<std::string> files;
  if (!fs::exists(folder)) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == extension)
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_whole(const std::string& path, Format format) {
  const FormatInfo* detected = detect_format(content(path).substr(0, 1 << 16));
  ASSERT_NE(detected, nullptr) << path;
  EXPECT_EQ(detected->format, format) << path;
  const History history = read_history(path);
  EXPECT_GT(history.operation_count(), 0u) << path;
  EXPECT_EQ(meaning_of(read_as(format, write_to_string(history, format))), meaning_of(history)) << path;
}

const std::string kData = SERVAL_DATA_DIR;

TEST(PeerFiles, PolysiTextFilesAreReadCompletely) {
  SKIP_WITHOUT_CORPORA();
  std::vector<std::string> files;
  for (const char* folder :
       {"/peers/polysi", "/peers/isovista", "/seeds/anonymous-mts+mtc", "/seeds/hengxin+IsoVista"})
    std::ranges::copy(files_below(kData + folder, ".txt"), std::back_inserter(files));
  ASSERT_FALSE(files.empty());
  for (const std::string& path : files) expect_whole(path, Format::PolysiText);
}

TEST(PeerFiles, PolysiLinesMapOneToOneToOperations) {
  SKIP_WITHOUT_CORPORA();
  const std::string path = kData + "/seeds/anonymous-mts+mtc/generated_mt_10000.txt";
  ASSERT_TRUE(fs::exists(path)) << path;
  const std::string text = content(path);
  EXPECT_EQ(read_history(path).operation_count(), static_cast<std::size_t>(std::ranges::count(text, '\n')));
  EXPECT_EQ(read_history(path).transaction_count(), 10'000u);
}

TEST(PeerFiles, AwditFilesAreReadCompletely) {
  SKIP_WITHOUT_CORPORA();
  const auto files = files_below(kData + "/peers/awdit", ".txt");
  ASSERT_FALSE(files.empty());
  for (const std::string& path : files) expect_whole(path, Format::AwditText);
}

TEST(PeerFiles, DbcopFilesAreReadCompletely) {
  SKIP_WITHOUT_CORPORA();
  const auto files = files_below(kData + "/elle/dbcop", ".hist");
  ASSERT_FALSE(files.empty());
  for (const std::string& path : files) expect_whole(path, Format::DbcopHist);
}

TEST(PeerFiles, BincodeFilesAreReadCompletely) {
  SKIP_WITHOUT_CORPORA();
  std::vector<std::string> files = files_below(kData + "/peers", ".bincode");
  ASSERT_FALSE(files.empty());
  for (const std::string& path : files) expect_whole(path, Format::DbcopBincode);
}

TEST(PeerFiles, YamlFilesAreReadCompletely) {
  SKIP_WITHOUT_CORPORA();
  const auto files = files_below(kData + "/elle/dbcop", ".yaml");
  ASSERT_FALSE(files.empty());
  for (const std::string& path : files) expect_whole(path, Format::DbcopYaml);
}

TEST(PeerFiles, CobraFoldersAreReadCompletely) {
  SKIP_WITHOUT_CORPORA();
  const fs::path folder = kData + "/seeds/Jack-Clark+KingCobra";
  ASSERT_TRUE(fs::exists(folder)) << folder;
  std::size_t folders = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    ++folders;
    std::size_t bytes = 0;
    for (const std::string& log : files_below((entry.path() / "history").string(), ".log"))
      bytes += content(log).size();
    const History history = read_history(entry.path().string());
    std::size_t expected = 18 * history.transaction_count();
    for (std::uint32_t op = 0; op < history.operation_count(); ++op)
      expected += history.kind(OperationId{op}) == OperationKind::Write ? 25 : 33;
    EXPECT_EQ(expected, bytes);
    EXPECT_GT(bytes, 0u);
  }
  EXPECT_GT(folders, 0u);
}

}  // namespace
}  // namespace serval
