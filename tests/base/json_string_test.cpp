#include "serval/base/json_string.h"

#include <gtest/gtest.h>

namespace serval {
namespace {

using Flaw = JsonEscapeFlaw;

struct Decoded {
  std::string text;
  Flaw flaw;
  std::size_t at;  // Offset from the backslash.
  bool operator==(const Decoded&) const = default;
};

Decoded decode(std::string_view text) {
  std::string out;
  const JsonEscape escape = append_json_escape(out, text.data(), text.data() + text.size());
  return {out, escape.flaw, static_cast<std::size_t>(escape.at - text.data())};
}

void PrintTo(const Decoded& decoded, std::ostream* out) {
  *out << json_string(decoded.text) << " flaw " << static_cast<int>(decoded.flaw) << " at " << decoded.at;
}

TEST(JsonEscapes, LettersAndCodePoints) {
  const std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  for (std::size_t i = 0; i < letters.size(); ++i)
    EXPECT_EQ(decode(std::string("\\") + letters[i] + "x"),
              (Decoded{std::string(1, meanings[i]), Flaw::None, 2}));
  EXPECT_EQ(decode("\\u0041b"), (Decoded{"A", Flaw::None, 6}));
  EXPECT_EQ(decode("\\u0000"), (Decoded{std::string(1, '\0'), Flaw::None, 6}));
  EXPECT_EQ(decode("\\u00e9"), (Decoded{"\xC3\xA9", Flaw::None, 6}));
  EXPECT_EQ(decode("\\u20AC"), (Decoded{"\xE2\x82\xAC", Flaw::None, 6}));
  EXPECT_EQ(decode("\\uffff"), (Decoded{"\xEF\xBF\xBF", Flaw::None, 6}));
}

TEST(JsonEscapes, SurrogatePairsAreOneCodePoint) {
  EXPECT_EQ(decode("\\ud83d\\uDE00x"), (Decoded{"\xF0\x9F\x98\x80", Flaw::None, 12}));
  EXPECT_EQ(decode("\\ud800\\udc00"), (Decoded{"\xF0\x90\x80\x80", Flaw::None, 12}));
  EXPECT_EQ(decode("\\udbff\\udfff"), (Decoded{"\xF4\x8F\xBF\xBF", Flaw::None, 12}));
}

TEST(JsonEscapes, HalfOfASurrogatePairIsRefused) {
  EXPECT_EQ(decode("\\udc00"), (Decoded{"", Flaw::LowFirst, 1}));
  EXPECT_EQ(decode("\\udfff\\ud83d"), (Decoded{"", Flaw::LowFirst, 1}));
  EXPECT_EQ(decode("\\ud83dx"), (Decoded{"", Flaw::NoSecondEscape, 6}));
  EXPECT_EQ(decode("\\ud83d\\n"), (Decoded{"", Flaw::NoSecondEscape, 7}));
  EXPECT_EQ(decode("\\ud83d\\u0041"), (Decoded{"", Flaw::NotLow, 1}));
  EXPECT_EQ(decode("\\ud83d\\ud83d"), (Decoded{"", Flaw::NotLow, 1}));
}

TEST(JsonEscapes, AFlawIsReportedWhereTheTextStopsMatching) {
  EXPECT_EQ(decode("\\q"), (Decoded{"", Flaw::Letter, 1}));
  EXPECT_EQ(decode(std::string_view("\\\0", 2)), (Decoded{"", Flaw::Letter, 1}));
  EXPECT_EQ(decode("\\u12g4"), (Decoded{"", Flaw::Digits, 4}));
  EXPECT_EQ(decode("\\u-123"), (Decoded{"", Flaw::Digits, 2}));
  EXPECT_EQ(decode("\\ud83d\\udex0"), (Decoded{"", Flaw::Digits, 10}));
}

TEST(JsonEscapes, EveryTruncationIsAFlawAtTheEnd) {
  const std::string_view text = "\\ud83d\\ude00";
  for (std::size_t length = 1; length < text.size(); ++length) {
    const Decoded cut = decode(text.substr(0, length));
    EXPECT_NE(cut.flaw, Flaw::None) << length;
    EXPECT_EQ(cut.at, length);
  }
}

TEST(JsonStrings, KeepTheirBytes) {
  EXPECT_EQ(json_string(""), R"("")");
  EXPECT_EQ(json_string("a\"b\\c/"), R"("a\"b\\c/")");
  EXPECT_EQ(json_string("\b\f\n\r\t\x01\x1f\x7f"), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
  EXPECT_EQ(json_string("\xE2\x80\xAE\xFF\xC3"), "\"\xE2\x80\xAE\xFF\xC3\"");
  EXPECT_EQ(json_string(std::string_view("\0x", 2)), "\"\\u0000x\"");
}

TEST(JsonStrings, EveryByteIsReadBack) {
  for (int first = 0; first < 256; ++first) {
    const std::string text{'a', static_cast<char>(first), 'b'};
    const std::string quoted = json_string(text);
    std::string back;
    const char* const end = quoted.data() + quoted.size() - 1;
    for (const char* at = quoted.data() + 1; at < end;) {
      if (*at != '\\') {
        back += *at++;
        continue;
      }
      const JsonEscape escape = append_json_escape(back, at, end);
      ASSERT_EQ(escape.flaw, Flaw::None) << quoted;
      at = escape.at;
    }
    EXPECT_EQ(back, text);
  }
}

TEST(JsonStrings, PrintableStringsAreUtf8AndHarmless) {
  std::string out;
  append_json_string(out, "a\"\\\n\b\x1b\x7f\xE2\x80\xAE\xC3\xA9\xFFz", JsonBytes::Printable);
  EXPECT_EQ(out, "\"a\\\"\\\\\\n\\u0008\\u001b\\u007f\\u202e\xC3\xA9\xEF\xBF\xBDz\"");
}

}  // namespace
}  // namespace serval
