#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "serval/formats/dbcop/dbcop.h"
#include "serval/formats/dbcop/dbcop_history.h"
#include "serval/formats/lines/line_reader.h"

namespace serval {
namespace {

class DbcopYamlReader {
 public:
  DbcopYamlReader(ByteStream& stream, const ReadOptions& options)
      : options_(options), lines_(stream, options) {}

  History read() {
    while (lines_.next_whole(options_)) {
      LineCursor cursor = lines_.cursor();
      parse_line(cursor);
    }
    if (transaction_open_) end_inside_transaction();
    return std::move(history_).finish(options_);
  }

 private:
  void parse_line(LineCursor& cursor) {
    if (lines_.line().starts_with("---")) return;
    int dashes = 0;
    cursor.skip_blanks();
    for (; cursor.accept("- "); ++dashes) cursor.skip_blanks();
    if (dashes == 0 && (cursor.at_end() || cursor.peek() == '#')) return;
    const std::size_t column = cursor.column();
    if (cursor.accept("[]")) return empty_session(cursor, dashes);
    const std::string name(cursor.word());
    if (name.empty()) cursor.fail("expected events, write, variable, value or success");
    cursor.expect(':', "after " + name);
    cursor.skip_blanks();
    if (name == "events") return begin_transaction(cursor, dashes);
    member(cursor, name, dashes, column);
    cursor.expect_end("after the value of " + name);
  }

  void empty_session(LineCursor& cursor, int dashes) {
    if (dashes != 1) cursor.fail("expected one dash before an empty session");
    finish_transaction(cursor);
    history_.begin_session();
    session_open_ = true;
  }

  // Two dashes begin a session with its first transaction, one begins the next transaction.
  void begin_transaction(LineCursor& cursor, int dashes) {
    if (dashes != 1 && dashes != 2) cursor.fail("expected a dash before events");
    finish_transaction(cursor);
    if (dashes == 2) history_.begin_session();
    if (dashes == 1 && !session_open_) cursor.fail("expected two dashes before the first events");
    session_open_ = transaction_open_ = true;
    history_.begin_transaction();
    cursor.accept("[]");
    cursor.expect_end("after events");
  }

  void finish_transaction(LineCursor& cursor) {
    if (transaction_open_) cursor.fail("expected the success of the transaction before");
  }

  void member(LineCursor& cursor, const std::string& name, int dashes, std::size_t column) {
    if (!transaction_open_) cursor.fail("expected events");
    if (dashes == 1) {
      end_event();
      event_ = Event{};
      event_open_ = true;
      event_column_ = column;
    } else if (dashes > 1) {
      cursor.fail("expected one dash before an event");
    } else if (!event_open_ || column != event_column_) {
      return end_transaction(cursor, name);
    }
    member_of_event(cursor, name);
  }

  void member_of_event(LineCursor& cursor, const std::string& name) {
    const auto found = std::ranges::find(kMembers, name);
    if (found == kMembers.end()) cursor.fail("expected write, variable, value or success before the value");
    bool& has = event_.has[static_cast<std::size_t>(found - kMembers.begin())];
    if (std::exchange(has, true)) cursor.fail("expected no second " + name + " in the event");
    if (name == "write") {
      event_.kind = truth(cursor) ? OperationKind::Write : OperationKind::Read;
    } else if (name == "success") {
      event_.success = truth(cursor);
    } else if (name == "variable") {
      event_.variable = cursor.number(history_.values(), "the variable");
    } else {
      event_.value = cursor.number(history_.values(), "the value");
    }
  }

  void end_transaction(LineCursor& cursor, const std::string& name) {
    if (name != "success") cursor.fail("expected the success of the transaction, or a dash before an event");
    end_event();
    history_.end_transaction(truth(cursor) ? Outcome::Committed : Outcome::Aborted);
    transaction_open_ = false;
  }

  void end_event() {
    if (!event_open_) return;
    const auto missing = std::ranges::find(event_.has, false);
    if (missing != event_.has.end())
      fail_in_line(lines_.place(), lines_.line(), event_column_,
                   fmt::format("the event before this line has no {}",
                               kMembers[static_cast<std::size_t>(missing - event_.has.begin())]));
    add_event();
  }

  void add_event() {
    event_open_ = false;
    if (!event_.success) return history_.count_failed_event();
    history_.add(event_.kind, event_.variable, event_.value);
  }

  // Drops a last event that lacks a member.
  void end_inside_transaction() {
    if (!options_.accept_truncated)
      throw InputError({lines_.place().file, lines_.place().number, 1},
                       "the file ends after this line, inside a transaction", "",
                       "cut off by a crash? --truncated=ok keeps what comes before");
    if (event_open_ && std::ranges::find(event_.has, false) == event_.has.end()) add_event();
    history_.leave_open();
    if (options_.on_notice) options_.on_notice("the last transaction is cut off: taken as indeterminate");
  }

  static bool truth(LineCursor& cursor) {
    if (cursor.accept("true")) return true;
    if (!cursor.accept("false")) cursor.fail("expected true or false");
    return false;
  }

  static constexpr std::array<std::string_view, 4> kMembers{"write", "variable", "value", "success"};
  struct Event {
    std::array<bool, 4> has{};  // By member.
    OperationKind kind = OperationKind::Read;
    Value variable, value;
    bool success = true;
  };

  const ReadOptions& options_;
  LineReader lines_;
  DbcopHistory history_;
  Event event_;
  std::size_t event_column_ = 0;
  bool session_open_ = false, transaction_open_ = false, event_open_ = false;
};

constexpr RegisterRules kYamlRules{.initial = RegisterRules::Initial::ZeroOnly,
                                   .integers = RegisterRules::Integers::Unsigned64};

constexpr RegisterSpelling kYamlSpelling{.empty_session = "- []\n",
                                         .before_first_transaction = "- - events:\n",
                                         .before_transaction = "  - events:\n",
                                         .committed = "    success: true\n",
                                         .aborted = "    success: false\n",
                                         .before_write = "    - write: true\n      variable: ",
                                         .before_read = "    - write: false\n      variable: ",
                                         .written = "\n      value: ",
                                         .read = "\n      value: ",
                                         .after_step = "\n      success: true\n",
                                         .initial = "0"};

}  // namespace

bool looks_like_dbcop_yaml(std::string_view start) {
  if (start.starts_with("---")) start.remove_prefix(std::min(start.find('\n'), start.size() - 1) + 1);
  const bool has_empty_sessions = start.starts_with("- []\n");
  while (start.starts_with("- []\n")) start.remove_prefix(5);
  return start.starts_with("- - events:") || (start.empty() && has_empty_sessions);
}

History read_dbcop_yaml(ByteStream& stream, const ReadOptions& options) {
  return DbcopYamlReader(stream, options).read();
}

void write_dbcop_yaml(const History& history, const ByteOutput& out, const Notice& lossy) {
  Losses losses;
  const RegisterView view(history, kYamlRules, losses);
  count_dropped_labels(history, view, losses);
  write_sessions(history, view, view.spell_keys(losses), kYamlSpelling, out);
  losses.report(lossy);
}

}  // namespace serval
