#include "serval/formats/lines/line_blocks.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sample.h"
#include "serval/base/random.h"
#include "serval/formats/lines/line_reader.h"

namespace serval {
namespace {

std::string joined_blocks(const std::string& text) {
  ByteStream stream = ByteStream::from_memory("input", text);
  const ReadOptions options;
  LineBlocks blocks(stream, options);
  std::string joined;
  for (std::string_view block = blocks.next(); !block.empty(); block = blocks.next()) {
    EXPECT_TRUE(block.ends_with('\n'));
    joined += block;
  }
  return joined;
}

std::vector<std::string> lines_of(const std::string& text) {
  ByteStream stream = ByteStream::from_memory("input", text);
  const ReadOptions options;
  LineReader reader(stream, options);
  std::vector<std::string> lines;
  while (reader.next()) {
    lines.emplace_back(reader.line());
    EXPECT_EQ(reader.place().number, lines.size());
  }
  return lines;
}

TEST(LineBlocks, EmptyFileHasNoBlock) { EXPECT_EQ(joined_blocks(""), ""); }

TEST(LineBlocks, TheLastLineGetsItsMissingNewline) { EXPECT_EQ(joined_blocks("a\nb"), "a\nb\n"); }

TEST(LineBlocks, ByteOrderMarkIsSkippedAtTheStartOnly) {
  EXPECT_EQ(joined_blocks("\xEF\xBB\xBF"
                          "a\n\xEF\xBB\xBF"
                          "b\n"),
            "a\n\xEF\xBB\xBF"
            "b\n");
}

TEST(LineBlocks, LinesThatCrossChunksAreReadWhole) {
  Random random = fresh_random();
  std::string text;
  while (text.size() < 3'000'000)
    text += std::string(random.below(random.chance(0.001) ? 700'000 : 60), 'x') + "\n";
  EXPECT_EQ(joined_blocks(text), text);
}

TEST(LineReader, SplitsLinesAndDropsTerminators) {
  EXPECT_EQ(lines_of("a\r\n\nb\rc\nd"), (std::vector<std::string>{"a", "", "b\rc", "d"}));
  EXPECT_EQ(lines_of("\n"), (std::vector<std::string>{""}));
  EXPECT_EQ(lines_of(""), std::vector<std::string>{});
}

TEST(LineReader, DetectsALineThatMayBeTruncated) {
  for (const std::string text : {"a\nb", "a\nb\n"}) {
    ByteStream stream = ByteStream::from_memory("input", text);
    const ReadOptions options;
    LineReader reader(stream, options);
    ASSERT_TRUE(reader.next());
    EXPECT_FALSE(reader.line_was_cut());
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.line_was_cut(), text == "a\nb");
    EXPECT_FALSE(reader.next());
  }
}

RC_GTEST_PROP(LineReader, JoinedLinesAreTheText, (std::vector<std::string> drawn)) {
  std::string text;
  std::vector<std::string> expected;
  for (std::string line : drawn) {
    std::erase(line, '\n');
    std::erase(line, '\r');
    expected.push_back(line);
    text += line + "\n";
  }
  RC_PRE(!text.starts_with("\xEF\xBB\xBF"));
  RC_ASSERT(lines_of(text) == expected);
}

}  // namespace
}  // namespace serval
