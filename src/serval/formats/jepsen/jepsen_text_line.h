#pragma once
// Finds the Jepsen operation in a line of text, and reads files of such lines. There are two kinds of
// files, distinguished by their content (docs/formats/jepsen-text.md):
//
//   0  :invoke  :cas  [3 0]                          history.txt: every line is an operation
//   INFO  jepsen.util - 0  :invoke  :cas  [3 0]      a log: other lines are skipped

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "serval/formats/format.h"
#include "serval/formats/forms/edn_cursor.h"
#include "serval/formats/lines/line_reader.h"

namespace serval {

// Where the operation of a log line begins: after "jepsen.util - " or "jepsen.util: ", if a process and a
// type follow. None for every other line.
std::optional<std::size_t> logged_operation(std::string_view line);
// Whether a line at the start of a file has one.
bool is_jepsen_util_log(std::string_view start);
// Whether `text` begins with a process and one of :invoke, :ok, :fail and :info, separated by tabs or
// blanks.
bool begins_operation(std::string_view text);

// A sink has take_columns(), which reads the line at its cursor.
template <class Sink>
class JepsenTextReader {
 public:
  JepsenTextReader(ByteStream& stream, const ReadOptions& options)
      : options_(options),
        is_log_(is_jepsen_util_log(stream.peek(kPeek))),
        lines_(stream, options),
        sink_(cursor_) {}

  // Throws InputError. Called once.
  Sink& read() {
    while (lines_.next_whole(options_)) read_line();
    if (others_ > 0 && options_.on_notice)
      options_.on_notice(std::to_string(others_) + " lines that are not operations were skipped");
    return sink_;
  }

 private:
  void read_line() {
    const std::string_view line = lines_.line();
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    const std::optional<std::size_t> start = is_log_ ? logged_operation(line) : 0;
    if (!start) {
      ++others_;
    } else if (begins_operation(line.substr(*start))) {
      take(*start);
    } else {
      fail_in_line(lines_.place(), line, 1,
                   "expected a process, one of :invoke, :ok, :fail and :info, a function and a value");
    }
  }

  void take(std::size_t start) {
    text_.assign(lines_.line().substr(start));
    text_ += '\n';
    cursor_.start(text_.data(), text_.data() + text_.size());
    try {
      if constexpr (requires { sink_.at_line(std::uint64_t{}); }) sink_.at_line(lines_.place().number);
      sink_.take_columns();
    } catch (const FormEnds&) {
      const char* const end = text_.data() + text_.size() - 1;
      fail(start, cursor_.inside_brackets() ? cursor_.missing_closer(end)
                                            : FormProblem{end, "expected process, type, f and value"});
    } catch (const FormProblem& problem) {
      fail(start, problem);
    }
  }

  [[noreturn]] void fail(std::size_t start, const FormProblem& problem) const {
    const auto column = [&](const char* at) {
      return start + static_cast<std::size_t>(at - text_.data()) + 1;
    };
    const std::string opened =
        problem.opened == nullptr ? "" : " opened at column " + std::to_string(column(problem.opened));
    fail_in_line(lines_.place(), lines_.line(), column(problem.at), problem.problem + opened);
  }

  static constexpr std::size_t kPeek = 1 << 16;

  const ReadOptions& options_;
  const bool is_log_;
  LineReader lines_;
  EdnCursor cursor_;
  Sink sink_;
  std::string text_;  // The operation of the current line, with a newline.
  std::uint64_t others_ = 0;
};

}  // namespace serval
