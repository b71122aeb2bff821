#include "serval/database/json/json_value.h"

#include <limits>

#include <gtest/gtest.h>

#include "serval/base/json_string.h"

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

TEST(JsonValue, UnescapesQuotedText) {
  const std::string text("a\"b\\c\n\x01 \xE2\x9C\x93 /");
  EXPECT_EQ(parse_json(json_string(text)).text, text);
  EXPECT_EQ(parse_json(R"("\u2713\ud83d\ude00\n\/")").text, "\xE2\x9C\x93\xF0\x9F\x98\x80\n/");
}

TEST(JsonValue, RefusesWhatIsNotText) {
  for (const char* text : {R"("\ud83d")", R"("\ud83d\u0041")", R"("\ud83d\ud83d")", R"("\ude00")"})
    EXPECT_THROW(parse_json(text), JsonError) << text;
  for (const char* text : {"\"\xFF\"", "\"\xC3\"", "\"\xED\xA0\x80\"", "{\"\xC0\x80\":1}"})
    EXPECT_THROW(parse_json(text), JsonError) << text;
}

TEST(JsonValue, NumbersKeepTheirDigits) {
  const JsonValue value = parse_json(
      "[9223372036854775808,18446744073709551615,18446744073709551616,-9223372036854775809,"
      "340282366920938463463374607431768211457,3.40,1e3,-0]");
  const std::vector<std::string> spelled{"9223372036854775808",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "-9223372036854775809",
                                         "340282366920938463463374607431768211457",
                                         "3.40",
                                         "1e3"};
  for (std::size_t i = 0; i < spelled.size(); ++i) {
    EXPECT_TRUE(value.items[i].is(JsonValue::Kind::Number));
    EXPECT_EQ(value.items[i].text, spelled[i]);
    EXPECT_EQ(value.items[i].whole(), std::nullopt) << spelled[i];
  }
  EXPECT_EQ(value.items.back().whole(), 0);
  EXPECT_THROW(parse_json("1e999"), JsonError);
}

TEST(JsonValue, RefusesEqualNames) {
  for (const char* text : {R"({"a":1,"b":2,"a":3})", R"([{"x":{"a":1,"\u0061":1}}])"})
    EXPECT_THROW(parse_json(text), JsonError) << text;
  EXPECT_EQ(parse_json(R"({"a":{"a":1},"b":{"a":2}})")["b"]["a"].whole(), 2);
}

TEST(JsonValue, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "[1,]", "{\"a\"}", "{\"a\":}", "01x", "--1", "tru", "\"abc", "\"\\q\"",
                           "\"\\u12\"", "1 2", "{\"a\":1,}", "nul", "01", "1.", "+1"})
    EXPECT_THROW(parse_json(text), JsonError) << text;
}

TEST(JsonValue, NestingIsLimited) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NO_THROW(parse_json(nested(101)));
  for (const std::size_t depth : {102u, 1'000'000u}) {
    EXPECT_THROW(parse_json(nested(depth)), JsonError) << depth;
    EXPECT_THROW(parse_json(std::string(depth, '[')), JsonError) << depth;
  }
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_THROW(parse_json(objects), JsonError);
}

TEST(JsonValue, AnErrorPointsAtTheWrongByteAndIsShort) {
  const auto error_of = [](std::string_view text) {
    try {
      parse_json(text);
    } catch (const JsonError& error) {
      return error;
    }
    return JsonError("none");
  };
  EXPECT_EQ(error_of("{\"a\":[}").offset(), 6u);
  EXPECT_EQ(error_of("[1,").offset(), 3u);
  EXPECT_EQ(error_of("").offset(), 0u);
  EXPECT_EQ(std::string(error_of("[}").what()).substr(0, 11), "parse error");
  EXPECT_LE(std::string(error_of("\"" + std::string(100'000, 'x')).what()).size(), 200u);
}

TEST(JsonValue, EveryTruncationOfADocumentIsRefused) {
  const std::string text = R"({"a":[1,{"b":"\u00e9 \\"}],"c":true})";
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_THROW(parse_json(text.substr(0, length)), JsonError) << text.substr(0, length);
  EXPECT_NO_THROW(parse_json(text));
}

}  // namespace
}  // namespace serval
