#include "serval/base/printable.h"

#include <gtest/gtest.h>

#include "serval/base/json_writer.h"
#include "serval/base/utf8.h"

namespace serval {
namespace {

TEST(Printable, HarmlessTextIsUnchanged) {
  for (const std::string text : {"", "plain", "a\\b \"c\"", "żółw → 猫 😀", "…"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable(std::string_view("a\x1b[2J\x07\r\n\tb\x7f\0c", 13)),
            R"(a\u001b[2J\u0007\r\n\tb\u007f\u0000c)");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            R"(\u009b31m)");  // CSI as a single character.
}

TEST(Printable, BidirectionalControlsAreEscaped) {
  for (const std::uint32_t code :
       {0x061C, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0xFEFF}) {
    std::string text;
    append_utf8(text, code);
    EXPECT_EQ(printable(text), escaped_code_point(code));
  }
}

TEST(Printable, InvalidUtf8IsShownAsHexBytes) {
  EXPECT_EQ(printable("a\xFF"
                      "b"),
            R"(a\xffb)");
  EXPECT_EQ(printable("\xE2\x82"), R"(\xe2\x82)");
  EXPECT_EQ(printable("\xED\xA0\x80"), R"(\xed\xa0\x80)");  // A lone surrogate.
}

TEST(Printable, EscapedOutputNeedsNoFurtherEscaping) {
  std::string all;
  for (std::uint32_t code = 0; code < 0x3000; ++code) append_utf8(all, code);
  EXPECT_EQ(printable(printable(all)), printable(all));
}

TEST(Printable, LineEndsAreKept) { EXPECT_EQ(printable_lines("one\x1b\ntwo\n"), "one\\u001b\ntwo\n"); }

TEST(Printable, JsonEscapesTheSameCharacters) {
  EXPECT_EQ(JsonWriter().text("a\x1b\n\xE2\x80\xAE\xC2\x9B\"").take(), R"("a\u001b\n\u202e\u009b\"")");
}

TEST(Utf8, EverySequenceDecodesToItsCodePoint) {
  for (const std::uint32_t code : {0x0u, 0x7Fu, 0x80u, 0x7FFu, 0x800u, 0xFFFDu, 0x10000u, 0x10FFFFu}) {
    std::string text;
    append_utf8(text, code);
    EXPECT_EQ(utf8_length(text), text.size());
    EXPECT_EQ(utf8_code_point(text), code);
  }
}

}  // namespace
}  // namespace serval
