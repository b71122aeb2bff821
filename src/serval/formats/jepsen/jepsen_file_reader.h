#pragma once
// Reads a whole Jepsen file, operation by operation: a sequence of maps, or one vector, list or array of
// them. A template over the two cursors and over the sink of the operations:
//
//   JepsenFileReader<EdnCursor, JepsenHistorySink<EdnCursor>>(stream, options).read().history(options)
//
// A sink has take_map(), which reads the map at its cursor, and reserve_after(share). If it has
// at_line(number), that is called with the line of every map.

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "serval/formats/format.h"
#include "serval/formats/forms/form_cursor.h"
#include "serval/formats/forms/text_window.h"

namespace serval {

template <class Cursor, class Sink>
class JepsenFileReader {
 public:
  JepsenFileReader(ByteStream& stream, const ReadOptions& options)
      : options_(options), window_(stream, options), sink_(cursor_) {}

  // Throws InputError. Called once.
  Sink& read() {
    while (step()) continue;
    return sink_;
  }

 private:
  // Reads one operation or one bracket around them; false at the end of the file.
  bool step() {
    if (options_.budget != nullptr) options_.budget->poll("reading");
    cursor_.start(window_.begin(), window_.end());
    try {
      if (!cursor_.at_end()) return read_form();
    } catch (const FormEnds&) {
      if (refill()) return true;
      return cut_off(cursor_.inside_brackets() ? cursor_.missing_closer(window_.end())
                                               : FormProblem{window_.end(), "the file ends inside a form"});
    } catch (const FormProblem& problem) {
      throw located(problem, {});
    }
    return refill() || end_of_file();
  }

  bool read_form() {
    const char next = *cursor_.at();
    if (around_ && around_->closed)
      throw FormProblem{cursor_.at(),
                        "expected the end of the file: the bracket around all operations is closed"};
    if (around_ && next == around_->closer) {
      around_->closed = true;
      window_.consume_to(cursor_.at() + 1);
    } else if (!around_ && !operations_seen_ && (next == '[' || next == '(')) {
      around_ = Around{window_.position(cursor_.at()), next == '[' ? ']' : ')'};
      window_.consume_to(cursor_.at() + 1);
    } else {
      read_operation();
    }
    return true;
  }

  void read_operation() {
    if (around_ && operations_seen_) cursor_.skip_separator(around_->closer);
    if constexpr (requires { sink_.at_line(std::uint64_t{}); }) {
      cursor_.peek();  // Skips what is between the maps.
      sink_.at_line(window_.line_of(cursor_.at()));
    }
    sink_.take_map();
    operations_seen_ = true;
    window_.consume_to(cursor_.at());
  }

  // The first window gives an estimate of the number of operations.
  bool refill() {
    const double share = window_.share_of_file();
    if (!room_made_ && operations_seen_ && share > 0) sink_.reserve_after(share);
    room_made_ = room_made_ || operations_seen_;
    return window_.refill();
  }
  bool end_of_file() {
    if (!around_ || around_->closed) return false;
    return cut_off({window_.end(),
                    fmt::format("expected '{}' to close the bracket around all operations, opened at line "
                                "{}, column {}",
                                around_->closer, around_->opened.line, around_->opened.column)});
  }

  // The file ends too early: an error, or with accept_truncated the end of the history.
  bool cut_off(const FormProblem& problem) {
    if (!options_.accept_truncated)
      throw located({problem.at, "the file ends here; " + problem.problem, problem.opened},
                    "cut off by a crash? --truncated=ok keeps the operations before this point");
    if (options_.on_notice)
      options_.on_notice(fmt::format("the file is cut off at line {}: an unfinished form was dropped",
                                     window_.position(window_.end()).line));
    return false;
  }

  InputError located(const FormProblem& problem, std::string hint) const {
    const std::string opened = problem.opened == nullptr ? "" : opened_at(problem.opened, problem.at);
    return window_.error(problem.at, problem.problem + opened, std::move(hint));
  }
  std::string opened_at(const char* opening, const char* here) const {
    const SourcePosition opened = window_.position(opening);
    const std::string line =
        opened.line == window_.position(here).line ? "" : "line " + std::to_string(opened.line) + ", ";
    return " opened at " + line + "column " + std::to_string(opened.column);
  }

  const ReadOptions& options_;
  TextWindow window_;
  Cursor cursor_;
  Sink sink_;

  // The bracket around all operations, and the error if it stays open.
  struct Around {
    SourcePosition opened;
    char closer;
    bool closed = false;
  };
  std::optional<Around> around_;
  bool operations_seen_ = false;
  bool room_made_ = false;
};

}  // namespace serval
