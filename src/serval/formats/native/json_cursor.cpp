#include "serval/formats/native/json_cursor.h"

#include "serval/base/json_string.h"

namespace serval {
namespace {

// By JsonEscapeFlaw.
constexpr std::array<const char*, 6> kWantedInstead{"",
                                                    "one of \" \\ / b f n r t u after the backslash",
                                                    "four hexadecimal digits after \\u",
                                                    "a high surrogate before a low one",
                                                    "a low surrogate, \\uDC00 to \\uDFFF",
                                                    "a low surrogate after a high one"};

}  // namespace

std::string_view JsonCursor::escaped_string(const char* start) {
  scratch_.assign(start, at_);
  while (*at_ != '"') {
    if (*at_ == '\\') {
      const JsonEscape escape = append_json_escape(scratch_, at_, end_);
      if (escape.flaw != JsonEscapeFlaw::None)
        fail_at(escape.at, kWantedInstead[static_cast<std::size_t>(escape.flaw)]);
      at_ = escape.at;
    } else if (static_cast<unsigned char>(*at_) < 0x20) {
      fail(at_ == end_ ? "'\"' to close the string" : "no control character inside a string");
    } else {
      scratch_ += *at_++;
    }
  }
  ++at_;
  return scratch_;
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
