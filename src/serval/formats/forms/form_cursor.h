#pragma once
// The shared part of the EDN and JSON cursors: a position in a TextWindow, the open brackets, and errors.
// A cursor reads forms in sequence directly into values, without a tree:
//
//   cursor.open();                                    // at a bracket
//   while (cursor.more()) use(cursor.scalar(pool));   // false once the matching bracket was read
//
// Both throw FormEnds if the text ends inside a form (the window may have more: refill and start the form
// again) and FormProblem for a syntax error. Neither leaves the formats room: the reader that owns the
// window turns them into InputError.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serval/formats/characters.h"
#include "serval/history/form_value.h"
#include "serval/history/value.h"

namespace serval {

struct FormEnds {};

struct FormProblem {
  const char* at;
  std::string problem;
  const char* opened = nullptr;  // The bracket that `problem` ends with ("... to close the vector").
};

class FormCursor {
 public:
  void start(const char* at, const char* end) {
    at_ = at;
    end_ = end;
    open_.clear();
  }
  const char* at() const noexcept { return at_; }
  const char* end() const noexcept { return end_; }

  // An open bracket; `first` until its first element was requested.
  struct Opening {
    const char* at;
    char closer;
    bool first = true;
  };
  // "expected ']' to close the vector", with that vector, for text that ends too early. Requires a bracket
  // that is open.
  FormProblem missing_closer(const char* at) const;
  bool inside_brackets() const noexcept { return !open_.empty(); }

  // A place to return to, to read the same form in another way.
  struct Mark {
    const char* at;
    std::size_t depth;
    bool first;
  };
  Mark mark() const { return {at_, open_.size(), !open_.empty() && open_.back().first}; }
  void rewind(Mark mark) {
    at_ = mark.at;
    open_.resize(mark.depth);
    if (mark.depth > 0) open_.back().first = mark.first;
  }

 protected:
  struct BracketNames {
    const char *square, *round, *curly;
  };
  explicit FormCursor(BracketNames names) : names_(names) {}

  // "expected `what`" here, or FormEnds when the text ends here.
  [[noreturn]] void expected(const std::string& what) const;
  void push(char closer) { open_.push_back({at_, closer}); }
  // Reads the closing bracket at at_, which must match the innermost open bracket.
  void close() {
    if (open_.empty() || open_.back().closer != *at_) throw missing_closer(at_);
    open_.pop_back();
    ++at_;
  }

  // Reads a string in double quotes at at_: a view of the text, or of scratch_ if there were escapes.
  // JSON forbids newlines in it, EDN does not.
  enum class Newlines { Allowed, Forbidden };
  std::string_view quoted_text(Newlines newlines);

  // Up to 17 digits with an optional '-', the usual case, in one pass. `past` is the first character that
  // is not a digit, or null if there is no digit or there are too many.
  std::int64_t short_integer(const char*& past) const {
    constexpr std::ptrdiff_t kMostDigits = 17;  // Below 2^60, what fits in a Value.
    const bool negative = *at_ == '-';
    const char* const digits = at_ + (negative ? 1 : 0);
    const char* at = digits;
    std::int64_t number = 0;
    for (; is_digit(*at) && at - digits < kMostDigits; ++at) number = number * 10 + (*at - '0');
    past = at == digits || is_digit(*at) ? nullptr : at;
    return negative ? -number : number;
  }

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::vector<Opening> open_;
  std::string scratch_;

 private:
  std::string_view unescape(const char* from, const char* to);

  BracketNames names_;
};

// Whether `test` holds for a cursor at the start of a text that may end anywhere. False if it throws.
template <class Cursor, class Test>
bool holds_at_start(std::string_view start, const Test& test) {
  const std::string text(start);  // With the '\0' that the cursor stops at.
  Cursor cursor;
  cursor.start(text.data(), text.data() + text.size());
  try {
    return test(cursor);
  } catch (const FormEnds&) {
    return false;
  } catch (const FormProblem&) {
    return false;
  }
}

}  // namespace serval
