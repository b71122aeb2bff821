#include "serval/formats/native/json_cursor.h"

#include "serval/base/utf8.h"

namespace serval {

std::string_view JsonCursor::escaped_string(const char* start) {
  scratch_.assign(start, at_);
  while (*at_ != '"') {
    if (*at_ == '\\') {
      ++at_;
      unescape();
    } else if (static_cast<unsigned char>(*at_) < 0x20) {
      fail(at_ == end_ ? "'\"' to close the string" : "no control character inside a string");
    } else {
      scratch_ += *at_++;
    }
  }
  ++at_;
  return scratch_;
}

void JsonCursor::unescape() {
  static constexpr std::string_view kLetters = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char* start = at_;
  if (*at_ == 'u') {
    ++at_;
    std::uint32_t code = hex4();
    if (is_surrogate(code) && !is_high_surrogate(code)) fail_at(start, "a high surrogate before a low one");
    if (is_high_surrogate(code)) {
      literal("\\u", "a low surrogate, \\uDC00 to \\uDFFF");
      const std::optional<std::uint32_t> pair = paired_surrogates(code, hex4());
      if (!pair) fail_at(start, "a low surrogate after a high one");
      code = *pair;
    }
    append_utf8(scratch_, code);
    return;
  }
  const std::size_t letter = kLetters.find(*at_);
  if (letter == std::string_view::npos) fail("one of \" \\ / b f n r t u after the backslash");
  scratch_ += kMeanings[letter];
  ++at_;
}

std::uint32_t JsonCursor::hex4() {
  std::uint32_t code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const auto c = static_cast<unsigned char>(*at_);
    const unsigned lower = c | 0x20u;
    if (c >= '0' && c <= '9') {
      code = code * 16 + (c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      code = code * 16 + (lower - 'a' + 10);
    } else {
      fail("four hexadecimal digits after \\u");
    }
  }
  return code;
}

std::string_view JsonCursor::skip_value(int depth) {
  const char first = peek();
  const char* start = at_;
  if (first == '{' || first == '[') {
    if (depth >= kMaxDepth) fail("less deep nesting");
    ++at_;
    skip_members(first == '{' ? '}' : ']', depth + 1);
  } else if (first == '"') {
    string("a string");
  } else if (first == 't') {
    literal("true", "true");
  } else if (first == 'f') {
    literal("false", "false");
  } else if (first == 'n') {
    literal("null", "null");
  } else {
    number("a value");
  }
  return {start, static_cast<std::size_t>(at_ - start)};
}

void JsonCursor::skip_members(char close, int depth) {
  if (accept(close)) return;
  do {
    if (close == '}') member_name();
    skip_value(depth);
  } while (more(close));
}

}  // namespace serval
