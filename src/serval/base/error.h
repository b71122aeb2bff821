#pragma once
// Failures of the outside world: a bad file, an unreadable path. Thrown where they are noticed and
// caught once per command, in main. Anomalies and exhausted budgets are results, not errors.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace serval {

// Lines and columns count from 1; 0 means unknown (a directory, an empty file, a binary format).
struct SourcePosition {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

// Bad input. what() is a single line, "file:line:column: problem"; the other members let the command
// line show the offending line with a caret below the column.
class InputError : public std::runtime_error {
 public:
  // `caret` is the column of source_line to point at if source_line is only part of the line; 0 means
  // the column of `position`.
  InputError(SourcePosition position, const std::string& problem, std::string source_line = {},
             std::string hint = {}, std::uint64_t caret = 0);

  const SourcePosition& position() const noexcept { return position_; }
  const std::string& problem() const noexcept { return problem_; }
  // Empty if there is no text to show; long lines are shortened around the column.
  const std::string& source_line() const noexcept { return source_line_; }
  // The column of source_line() where the problem is, from 1; 0 if unknown.
  std::uint64_t caret() const noexcept { return caret_; }
  const std::string& hint() const noexcept { return hint_; }  // A suggested next step; may be empty.

 private:
  SourcePosition position_;
  std::string problem_;
  std::string source_line_;
  std::string hint_;
  std::uint64_t caret_;
};

// The operating system refused to open or read the file; its contents are not at fault.
class UnreadableFile : public InputError {
 public:
  using InputError::InputError;
};

// The operating system refused to write a file (full disk, no permission).
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A request that cannot be satisfied: an unknown name, a malformed address, flags that exclude each
// other.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& problem, std::string hint = {})
      : std::runtime_error(problem), hint_(std::move(hint)) {}
  const std::string& hint() const noexcept { return hint_; }  // A suggested next step; may be empty.

 private:
  std::string hint_;
};

}  // namespace serval
