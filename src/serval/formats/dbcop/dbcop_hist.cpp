#include <algorithm>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/formats/characters.h"
#include "serval/formats/dbcop/dbcop.h"
#include "serval/formats/lines/line_reader.h"
#include "serval/formats/register_view.h"
#include "serval/history/history_builder.h"

namespace serval {
namespace {

// Whether a variable's name is the decimal spelling of an integer; such keys are integers, all others text.
bool is_number(std::string_view name) {
  return std::ranges::all_of(name, is_digit) && (name.size() == 1 || name[0] != '0');
}

class HistReader {
 public:
  HistReader(ByteStream& stream, const ReadOptions& options) : options_(options), lines_(stream, options) {}

  History read() {
    builder_.set_initial_value(Value::integer(0));
    session_ = builder_.session(Value::integer(0));
    while (lines_.next()) {
      const bool whole = lines_.line().ends_with(']') || lines_.line().ends_with('!');
      if (lines_.line_was_cut() && options_.accept_truncated && !whole) {
        if (options_.on_notice) options_.on_notice("1 line cut off at the end was left out");
        break;
      }
      lines_.notice_cut(options_);
      parse_line();
    }
    return std::move(builder_).freeze();
  }

 private:
  void parse_line() {
    LineCursor cursor = lines_.cursor();
    cursor.skip_blanks();
    if (cursor.peek() == '-') {
      while (cursor.accept("-")) continue;
      cursor.expect_end("after the separator");
      session_ = builder_.session(Value::integer(session_.index + 1));
      return;
    }
    while (!cursor.at_end() && !cursor.starts_with("//")) {
      transaction(cursor);
      cursor.skip_blanks();
    }
  }

  void transaction(LineCursor& cursor) {
    if (!cursor.accept("[")) cursor.fail("expected '[', a line of dashes or a comment");
    const auto number = static_cast<std::int64_t>(builder_.transaction_count());
    const TransactionId t = builder_.begin_transaction(session_, Value::integer(number));
    cursor.skip_blanks();
    while (!cursor.accept("]")) {
      event(cursor, t);
      if (cursor.peek() != ' ' && cursor.peek() != '\t' && cursor.peek() != ']')
        cursor.fail("expected a space or ']' after the version");
      cursor.skip_blanks();
    }
    if (cursor.accept("!")) builder_.set_outcome(t, Outcome::Aborted);
  }

  void event(LineCursor& cursor, TransactionId t) {
    const std::string_view name = cursor.word();
    if (name.empty()) cursor.fail("expected a variable or ']'");
    const Value variable = is_number(name) ? builder_.values().number(name) : builder_.values().text(name);
    const KeyId key = builder_.key(variable);
    if (cursor.accept(":=")) {
      builder_.add(t, OperationKind::Write, key, cursor.number(builder_.values(), "the version"));
    } else if (cursor.accept("==?")) {
      builder_.add(t, OperationKind::Read, key, Value::nil());
    } else if (cursor.accept("==")) {
      builder_.add(t, OperationKind::Read, key, cursor.number(builder_.values(), "the version"));
    } else {
      cursor.fail("expected ':=' or '==' after the variable");
    }
  }

  const ReadOptions& options_;
  LineReader lines_;
  HistoryBuilder builder_;
  SessionId session_;
};

class HistWriter {
 public:
  HistWriter(const History& history, Losses& losses) : history_(history), view_(history, kRules, losses) {
    name_variables(losses);
    count_dropped_labels(history, view_, losses);
  }

  void write(const ByteOutput& out) {
    for (const SessionId session : history_.sessions()) {
      if (session.index > 0) text_ += "---\n";
      for (const TransactionId t : history_.session_transactions(session))
        if (view_.contains(t)) append(t);
      out(text_);
      text_.clear();
    }
  }

 private:
  static constexpr RegisterRules kRules{.initial = RegisterRules::Initial::Mark,
                                        .integers = RegisterRules::Integers::Natural};

  void append(TransactionId t) {
    view_.steps(t, steps_);
    text_ += '[';
    for (const RegisterStep& step : steps_) {
      if (text_.back() != '[') text_ += ' ';
      text_ += variables_[step.key.index];
      text_ += step.kind == OperationKind::Write ? ":=" : "==";
      if (step.value.is_nil()) {
        text_ += '?';
      } else {
        append_number(text_, history_.values(), step.value);
      }
    }
    text_ += view_.is_aborted(t) ? "]!\n" : "]\n";
  }

  // The spelling that is read back as the same key; empty if there is none.
  std::string own_name(KeyId key) const {
    const Value name = history_.key_value(key);
    const bool text = name.kind() == Value::Kind::Text;
    if (!text && !view_.fits(name)) return {};
    std::string spelled;
    if (!text) {
      append_number(spelled, history_.values(), name);
      return spelled;
    }
    spelled = history_.values().characters(name);
    const bool word = !spelled.empty() && std::ranges::all_of(spelled, is_word) && !is_number(spelled);
    return word ? spelled : std::string();
  }

  void name_variables(Losses& losses) {
    absl::flat_hash_set<std::string> used;
    for (const KeyId key : history_.key_ids()) {
      variables_.push_back(own_name(key));
      used.insert(variables_.back());
    }
    std::size_t next = 1;
    for (std::string& variable : variables_) {
      if (!variable.empty()) continue;
      do variable = fmt::format("k{}", next++);
      while (used.contains(variable));
      losses.add("keys replaced by names");
    }
  }

  const History& history_;
  RegisterView view_;
  std::vector<std::string> variables_;  // By key.
  std::vector<RegisterStep> steps_;
  std::string text_;
};

}  // namespace

// The first word must be inside a bracket and be followed by ":=" or "==".
bool looks_like_dbcop_hist(std::string_view start) {
  bool bracket = false;
  while (!start.empty()) {
    if (start.starts_with("//")) {
      start.remove_prefix(std::min(start.find('\n'), start.size()));
    } else if (is_word(start[0])) {
      start.remove_prefix(static_cast<std::size_t>(std::ranges::find_if_not(start, is_word) - start.begin()));
      return bracket && (start.starts_with(":=") || start.starts_with("=="));
    } else if (std::string_view("-[]! \t\r\n").find(start[0]) == std::string_view::npos) {
      return false;
    } else {
      bracket = bracket || start[0] == '[';
      start.remove_prefix(1);
    }
  }
  return false;
}

History read_dbcop_hist(ByteStream& stream, const ReadOptions& options) {
  return HistReader(stream, options).read();
}

void write_dbcop_hist(const History& history, const ByteOutput& out, const Notice& lossy) {
  write_with_losses<HistWriter>(history, out, lossy);
}

}  // namespace serval
