#include "serval/formats/json_cursor.h"

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
    if (code >= 0xDC00 && code < 0xE000) fail_at(start, "a high surrogate before a low one");
    if (code >= 0xD800 && code < 0xDC00) {
      literal("\\u", "a low surrogate, \\uDC00 to \\uDFFF");
      const std::uint32_t low = hex4();
      if (low < 0xDC00 || low >= 0xE000) fail_at(start, "a low surrogate after a high one");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    append_utf8(code);
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

void JsonCursor::append_utf8(std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) {
    scratch_ += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
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
