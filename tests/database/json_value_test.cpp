#include "serval/database/json/json_value.h"

#include <limits>

#include <gtest/gtest.h>

namespace serval {
namespace {

TEST(JsonValue, ReadsWhatServersSend) {
  const JsonValue value = parse_json(
      R"( {"a":[1,-2.5e3,"x",true,false,null],"b":{"c":"9223372036854775807"},"d":-9223372036854775808} )");
  EXPECT_EQ(value["a"].items.size(), 6u);
  EXPECT_EQ(value["a"].items[0].whole(), 1);
  EXPECT_EQ(value["a"].items[1].whole(), std::nullopt);
  EXPECT_TRUE(value["a"].items[3].boolean);
  EXPECT_TRUE(value["a"].items[5].is(JsonValue::Kind::Null));
  EXPECT_EQ(value["b"]["c"].whole(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(value["d"].whole(), std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(value["nothing"]["below"].is(JsonValue::Kind::Null));
}

TEST(JsonValue, QuotesAndReadsTheSameText) {
  const std::string text("a\"b\\c\n\x01 \xE2\x9C\x93 /");
  EXPECT_EQ(parse_json(quote_json(text)).text, text);
  EXPECT_THROW(parse_json(R"("\ud83d")"), JsonError);
  EXPECT_THROW(parse_json(R"("\ud83d\u0041")"), JsonError);
  EXPECT_THROW(parse_json(R"("\ude00")"), JsonError);
  EXPECT_EQ(parse_json(R"("\u2713\ud83d\ude00\n\/")").text, "\xE2\x9C\x93\xF0\x9F\x98\x80\n/");
}

TEST(JsonValue, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "[1,]", "{\"a\"}", "{\"a\":}", "01x", "--1", "tru", "\"abc", "\"\\q\"",
                           "\"\\u12\"", "1 2", "{\"a\":1,}", "nul"})
    EXPECT_THROW(parse_json(text), JsonError) << text;
  EXPECT_THROW(parse_json(std::string(100'000, '[')), JsonError) << "nesting has an end";
}

TEST(JsonValue, EveryCutOfADocumentIsRefused) {
  const std::string text = R"({"a":[1,{"b":"\u00e9 \\"}],"c":true})";
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_THROW(parse_json(text.substr(0, length)), JsonError) << text.substr(0, length);
  EXPECT_NO_THROW(parse_json(text));
}

}  // namespace
}  // namespace serval
