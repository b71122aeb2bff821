#include "serval/history/notation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

#include "serval/base/error.h"
#include "serval/base/utf8.h"
#include "serval/history/history_builder.h"

namespace serval {
namespace {

// By OperationKind; a conditional operation that was refused has the verb of the applied one.
constexpr std::array<std::string_view, 9> kVerbs{"r", "w", "a", "l", "i", "i", "d", "cas", "cas"};

class Parser {
 public:
  Parser(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {
    builder_.set_initial_value(Value::integer(0));
  }

  History parse() {
    skip_blank();
    while (at_ < text_.size()) {
      const Value label = value();
      expect(':');
      const SessionId session = builder_.session(label);
      while (peek() == '[') transaction(session);
    }
    return std::move(builder_).freeze();
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    const std::size_t line_start = at_ == 0 ? 0 : text_.rfind('\n', at_ - 1) + 1;  // npos + 1 == 0
    const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
    const auto line = 1 + static_cast<std::uint64_t>(std::ranges::count(text_.substr(0, line_start), '\n'));
    throw InputError({name_, line, at_ - line_start + 1}, problem,
                     std::string(text_.substr(line_start, line_end - line_start)));
  }

  void skip_blank() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }
  char peek() {
    skip_blank();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  // The same without skipping blanks.
  bool follows(char wanted) { return at_ < text_.size() && text_[at_] == wanted && accept(wanted); }
  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("expected '") + wanted + "'");
  }

  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/' || c == '-' ||
           c == '+';
  }
  std::string_view word() {
    skip_blank();
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (start == at_) fail("expected a name or a value");
    return text_.substr(start, at_ - start);
  }

  Value value() {
    switch (peek()) {
      case '"':
        return builder_.values().text(quoted());
      case '[':
        return list();
      case '{':
        return row();
      case '?':
        ++at_;
        return Value::unknown();
      default:
        break;
    }
    const std::string_view spelled = word();
    if (spelled == "_") return Value::nil();
    if (spelled == "true" || spelled == "false") return Value::boolean(spelled == "true");
    const bool numeric = std::isdigit(static_cast<unsigned char>(spelled[0])) != 0 ||
                         ((spelled[0] == '-' || spelled[0] == '+') && spelled.size() > 1);
    return numeric ? builder_.values().number(spelled) : builder_.values().text(spelled);
  }

  std::string quoted() {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        append_escape(out);
      } else {
        out += text_[at_];
      }
    }
    expect('"');
    return out;
  }

  // Called at the character after the backslash; ends at the last character of the escape.
  void append_escape(std::string& out) {
    static constexpr std::string_view kLetters = "ntr", kMeanings = "\n\t\r";
    const char c = text_[at_];
    const std::size_t letter = kLetters.find(c);
    if (letter != std::string_view::npos)
      out += kMeanings[letter];
    else if (c == 'x')
      out += static_cast<char>(hex_digits(2));
    else if (c == 'u')
      append_utf8(out, hex_digits(4));
    else
      out += c;
  }
  std::uint32_t hex_digits(std::size_t count) {
    const std::string_view digits = text_.substr(at_ + 1, count);
    std::uint32_t out = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    if (error != std::errc{} || digits.size() != count || end != digits.data() + count || is_surrogate(out))
      fail("expected hexadecimal digits: \\x and two, \\u and four that are not half of a surrogate pair");
    at_ += count;
    return out;
  }

  Value list() {
    constexpr int kMaxDepth = 1000;  // As in JSON; protects the stack.
    if (depth_ == kMaxDepth) fail("the list is nested too deeply (limit " + std::to_string(kMaxDepth) + ")");
    expect('[');
    ++depth_;
    std::vector<Value> elements;
    while (peek() != ']') {
      if (peek() == '\0') fail("expected ']' to close the list");
      elements.push_back(value());
      accept(',');
    }
    expect(']');
    --depth_;
    return builder_.values().list(elements);
  }

  // A row is kept as written, up to the matching brace; strings in it may contain braces.
  Value row() {
    const std::size_t start = at_;
    int depth = 0;
    bool in_string = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (in_string && c == '\\') {
        ++at_;
      } else if (c == '"') {
        in_string = !in_string;
      } else if (!in_string && c == '{') {
        ++depth;
      } else if (!in_string && c == '}' && --depth == 0) {
        ++at_;
        return builder_.values().row(text_.substr(start, at_ - start));
      }
    }
    fail("expected '}' to close the row");
  }

  // Does not skip blanks: what follows the end of a transaction may be the number of the next session.
  Time time_point(Time otherwise) {
    const std::size_t start = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (start == at_) return otherwise;
    Time time = 0;
    if (std::from_chars(text_.data() + start, text_.data() + at_, time).ec != std::errc{}) {
      at_ = start;
      fail("expected a time in nanoseconds that fits 64 bits");
    }
    return time;
  }

  void transaction(SessionId session) {
    expect('[');
    const TransactionId t = builder_.begin_transaction(
        session, Value::integer(static_cast<std::int64_t>(builder_.transaction_count()) + 1));
    while (!accept(']')) {
      if (accept(',')) continue;
      if (peek() == '\0') fail("expected ']' to close the transaction");
      builder_.add(t, operation());
    }
    if (follows('!')) builder_.set_outcome(t, Outcome::Aborted);
    if (follows('?')) builder_.set_outcome(t, Outcome::Indeterminate);
    if (follows('@')) {
      Interval interval;
      interval.begin = time_point(kUnknownBegin);
      expect('.');
      expect('.');
      interval.end = time_point(kUnknownEnd);
      builder_.set_interval(t, interval);
    }
  }

  Operation operation() {
    const std::size_t start = at_;
    const std::string_view verb = word();
    Operation op;
    const auto found = std::ranges::find(kVerbs, verb);  // A miss is marked after the ")".
    if (found == kVerbs.end()) {
      at_ = start;
      fail("expected an operation: r w a l i d cas");
    }
    op.kind = static_cast<OperationKind>(found - kVerbs.begin());
    expect('(');
    op.key = builder_.key(value());
    if (op.kind == OperationKind::CompareAndSet) {
      expect(',');
      op.expected = value();
    }
    if (op.kind != OperationKind::Delete) {
      expect(',');
      op.value = value();
    }
    expect(')');
    if (op.kind == OperationKind::Insert && accept('!')) op.kind = OperationKind::InsertMiss;
    if (op.kind == OperationKind::CompareAndSet && accept('!')) op.kind = OperationKind::CompareAndSetMiss;
    return op;
  }

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  int depth_ = 0;  // Nesting depth of lists.
  HistoryBuilder builder_;
};

std::string print_predicate_operation(const History& history, OperationId op) {
  std::string out = "p{";
  for (const Row& row : history.operation(op).rows) {
    if (out.size() > 2) out += ' ';
    out += history.format_key(row.key) + "=" + history.format(row.value);
  }
  return out + "}";
}

}  // namespace

History parse_history(std::string_view text, const std::string& name) { return Parser(text, name).parse(); }

std::string print_operation(const History& history, OperationId op) {
  const OperationKind kind = history.kind(op);
  if (is_predicate(kind)) return print_predicate_operation(history, op);
  std::string out(kVerbs[static_cast<std::size_t>(kind)]);
  out += "(" + history.format_key(history.key(op));
  if (is_conditional(kind)) out += "," + history.format(history.expected(op));
  if (kind != OperationKind::Delete) out += "," + history.format(history.value(op));
  out += ")";
  if (kind == OperationKind::InsertMiss || kind == OperationKind::CompareAndSetMiss) out += "!";
  return out;
}

std::string print_transaction(const History& history, TransactionId t) {
  std::string out = "[";
  for (const OperationId op : history.operations(t))
    out += (out.size() > 1 ? " " : "") + print_operation(history, op);
  out += "]";
  if (history.outcome(t) == Outcome::Aborted) out += "!";
  if (history.outcome(t) == Outcome::Indeterminate) out += "?";
  const Interval interval = history.interval(t);
  if (interval == Interval{}) return out;
  out += "@";
  if (interval.begin != kUnknownBegin) out += std::to_string(interval.begin);
  out += "..";
  if (interval.end != kUnknownEnd) out += std::to_string(interval.end);
  return out;
}

std::string print_history(const History& history) {
  std::string out;
  for (const SessionId session : history.sessions()) {
    out += history.format(history.session_label(session)) + ":";
    for (const TransactionId t : history.session_transactions(session))
      out += " " + print_transaction(history, t);
    out += "\n";
  }
  return out;
}

}  // namespace serval
