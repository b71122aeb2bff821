#include <vector>

#include <fmt/format.h>

#include "serval/base/json_string.h"
#include "serval/formats/dbcop/dbcop.h"
#include "serval/formats/dbcop/dbcop_history.h"
#include "serval/formats/forms/json_form_cursor.h"
#include "serval/formats/forms/text_window.h"

namespace serval {
namespace {

struct Event {
  OperationKind kind = OperationKind::Read;
  Value variable, version;
};

// One transaction, read as a whole.
struct Transaction {
  std::vector<Event> events;
  bool committed = true;
};

class TransactionReader {
 public:
  TransactionReader(JsonFormCursor& cursor, ValuePool& pool) : cursor_(cursor), pool_(pool) {}

  Transaction read() {
    Transaction transaction;
    bool has_events = false, has_committed = false;
    open_object("a transaction");
    while (cursor_.more()) {
      const std::string_view field = cursor_.field();
      if (field == "events") {
        has_events = true;
        read_events(transaction);
      } else if (field == "committed") {
        has_committed = true;
        transaction.committed = read_truth();
      } else {
        cursor_.skip();
      }
    }
    if (!has_events) throw FormProblem{cursor_.at() - 1, "expected the events of the transaction"};
    if (!has_committed) throw FormProblem{cursor_.at() - 1, "expected \"committed\", true or false"};
    return transaction;
  }

 private:
  void open_object(const char* what) {
    if (cursor_.peek() != FormShape::Map)
      throw FormProblem{cursor_.at(), fmt::format("expected '{{', {}", what)};
    cursor_.open();
  }
  bool read_truth() {
    const char* const at = cursor_.at();
    const Value truth = cursor_.peek() == FormShape::Scalar ? cursor_.scalar(pool_) : Value::nil();
    if (truth.kind() != Value::Kind::Boolean) throw FormProblem{at, "expected true or false"};
    return truth.as_boolean();
  }
  void read_events(Transaction& transaction) {
    if (cursor_.peek() != FormShape::Sequence) throw FormProblem{cursor_.at(), "expected '[', the events"};
    cursor_.open();
    while (cursor_.more()) transaction.events.push_back(read_event());
  }
  Event read_event() {
    Event event;
    bool named = false;
    open_object("an event");
    while (cursor_.more()) {
      const char* const at = cursor_.at();
      const std::string_view field = cursor_.field();
      if (named) throw FormProblem{at, "expected '}' after the read or write of the event"};
      if (field != "Write" && field != "Read") throw FormProblem{at, "expected \"Write\" or \"Read\""};
      event.kind = field == "Write" ? OperationKind::Write : OperationKind::Read;
      named = true;
      read_access(event);
    }
    if (!named) throw FormProblem{cursor_.at() - 1, "expected \"Write\" or \"Read\""};
    return event;
  }
  void read_access(Event& event) {
    bool has_variable = false;
    open_object("variable and version");
    while (cursor_.more()) {
      const std::string_view field = cursor_.field();
      if (field != "variable" && field != "version") {
        cursor_.skip();
        continue;
      }
      const bool variable = field == "variable";
      if (cursor_.peek() != FormShape::Scalar) throw FormProblem{cursor_.at(), "expected a plain value"};
      const char* const at = cursor_.at();
      (variable ? event.variable : event.version) = cursor_.scalar(pool_);
      has_variable = has_variable || variable;
      if (!variable && event.kind == OperationKind::Write && event.version.is_nil())
        throw FormProblem{at, "a write needs a version"};
    }
    if (!has_variable) throw FormProblem{cursor_.at() - 1, "expected a variable"};
    if (event.kind == OperationKind::Write && event.version.is_nil())
      throw FormProblem{cursor_.at() - 1, "a write needs a version"};
  }

  JsonFormCursor& cursor_;
  ValuePool& pool_;
};

// Holds the text of one transaction at a time, and tracks the brackets around the transactions itself.
class DbcopJsonReader {
 public:
  DbcopJsonReader(ByteStream& stream, const ReadOptions& options)
      : options_(options), window_(stream, options), transactions_(cursor_, history_.values()) {}

  History read() {
    try {
      if (next_is('{')) {
        take();
        read_members();
      } else {
        expect('[', "the sessions");
        read_sessions();
      }
      if (!at_end()) fail("expected the end of the file");
    } catch (const CutOff&) {
      cut_off();
    }
    return std::move(history_).finish(options_);
  }

 private:
  struct CutOff {};

  void read_members() {
    for (bool first = true; !accept('}'); first = false) {
      if (!first) expect(',', "or '}' after a member");
      parse([this] { name_ = cursor_.field(); });
      if (name_ == "data") {
        expect('[', "the sessions");
        read_sessions();
      } else {
        read_member();
      }
    }
  }
  void read_member() {
    std::string text;
    parse([&] {
      text.clear();
      const bool word = cursor_.peek() == FormShape::Scalar && cursor_.at_word();
      if (word) {
        text = cursor_.word();
      } else {
        cursor_.skip();
      }
    });
    if (name_ == "info" || name_ == "start" || name_ == "end") history_.set_fact("dbcop." + name_, text);
  }
  void read_sessions() {
    for (bool first = true; !accept(']'); first = false) {
      if (!first) expect(',', "or ']' after a session");
      expect('[', "a session");
      history_.begin_session();
      read_transactions();
    }
  }
  void read_transactions() {
    for (bool first = true; !accept(']'); first = false) {
      if (!first) expect(',', "or ']' after a transaction");
      Transaction transaction;
      parse([&] { transaction = transactions_.read(); });
      history_.begin_transaction();
      for (const Event& event : transaction.events) history_.add(event.kind, event.variable, event.version);
      history_.end_transaction(transaction.committed ? Outcome::Committed : Outcome::Aborted);
    }
  }

  // Runs `step` at the start of the window, and again with more text if the text ended too early.
  template <class Step>
  void parse(const Step& step) {
    if (options_.budget != nullptr) options_.budget->poll("reading");
    while (true) {
      cursor_.start(window_.begin(), window_.end());
      try {
        step();
        window_.consume_to(cursor_.at());
        return;
      } catch (const FormEnds&) {
        if (!window_.refill()) throw CutOff{};
      } catch (const FormProblem& problem) {
        throw window_.error(problem.at, problem.problem);
      }
    }
  }
  // Skips blanks; true if the file ends here.
  bool at_end() {
    do {
      cursor_.start(window_.begin(), window_.end());
      const bool ends = cursor_.at_end();
      window_.consume_to(cursor_.at());
      if (!ends) return false;
    } while (window_.refill());
    return true;
  }
  bool next_is(char wanted) {
    if (at_end()) throw CutOff{};
    return *window_.begin() == wanted;
  }
  void take() { window_.consume_to(window_.begin() + 1); }
  bool accept(char wanted) {
    const bool found = next_is(wanted);
    if (found) take();
    return found;
  }
  void expect(char wanted, const char* what) {
    if (!accept(wanted)) fail(fmt::format("expected '{}', {}", wanted, what));
  }
  [[noreturn]] void fail(const std::string& problem) const { throw window_.error(window_.begin(), problem); }

  void cut_off() {
    if (!options_.accept_truncated)
      throw window_.error(window_.end(), "the file ends here, inside the history",
                          "cut off by a crash? --truncated=ok keeps the transactions before this point");
    if (options_.on_notice)
      options_.on_notice(fmt::format("the file is cut off at line {}: an unfinished transaction was dropped",
                                     window_.position(window_.end()).line));
  }

  const ReadOptions& options_;
  TextWindow window_;
  JsonFormCursor cursor_;
  DbcopHistory history_;
  TransactionReader transactions_;
  std::string name_;  // Of the current member.
};

constexpr RegisterRules kJsonRules{.initial = RegisterRules::Initial::Mark,
                                   .integers = RegisterRules::Integers::Unsigned64,
                                   .kept_facts = "dbcop."};

constexpr RegisterSpelling kJsonSpelling{.before_first_session = "\n[",
                                         .before_session = ",\n[",
                                         .after_session = "]",
                                         .empty_session = "]",
                                         .before_first_transaction = "{\"events\":[",
                                         .before_transaction = ",\n {\"events\":[",
                                         .committed = "],\"committed\":true}",
                                         .aborted = "],\"committed\":false}",
                                         .before_write = "{\"Write\":{\"variable\":",
                                         .before_read = "{\"Read\":{\"variable\":",
                                         .written = ",\"version\":",
                                         .read = ",\"version\":",
                                         .after_step = "}}",
                                         .between_steps = ",",
                                         .initial = "null"};

// With the cursor at the sessions: whether the first transaction has events.
bool holds_transactions(JsonFormCursor& cursor) {
  if (cursor.peek() != FormShape::Sequence) return false;
  cursor.open();
  while (cursor.more()) {
    if (cursor.peek() != FormShape::Sequence) return false;
    cursor.open();
    if (!cursor.more()) continue;
    if (cursor.peek() != FormShape::Map) return false;
    cursor.open();
    if (!cursor.more()) return false;
    const std::string_view field = cursor.field();
    return field == "events" || field == "committed";
  }
  return false;
}

bool is_wrapped(JsonFormCursor& cursor) {
  cursor.open();
  while (cursor.more()) {
    const std::string_view field = cursor.field();
    if (field == "data") return cursor.peek() == FormShape::Sequence;
    if (field == "params") return cursor.peek() == FormShape::Map;
    if (field != "info" && field != "start" && field != "end") return false;
    cursor.skip();
  }
  return false;
}

}  // namespace

bool looks_like_dbcop_json(std::string_view start) {
  return holds_at_start<JsonFormCursor>(start, [](JsonFormCursor& cursor) {
    return cursor.peek() == FormShape::Map ? is_wrapped(cursor) : holds_transactions(cursor);
  });
}

History read_dbcop_json(ByteStream& stream, const ReadOptions& options) {
  return DbcopJsonReader(stream, options).read();
}

void write_dbcop_json(const History& history, const ByteOutput& out, const Notice& lossy) {
  Losses losses;
  const RegisterView view(history, kJsonRules, losses);
  count_dropped_labels(history, view, losses);
  const DbcopHeader header = dbcop_header(history, view);
  out(fmt::format(
      "{{\"params\":{{\"id\":0,\"n_node\":{},\"n_variable\":{},\"n_transaction\":{},\"n_event\":{}}},"
      "\"info\":{},\"start\":{},\"end\":{},\"data\":[",
      header.sessions, header.variables, header.transactions, header.events, json_string(header.info),
      json_string(header.start), json_string(header.end)));
  write_sessions(history, view, view.spell_keys(losses), kJsonSpelling, out);
  out("\n]}\n");
  losses.report(lossy);
}

}  // namespace serval
