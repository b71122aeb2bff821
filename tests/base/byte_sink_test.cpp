#include "serval/base/byte_sink.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serval/base/byte_stream.h"
#include "serval/base/error.h"
#include "serval/base/partial_output.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

class ByteSinkTest : public testing::Test {
 protected:
  ByteSinkTest()
      : folder_(fs::path(testing::TempDir()) / ("serval-byte-sink-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~ByteSinkTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static void put(const std::string& path, std::string_view bytes) {
    ByteSink sink = ByteSink::create(path);
    sink.write(bytes);
    sink.finish();
  }
  static std::string unpacked(const std::string& path) {
    ByteStream stream = ByteStream::open(path);
    std::string bytes;
    for (std::string_view chunk = stream.next(); !chunk.empty(); chunk = stream.next()) bytes += chunk;
    return bytes;
  }
  std::ptrdiff_t file_count() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(ByteSinkTest, BytesOfAnySizeAreReadBackPlainAndCompressed) {
  std::string bytes;
  for (std::uint64_t i = 0; bytes.size() < 700'000; ++i) bytes += std::to_string(i * i) + "\n";
  for (const std::string name : {"a", "a.gz", "a.zst"}) {
    ByteSink sink = ByteSink::create(path(name));
    sink.write(std::string_view(bytes).substr(0, 3));
    sink.write(std::string_view(bytes).substr(3, 200'000));
    for (std::size_t at = 200'003; at < bytes.size(); at += 1000)
      sink.write(std::string_view(bytes).substr(at, 1000));
    sink.finish();
    EXPECT_EQ(unpacked(path(name)), bytes) << name;
  }
}

TEST_F(ByteSinkTest, WritingNothingCreatesAnEmptyFile) {
  for (const std::string name : {"a", "a.gz", "a.zst"}) {
    put(path(name), "");
    EXPECT_EQ(unpacked(path(name)), "") << name;
  }
}

TEST_F(ByteSinkTest, AnUnfinishedWriteKeepsTheOldFileAndLeavesNoOther) {
  put(path("a"), "old");
  {
    ByteSink sink = ByteSink::create(path("a"));
    sink.write("new");
  }
  EXPECT_EQ(unpacked(path("a")), "old");
  EXPECT_EQ(file_count(), 1);
}

TEST_F(ByteSinkTest, ALinkKeepsItsTargetAndPermissionsStay) {
  put(path("file"), "old");
  ::chmod(path("file").c_str(), 0640);
  fs::create_symlink(path("file"), path("link"));
  put(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(unpacked(path("file")), "new");
  EXPECT_EQ(fs::status(path("file")).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(ByteSinkTest, ADanglingLinkCreatesItsTarget) {
  fs::create_directory(path("folder"));
  fs::create_symlink("folder/file", path("link"));
  put(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(unpacked(path("folder/file")), "new");
}

TEST_F(ByteSinkTest, CyclicLinksAreRefused) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_THROW(put(path("a"), "new"), OutputError);
  EXPECT_TRUE(fs::is_symlink(path("a")) && fs::is_symlink(path("b")));
  EXPECT_EQ(file_count(), 2);
}

TEST_F(ByteSinkTest, DevicesAreWrittenToAndNotReplaced) {
  fs::create_symlink("/dev/null", path("link"));
  put(path("link"), "new");
  EXPECT_TRUE(fs::is_character_file(path("link")));
}

TEST_F(ByteSinkTest, ALinkPlantedUnderTheTemporaryNameIsNotFollowed) {
  put(path("victim"), "precious");
  fs::create_symlink(path("victim"), path("a.partial-" + std::to_string(::getpid())));
  put(path("a"), "new");
  EXPECT_EQ(unpacked(path("victim")), "precious");
  EXPECT_EQ(unpacked(path("a")), "new");
  EXPECT_FALSE(fs::is_symlink(path("a")));
}

TEST_F(ByteSinkTest, TemporaryFilesCanBeRemovedWithoutTheSink) {
  put(path("a"), "old");
  ByteSink sink = ByteSink::create(path("a"));
  ByteSink other = ByteSink::create(path("b"));
  EXPECT_EQ(file_count(), 3);
  remove_partial_output();
  EXPECT_EQ(file_count(), 1);
  EXPECT_EQ(unpacked(path("a")), "old");
}

TEST_F(ByteSinkTest, FoldersOfPartialOutputAreRemovedWithTheirFiles) {
  const std::string folder = path("folder");
  fs::create_directory(folder);
  for (int i = 0; i < 300; ++i) put(folder + "/a rather long name of a file " + std::to_string(i), "bytes");
  remember_partial(folder.c_str());
  remove_partial_output();
  forget_partial(folder.c_str());
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(ByteSinkTest, ForgottenFoldersStay) {
  const std::string folder = path("folder");
  fs::create_directory(folder);
  remember_partial(folder.c_str());
  forget_partial(folder.c_str());
  remove_partial_output();
  EXPECT_TRUE(fs::exists(folder));
}

TEST_F(ByteSinkTest, AClosedPipeIsAnOutputError) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  const int real_stdout = ::dup(STDOUT_FILENO);
  ::dup2(ends[1], STDOUT_FILENO);
  bool thrown = false;
  try {
    put("-", "bytes");
  } catch (const OutputError&) {
    thrown = true;
  }
  ::dup2(real_stdout, STDOUT_FILENO);
  ::close(real_stdout);
  ::close(ends[1]);
  std::signal(SIGPIPE, old_handler);
  EXPECT_TRUE(thrown);
}

}  // namespace
}  // namespace serval
