#include "serval/formats/forms/edn_cursor.h"

#include "serval/base/decimal_number.h"

namespace serval {

void EdnCursor::skip_blank_bytes() {
  while (true) {
    while (class_of(*at_) == EdnClass::Blank) ++at_;
    if (*at_ != ';') return;
    while (*at_ != '\n' && at_ != end_) ++at_;
  }
}

void EdnCursor::skip_comments_and_tags() {
  skip_blank_bytes();
  while (*at_ == '#' && at_[1] != '{') {
    if (at_[1] == '_') {
      skip_discarded();
    } else {
      token();  // A tag; its form follows.
    }
    skip_blank_bytes();
  }
}

// "#_ form"; "#_ #_ a b" discards both a and b. A loop, so that a long run of #_ does not use the stack.
void EdnCursor::skip_discarded() {
  std::size_t forms = 0;
  do {
    at_ += 2;
    ++forms;
    skip_blank_bytes();
    while (forms > 0 && !(at_[0] == '#' && at_[1] == '_')) {
      if (class_of(*at_) == EdnClass::Closer) expected("a form to discard after #_");
      if (*at_ == '#' && at_[1] != '{') {
        token();
      } else {
        skip_plain();
        --forms;
      }
      if (forms > 0) skip_blank_bytes();
    }
  } while (forms > 0);
}

void EdnCursor::open() {
  const char* const start = at_;
  if (*at_ == '#') ++at_;
  push(*at_ == '[' ? ']' : *at_ == '(' ? ')' : '}');
  open_.back().at = start;
  ++at_;
}

std::string_view EdnCursor::field() {
  if (peek() == FormShape::Scalar && at_word()) return word();
  skip();
  return {};
}

bool EdnCursor::at_word() const {
  if (*at_ == ':' || *at_ == '"') return true;
  if (is_digit(*at_) || *at_ == '\\') return false;
  if ((*at_ == '-' || *at_ == '+') && is_digit(at_[1])) return false;
  return std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, 3) != "nil" ||
         in_token(at_[3]);
}

// \a, \newline, \{ and \u0041; the character after the backslash may be a delimiter.
std::string_view EdnCursor::character() {
  const char* const start = at_ + 1;
  if (start == end_) throw FormEnds{};
  at_ = start + 1;
  while (in_token(*at_)) ++at_;
  if (at_ == end_) throw FormEnds{};
  const std::string_view name(start, static_cast<std::size_t>(at_ - start));
  if (name == "newline") return "\n";
  if (name == "space") return " ";
  if (name == "tab") return "\t";
  if (name == "return") return "\r";
  return name;
}

Value EdnCursor::number(ValuePool& pool) {
  const char* const start = at_;
  std::string_view spelling = token();
  if (spelling.ends_with('N') || spelling.ends_with('M')) spelling.remove_suffix(1);
  if (!is_decimal_number(spelling)) throw FormProblem{start, "expected a number"};
  return pool.number(spelling);
}

Value EdnCursor::long_scalar(ValuePool& pool) {
  if (is_digit(*at_) || ((*at_ == '-' || *at_ == '+') && is_digit(at_[1]))) return number(pool);
  if (*at_ == '\\') return pool.text(character());
  if (*at_ == ':' || *at_ == '"') return pool.text(word());
  const std::string_view symbol = token();
  if (symbol == "nil") return Value::nil();
  if (symbol == "true" || symbol == "false") return Value::boolean(symbol == "true");
  return pool.text(symbol);
}

void EdnCursor::skip() {
  peek();
  skip_plain();
}

// Skips one form of any depth without recursion. Inside it, "#_" and tags need no special treatment.
void EdnCursor::skip_plain() {
  const std::size_t depth = open_.size();
  do {
    skip_blank_bytes();
    const EdnClass next = class_of(*at_);
    if (next == EdnClass::Opener) {  // NOLINT(bugprone-branch-clone): a set opens the same way.
      open();
    } else if (next == EdnClass::Closer) {
      close();
    } else if (next == EdnClass::Quote) {
      quoted_text(Newlines::Allowed);
    } else if (*at_ == '\\') {
      character();
    } else if (*at_ == '#' && at_[1] == '{') {
      open();
    } else {
      token();
    }
  } while (open_.size() > depth);
}

}  // namespace serval
