#include <algorithm>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/formats/characters.h"
#include "serval/formats/dbcop/dbcop.h"
#include "serval/formats/dbcop/dbcop_history.h"
#include "serval/formats/lines/line_reader.h"

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
    history_.begin_session();
    while (lines_.next()) {
      const bool whole = lines_.line().ends_with(']') || lines_.line().ends_with('!');
      if (lines_.line_was_cut() && options_.accept_truncated && !whole) {
        if (options_.on_notice) options_.on_notice("1 line cut off at the end was left out");
        break;
      }
      lines_.notice_cut(options_);
      parse_line();
    }
    return std::move(history_).finish(options_);
  }

 private:
  void parse_line() {
    LineCursor cursor = lines_.cursor();
    cursor.skip_blanks();
    if (cursor.peek() == '-') {
      while (cursor.accept("-")) continue;
      cursor.expect_end("after the separator");
      return history_.begin_session();
    }
    while (!cursor.at_end() && !cursor.starts_with("//")) {
      transaction(cursor);
      cursor.skip_blanks();
    }
  }

  void transaction(LineCursor& cursor) {
    if (!cursor.accept("[")) cursor.fail("expected '[', a line of dashes or a comment");
    history_.begin_transaction();
    cursor.skip_blanks();
    while (!cursor.accept("]")) {
      event(cursor);
      if (cursor.peek() != ' ' && cursor.peek() != '\t' && cursor.peek() != ']')
        cursor.fail("expected a space or ']' after the version");
      cursor.skip_blanks();
    }
    if (cursor.accept("!")) history_.end_transaction(Outcome::Aborted);
  }

  void event(LineCursor& cursor) {
    const std::string_view name = cursor.word();
    if (name.empty()) cursor.fail("expected a variable or ']'");
    ValuePool& pool = history_.values();
    const Value variable = is_number(name) ? pool.number(name) : pool.text(name);
    if (cursor.accept(":=")) {
      history_.add(OperationKind::Write, variable, cursor.number(pool, "the version"));
    } else if (cursor.accept("==?")) {
      history_.add(OperationKind::Read, variable, Value::nil());
    } else if (cursor.accept("==")) {
      history_.add(OperationKind::Read, variable, cursor.number(pool, "the version"));
    } else {
      cursor.fail("expected ':=' or '==' after the variable");
    }
  }

  const ReadOptions& options_;
  LineReader lines_;
  DbcopHistory history_;
};

constexpr RegisterRules kHistRules{.initial = RegisterRules::Initial::Mark,
                                   .integers = RegisterRules::Integers::Natural};

constexpr RegisterSpelling kHistSpelling{.before_session = "---\n",
                                         .before_first_transaction = "[",
                                         .before_transaction = "[",
                                         .committed = "]\n",
                                         .aborted = "]!\n",
                                         .written = ":=",
                                         .read = "==",
                                         .between_steps = " ",
                                         .initial = "?"};

// The spelling that is read back as the same key; empty if there is none.
std::string own_name(const History& history, const RegisterView& view, KeyId key) {
  const Value name = history.key_value(key);
  std::string spelled;
  if (name.kind() == Value::Kind::Text) {
    spelled = history.values().characters(name);
    const bool word = !spelled.empty() && std::ranges::all_of(spelled, is_word) && !is_number(spelled);
    return word ? spelled : std::string();
  }
  if (view.fits(name)) append_number(spelled, history.values(), name);
  return spelled;
}

std::vector<std::string> name_variables(const History& history, const RegisterView& view, Losses& losses) {
  std::vector<std::string> variables;
  absl::flat_hash_set<std::string> used;
  for (const KeyId key : history.key_ids()) {
    variables.push_back(own_name(history, view, key));
    used.insert(variables.back());
  }
  std::size_t next = 1;
  for (std::string& variable : variables) {
    if (!variable.empty()) continue;
    do variable = fmt::format("k{}", next++);
    while (used.contains(variable));
    losses.add("keys replaced by names");
  }
  return variables;
}

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
  Losses losses;
  const RegisterView view(history, kHistRules, losses);
  count_dropped_labels(history, view, losses);
  write_sessions(history, view, name_variables(history, view, losses), kHistSpelling, out);
  losses.report(lossy);
}

}  // namespace serval
