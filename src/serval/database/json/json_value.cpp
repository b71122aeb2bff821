#include "serval/database/json/json_value.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace serval {
namespace {

constexpr int kMaxDepth = 100;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  JsonValue document() {
    JsonValue out = value(0);
    skip_blanks();
    if (at_ != text_.size()) fail("nothing more");
    return out;
  }

 private:
  JsonValue value(int depth) {
    if (depth > kMaxDepth) fail("less nesting");
    skip_blanks();
    JsonValue out;
    switch (peek()) {
      case '{':
        out.kind = JsonValue::Kind::Object;
        members(out, depth);
        break;
      case '[':
        out.kind = JsonValue::Kind::Array;
        elements(out, depth);
        break;
      case '"':
        out.kind = JsonValue::Kind::Text;
        out.text = string();
        break;
      case 't':
      case 'f':
        out.kind = JsonValue::Kind::Boolean;
        out.boolean = peek() == 't';
        word(out.boolean ? "true" : "false");
        break;
      case 'n':
        word("null");
        break;
      default:
        out.kind = JsonValue::Kind::Number;
        out.text = number();
    }
    return out;
  }

  void members(JsonValue& out, int depth) {
    ++at_;
    if (accept('}')) return;
    do {
      skip_blanks();
      if (peek() != '"') fail("a name in quotes");
      out.names.push_back(string());
      if (!accept(':')) fail("':'");
      out.items.push_back(value(depth + 1));
    } while (accept(','));
    if (!accept('}')) fail("',' or '}'");
  }

  void elements(JsonValue& out, int depth) {
    ++at_;
    if (accept(']')) return;
    do out.items.push_back(value(depth + 1));
    while (accept(','));
    if (!accept(']')) fail("',' or ']'");
  }

  std::string number() {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           std::string_view("+-.0123456789eE").find(text_[at_]) != std::string_view::npos)
      ++at_;
    const std::string spelled(text_.substr(start, at_ - start));
    double ignored = 0;
    const char* const end = spelled.data() + spelled.size();
    const auto read = std::from_chars(spelled.data(), end, ignored);
    if (spelled.empty() || read.ec == std::errc::invalid_argument || read.ptr != end) fail("a value");
    return spelled;
  }

  std::string string() {
    std::string out;
    for (++at_; peek() != '"'; ++at_) {
      if (static_cast<unsigned char>(peek()) < 0x20) fail("the end of the text in quotes");
      if (peek() != '\\') {
        out += peek();
        continue;
      }
      ++at_;
      constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
      const std::size_t letter = kLetters.find(peek());
      if (letter != std::string_view::npos && at_ < text_.size())
        out += kMeanings[letter];
      else if (peek() == 'u')
        append_utf8(out, code_point());
      else
        fail("a letter after the backslash");
    }
    ++at_;
    return out;
  }

  // Stands at the u; ends at the last digit.
  std::uint32_t code_point() {
    const std::uint32_t first = four_digits();
    const bool has_pair = first >= 0xD800 && first < 0xDC00 && text_.substr(at_ + 1, 2) == "\\u";
    if (!has_pair) return first >= 0xD800 && first < 0xE000 ? 0xFFFD : first;
    at_ += 2;
    const std::uint32_t second = four_digits();
    return second >= 0xDC00 && second < 0xE000 ? 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
                                               : 0xFFFD;
  }

  std::uint32_t four_digits() {
    std::uint32_t out = 0;
    const std::string_view digits = text_.substr(at_ + 1, 4);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    if (digits.size() != 4 || read.ptr != digits.data() + 4) fail("four digits");
    at_ += 4;
    return out;
  }

  static void append_utf8(std::string& out, std::uint32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80u | ((code >> shift) & 0x3Fu)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0u | code >> 6);
      tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0u | code >> 12);
      tail(6), tail(0);
    } else {
      out += static_cast<char>(0xF0u | code >> 18);
      tail(12), tail(6), tail(0);
    }
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(char wanted) {
    skip_blanks();
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) fail("a value");
    at_ += wanted.size();
  }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') ++at_;
  }
  [[noreturn]] void fail(const char* expected) const {
    throw JsonError(fmt::format("expected {} at byte {}", expected, at_ + 1), at_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const JsonValue& JsonValue::operator[](std::string_view name) const {
  static const JsonValue kNone;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return items[i];
  return kNone;
}

std::optional<std::int64_t> JsonValue::whole() const {
  if (kind != Kind::Number && kind != Kind::Text) return std::nullopt;
  std::int64_t out = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return out;
}

JsonValue parse_json(std::string_view text) { return Parser(text).document(); }

std::string quote_json(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace serval
