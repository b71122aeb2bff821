#pragma once
// "The outside world failed us": a bad file, an unreadable path. Thrown where it is noticed, caught once per
// command, in main. Anomalies and exhausted budgets are results, not errors.

#include <cstdint>
#include <stdexcept>
#include <string>

namespace serval {

// Lines and columns count from 1; 0 means "not known" (a directory, an empty file, a binary format).
struct SourcePosition {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

// Bad input. what() is one line, "file:line:column: problem"; the rest lets the command line draw the
// offending line with a caret below the column.
class InputError : public std::runtime_error {
 public:
  InputError(SourcePosition position, const std::string& problem, std::string source_line = {},
             std::string hint = {});

  const SourcePosition& position() const noexcept { return position_; }
  const std::string& problem() const noexcept { return problem_; }
  const std::string& source_line() const noexcept {
    return source_line_;
  }                                                           // Empty when there is no text to show.
  const std::string& hint() const noexcept { return hint_; }  // One next step, may be empty.

 private:
  SourcePosition position_;
  std::string problem_;
  std::string source_line_;
  std::string hint_;
};

// The operating system refused to write a file (full disk, no permission).
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace serval
