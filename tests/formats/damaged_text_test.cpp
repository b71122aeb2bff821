// Damaged files: whatever bytes a text reader is given, it returns a history or throws InputError.

#include <gtest/gtest.h>

#include "register_histories.h"
#include "sample.h"
#include "serval/formats/format.h"

namespace serval {
namespace {

constexpr int kRounds = 2000;

// Flips, deletes, doubles or replaces up to four bytes of the text; a replacement has a meaning in some
// format.
std::string damage(std::string text, Random& random) {
  static constexpr std::string_view kTelling = "rw(),-+0123456789[]:=!?#/\n\r\t \"_\xEF\xBB\xBF\x7f\xff";
  for (std::uint64_t times = 1 + random.below(4); times > 0 && !text.empty(); --times) {
    const std::size_t at = random.below(text.size());
    switch (random.below(5)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
        break;
      case 1:
        text.erase(at, 1 + random.below(3));
        break;
      case 2:
        text.insert(at, text.substr(at, random.below(9)));
        break;
      case 3:
        text[at] = kTelling[random.below(kTelling.size())];
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

class DamagedText : public testing::TestWithParam<Format> {};

TEST_P(DamagedText, IsReadOrRefusedWithAPosition) {
  Random random = fresh_random();
  int read = 0, refused = 0;
  for (int round = 0; round < kRounds; ++round) {
    const History history =
        register_history(random.next(), {.transactions = 8, .aborted = RegisterShape::Aborted::Some});
    const std::string text = damage(write_to_string(history, GetParam()), random);
    try {
      EXPECT_LE(read_as(GetParam(), text).operation_count(), text.size());
      ++read;
    } catch (const InputError& error) {
      EXPECT_GT(error.position().line, 0u) << error.what();
      EXPECT_GT(error.position().column, 0u) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

TEST_P(DamagedText, DetectionAcceptsAnyInput) {
  Random random = fresh_random();
  for (int round = 0; round < kRounds; ++round) {
    const History history = register_history(random.next(), {.transactions = 3});
    ByteStream stream =
        ByteStream::from_memory("input", damage(write_to_string(history, GetParam()), random));
    try {
      EXPECT_LE(read_history(stream).session_count(), 10'000u);
    } catch (const InputError& error) {
      EXPECT_FALSE(error.problem().empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryTextFormat, DamagedText,
                         testing::Values(Format::PolysiText, Format::AwditText, Format::DbcopHist,
                                         Format::Notation, Format::DbcopJson, Format::DbcopYaml),
                         [](const testing::TestParamInfo<Format>& parameter) {
                           std::string name(serval::info(parameter.param).name);
                           std::erase(name, '-');
                           return name;
                         });

TEST(BinaryGarbage, IsRefusedByEveryTextReader) {
  Random random = fresh_random();
  for (const Format format : {Format::PolysiText, Format::AwditText, Format::DbcopHist}) {
    for (int round = 0; round < 200; ++round) {
      std::string garbage(1 + random.below(400), '\0');
      for (char& byte : garbage) byte = static_cast<char>(random.next());
      garbage[0] = '\x01';
      EXPECT_NE(error_in(format, garbage), "");
    }
  }
}

}  // namespace
}  // namespace serval
