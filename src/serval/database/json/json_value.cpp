#include "serval/database/json/json_value.h"

#include <charconv>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "serval/base/utf8.h"

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
    if (!is_surrogate(first)) return first;
    if (text_.substr(at_ + 1, 2) != "\\u") fail("the other half of a surrogate pair");
    at_ += 2;
    const std::optional<std::uint32_t> pair = paired_surrogates(first, four_digits());
    if (!pair) fail("the other half of a surrogate pair");
    return *pair;
  }

  std::uint32_t four_digits() {
    std::uint32_t out = 0;
    const std::string_view digits = text_.substr(at_ + 1, 4);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    if (digits.size() != 4 || read.ptr != digits.data() + 4) fail("four digits");
    at_ += 4;
    return out;
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
