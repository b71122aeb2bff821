#pragma once
// A position in one line of text, with primitives for a hand-written parser. Errors are InputErrors that
// point at the byte, show the line and say what was expected.
//
//   LineCursor cursor({"run.txt", 17}, "r(1,x,3,4)");
//   cursor.expect('r'); cursor.expect('('); cursor.number(pool, "the key"); cursor.expect(',');
//   cursor.number(pool, "the value");
//   // run.txt:17:5: expected the value, an integer, but got 'x'

#include <cstdint>
#include <string>
#include <string_view>

#include "serval/base/error.h"
#include "serval/history/value.h"

namespace serval {

struct LinePlace {
  const std::string& file;
  std::uint64_t number;  // From 1.
};

// Throws InputError at `column` (from 1) of the line. Long lines are shortened around the column.
[[noreturn]] void fail_in_line(const LinePlace& place, std::string_view line, std::size_t column,
                               const std::string& problem, const std::string& hint = {});

class LineCursor {
 public:
  // `line` may end in "\n" or "\r\n", which is not part of it.
  LineCursor(LinePlace place, std::string_view line);

  void skip_blanks();  // Spaces and tabs.
  bool at_end() const noexcept { return at_ == line_.size(); }
  char peek() const noexcept { return at_end() ? '\0' : line_[at_]; }
  bool starts_with(std::string_view text) const noexcept { return line_.substr(at_).starts_with(text); }
  bool accept(std::string_view text);
  void expect(char wanted, std::string_view where);  // "expected ',' after the key".
  void expect_end(std::string_view where);           // Blanks, then the end of the line.
  // Letters, digits and underscores; empty when there are none.
  std::string_view word();
  // An integer of any length with an optional sign. `what` completes "expected ...".
  Value number(ValuePool& pool, std::string_view what);

  std::size_t column() const noexcept { return at_ + 1; }
  // "<problem>, but got 'x'" at the current column.
  [[noreturn]] void fail(const std::string& problem, const std::string& hint = {}) const;

 private:
  LinePlace place_;
  std::string_view line_;
  std::size_t at_ = 0;
};

}  // namespace serval
