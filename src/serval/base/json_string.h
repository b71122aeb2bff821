#pragma once
// Strings of JSON (RFC 8259): how escapes are decoded and how text is quoted. EDN has the same escapes.
//
//   append_json_escape(out, at, end)        // at "\u20ac": appends the three bytes of U+20AC
//   append_json_string(out, "a\tb")         // appends "a\tb" with its quotes, a backslash and a t
//
// Surrogates: a high one followed by a low one is one code point. One without the other is not text and
// is rejected everywhere, because it has no UTF-8 and a replacement would make different strings equal.

#include <cstdint>
#include <string>
#include <string_view>

namespace serval {

enum class JsonEscapeFlaw : std::uint8_t {
  None,
  Letter,          // Not one of " \ / b f n r t u after the backslash.
  Digits,          // Not four hexadecimal digits after \u.
  LowFirst,        // A low surrogate without a high one before it.
  NoSecondEscape,  // No \u after a high surrogate.
  NotLow,          // The \u after a high surrogate is not a low one.
};

struct JsonEscape {
  // The first character after the escape. With a flaw: the character that does not fit, which is `end`
  // if the text ends too early; for LowFirst and NotLow the first u.
  const char* at;
  JsonEscapeFlaw flaw = JsonEscapeFlaw::None;
};

// Decodes the escape that begins with the backslash at `backslash`, both halves of a surrogate pair at once.
// Appends nothing if there is a flaw.
JsonEscape append_json_escape(std::string& out, const char* backslash, const char* end);

// Kept:      bytes stay as they are, UTF-8 or not, so that a reader gets the same text back.
// Printable: for reports. The result is UTF-8: other bytes become U+FFFD. What a terminal should not show
//            (printable.h) is escaped.
enum class JsonBytes : std::uint8_t { Kept, Printable };

// Appends the text in quotes, with the escapes that JSON requires. O(bytes).
void append_json_string(std::string& out, std::string_view text, JsonBytes bytes = JsonBytes::Kept);
std::string json_string(std::string_view text);

}  // namespace serval
