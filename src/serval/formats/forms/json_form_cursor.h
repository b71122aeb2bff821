#pragma once
// Reads JSON (RFC 8259) value by value, with the interface of EdnCursor; see form_cursor.h. Hand-written,
// because an operation is parsed directly into its record, without a document in between.

#include <cstdint>
#include <string>
#include <string_view>

#include "serval/formats/forms/form_cursor.h"

namespace serval {

class JsonFormCursor : public FormCursor {
 public:
  JsonFormCursor() : FormCursor({"array", "array", "object"}) {}

  static std::string name_spelled(std::string_view name) { return "\"" + std::string(name) + "\""; }

  FormShape peek() {
    skip_blanks();
    if (*at_ == '[') return FormShape::Sequence;
    if (*at_ == '{') return FormShape::Map;
    if (*at_ == '"' || is_bare(*at_)) return FormShape::Scalar;
    expected("a value");
  }
  bool at_end() {
    skip_blanks();
    return at_ == end_;
  }
  // Requires a bracket (peek() is not Scalar).
  void open() {
    push(*at_ == '[' ? ']' : '}');
    ++at_;
  }
  // Whether the innermost bracket has another value; reads the comma before it, or the closing bracket.
  bool more() {
    skip_blanks();
    if (*at_ == ',' && !open_.back().first) {
      ++at_;
      skip_blanks();
      if (*at_ == ']' || *at_ == '}') expected("a value after the comma");
      return true;
    }
    return more_without_comma();
  }
  static constexpr bool kNamesAreText = true;
  // The name of a member of an object, and the colon after it.
  std::string_view field();
  // Requires peek() == Scalar, as do the next two. A word is a string.
  bool at_word() const { return *at_ == '"'; }
  std::string_view word() { return quoted_text(Newlines::Forbidden); }
  Value scalar(ValuePool& pool) {
    const char* past = nullptr;
    const std::int64_t small = short_integer(past);
    if (past == nullptr || is_bare(*past) || past == end_) return long_scalar(pool);
    at_ = past;
    return Value::integer(small);
  }
  void skip();
  // Between the values of the array around all operations.
  void skip_separator(char closer) {
    if (*at_ != ',') expected(std::string("',' or '") + closer + "'");
    ++at_;
  }

 private:
  void skip_blanks() {
    while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') ++at_;
  }
  static bool is_bare(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
           c == '.';
  }
  bool more_without_comma();
  std::string_view bare_token();
  Value long_scalar(ValuePool& pool);
  Value number(ValuePool& pool);
};

}  // namespace serval
