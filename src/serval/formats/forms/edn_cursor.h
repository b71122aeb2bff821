#pragma once
// Reads EDN (the data notation of Clojure, github.com/edn-format/edn) form by form; see form_cursor.h.
//
//   {:type :ok, :value [[:r :x [1 2]]]}   ; a comment     #_ (discarded) #inst "1985-04-12"
//
// Commas are blanks, and tags are skipped (their form counts). Keywords, symbols, characters and strings
// are all text: :x, x, \x and "x" are the same value, as in the JSON of the same history. 12N is 12.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "serval/formats/forms/form_cursor.h"

namespace serval {

// The class of a byte at the start of a form. Everything but blanks and delimiters belongs to a token;
// '\0' ends one.
enum class EdnClass : std::uint8_t { Token, Blank, Opener, Closer, Quote, Hash, Other };

inline constexpr std::array<EdnClass, 256> kEdnClasses = [] {
  std::array<EdnClass, 256> classes{};
  const auto set = [&classes](std::string_view characters, EdnClass c) {
    for (const char character : characters) classes[static_cast<unsigned char>(character)] = c;
  };
  for (std::size_t control = 0; control < ' '; ++control) classes[control] = EdnClass::Other;
  set(" ,\n\t\r\f\v", EdnClass::Blank);
  set("[({", EdnClass::Opener);
  set("])}", EdnClass::Closer);
  set("\"", EdnClass::Quote);
  set("#", EdnClass::Hash);
  set(";", EdnClass::Other);
  return classes;
}();

class EdnCursor : public FormCursor {
 public:
  EdnCursor() : FormCursor({"vector", "list", "map"}) {}

  // A field name in messages.
  static std::string name_spelled(std::string_view name) { return ":" + std::string(name); }

  // The shape of the next form, after blanks, comments, discarded forms and tags.
  FormShape peek() {
    skip_blanks();
    const EdnClass next = class_of(*at_);
    if (next == EdnClass::Token || next == EdnClass::Quote) return FormShape::Scalar;
    if (next == EdnClass::Opener) return *at_ == '{' ? FormShape::Map : FormShape::Sequence;
    if (next == EdnClass::Hash) return FormShape::Set;
    expected("a value");
  }
  // Skips blanks; true if the text ends here.
  bool at_end() {
    skip_blanks();
    return at_ == end_;
  }
  // Requires a bracket (peek() is not Scalar).
  void open();
  // Whether the innermost bracket has another form; otherwise reads the closing bracket.
  bool more() {
    skip_blanks();
    if (class_of(*at_) == EdnClass::Closer) {
      close();
      return false;
    }
    if (at_ == end_) throw FormEnds{};
    return true;
  }
  static constexpr bool kNamesAreText = false;  // The names of a map's fields are forms like any other.
  // The name of a field of a map: a keyword, string or symbol; empty for any other form, which is
  // skipped.
  std::string_view field();
  // Requires peek() == Scalar, as do the next two. A word is a keyword, string or symbol other than nil.
  bool at_word() const;
  std::string_view word() {
    if (*at_ == '"') return quoted_text(Newlines::Allowed);
    if (*at_ == ':') ++at_;
    return token();
  }
  Value scalar(ValuePool& pool) {
    const char* past = nullptr;
    const std::int64_t small = short_integer(past);
    if (past == nullptr || in_token(*past) || past == end_) return long_scalar(pool);
    at_ = past;
    return Value::integer(small);
  }
  void skip();
  // Between the forms of the bracket around all operations; commas are blanks here.
  void skip_separator(char) {}

 private:
  static EdnClass class_of(char c) { return kEdnClasses[static_cast<unsigned char>(c)]; }
  static bool in_token(char c) {
    const EdnClass c_class = class_of(c);
    return c_class == EdnClass::Token || c_class == EdnClass::Hash;
  }
  void skip_blanks() {
    while (class_of(*at_) == EdnClass::Blank) ++at_;
    if (*at_ == ';' || *at_ == '#') skip_comments_and_tags();
  }
  void skip_comments_and_tags();
  void skip_blank_bytes();
  void skip_discarded();
  void skip_plain();
  // The rest of the token at at_. Throws FormEnds if the text ends with it, since more may follow.
  std::string_view token() {
    const char* const start = at_;
    while (in_token(*at_)) ++at_;
    if (at_ == end_) throw FormEnds{};
    if (at_ == start) expected("a value");
    return {start, static_cast<std::size_t>(at_ - start)};
  }
  Value long_scalar(ValuePool& pool);
  Value number(ValuePool& pool);
  std::string_view character();
};

}  // namespace serval
