#include "serval/formats/format.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <unistd.h>

#include "serval/base/error.h"
#include "serval/history/notation.h"
#include "skip_without.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

History read_detected(std::string text, const ReadOptions& options = {}) {
  ByteStream stream = ByteStream::from_memory("input", std::move(text));
  return read_history(stream, options);
}

std::string detection_error(const std::string& text) {
  try {
    read_detected(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// A folder for each test, removed afterwards.
class FormatFiles : public testing::Test {
 protected:
  FormatFiles()
      : folder_(fs::path(testing::TempDir()) / ("serval-format-files-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~FormatFiles() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path folder_;
};

const char* const kNotation = "s1: [w(x,1) r(y,0)]\ns2: [w(y,1) r(x,0)]!\n";

TEST(Format, EveryRowIsFoundByItsNameAndKnowsItsPage) {
  for (const FormatInfo& row : all_formats()) {
    EXPECT_EQ(format_named(row.name), row.format);
    EXPECT_EQ(&info(row.format), &row);
    EXPECT_TRUE(row.extension.starts_with('.')) << row.name;
    EXPECT_TRUE(row.page.ends_with(".md")) << row.name;
  }
  EXPECT_EQ(format_named("no-such-format"), std::nullopt);
}

TEST(Format, EveryRowHasAPageAndALineInTheIndex) {
  const fs::path docs = fs::path(SERVAL_TEST_DIR) / "../docs/formats";
  std::ifstream index(docs / "README.md");
  const std::string text{std::istreambuf_iterator<char>(index), {}};
  for (const FormatInfo& row : all_formats()) {
    EXPECT_TRUE(fs::exists(docs / row.page)) << row.page;
    const std::string line = "| `" + std::string(row.name) + "` | `" + std::string(row.extension) + "` | [" +
                             std::string(row.page) + "]";
    EXPECT_NE(text.find(line), std::string::npos) << "docs/formats/README.md lacks: " << line;
  }
}

TEST(Format, ThePathSelectsByTheExtensionBeforeCompression) {
  EXPECT_EQ(format_for_path("run.notation"), Format::Notation);
  EXPECT_EQ(format_for_path("run.notation.gz"), Format::Notation);
  EXPECT_EQ(format_for_path("run.notation.zst"), Format::Notation);
  EXPECT_EQ(format_for_path("run.unheard-of"), std::nullopt);
}

TEST(Format, TheContentDecidesAndAByteOrderMarkIsSkipped) {
  EXPECT_EQ(detect_format(kNotation)->format, Format::Notation);
  EXPECT_EQ(detect_format("\xEF\xBB\xBF" + std::string(kNotation))->format, Format::Notation);
  EXPECT_EQ(detect_format("once upon a time"), nullptr);
}

TEST(Format, NotationIsReadAndWrittenUnchanged) {
  EXPECT_EQ(write_to_string(read_detected(kNotation), Format::Notation), kNotation);
  EXPECT_EQ(print_history(read_detected("\xEF\xBB\xBF" + std::string(kNotation))), kNotation);
}

TEST(Format, AnEmptyFileIsReportedAsEmpty) { EXPECT_EQ(detection_error(""), "input: the file is empty"); }

TEST(Format, UnknownContentNamesTheFormatsAndShowsTheLine) {
  EXPECT_NE(detection_error("once upon a time\n").find("input:1:1: this is not a history"),
            std::string::npos);
  EXPECT_NE(detection_error("once upon a time\n").find("notation"), std::string::npos);
  EXPECT_NE(detection_error(std::string("\x00\x01\x02", 3)).find("input: this is not"), std::string::npos);
}

TEST_F(FormatFiles, WrittenFilesReadBackPlainAndCompressed) {
  const History history = read_detected(kNotation);
  for (const std::string name : {"a.notation", "a.notation.gz", "a.notation.zst"}) {
    EXPECT_TRUE(write_history(history, Format::Notation, path(name)).lossy_steps.empty());
    EXPECT_EQ(print_history(read_history(path(name))), kNotation) << name;
  }
  EXPECT_TRUE(content(path("a.notation.gz")).starts_with("\x1f\x8b"));
  EXPECT_TRUE(content(path("a.notation.zst")).starts_with("\x28\xb5\x2f\xfd"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 3) << "no temporary file stays";
}

TEST_F(FormatFiles, DirectoryAndMissingFileAreInputErrors) {
  EXPECT_THROW(read_history(folder_.string()), InputError);
  EXPECT_THROW(read_history(path("missing")), InputError);
}

TEST_F(FormatFiles, TruncatedCompressionIsAnInputError) {
  const History history = read_detected(kNotation);
  for (const std::string name : {"a.notation.gz", "a.notation.zst"}) {
    write_history(history, Format::Notation, path(name));
    const std::string whole = content(path(name));
    std::ofstream(path(name), std::ios::binary) << whole.substr(0, whole.size() / 2);
    EXPECT_THROW(read_history(path(name)), InputError) << name;
  }
}

TEST_F(FormatFiles, UnwritablePlacesAreOutputErrors) {
  const History history = read_detected(kNotation);
  EXPECT_THROW(write_history(history, Format::Notation, path("no/such/folder/a")), OutputError);
  EXPECT_THROW(write_history(history, Format::Notation, folder_.string()), OutputError);
}

TEST_F(FormatFiles, FullDiskIsAnOutputError) {
  if (!fs::exists("/dev/full")) SKIP_WITHOUT("dev-full", "this system has no /dev/full");
  EXPECT_THROW(write_history(read_detected(kNotation), Format::Notation, "/dev/full"), OutputError);
}

}  // namespace
}  // namespace serval
