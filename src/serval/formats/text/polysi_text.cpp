#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "serval/formats/lines/line_blocks.h"
#include "serval/formats/lines/line_cursor.h"
#include "serval/formats/plain_digits.h"
#include "serval/formats/register_view.h"
#include "serval/formats/reserve_columns.h"
#include "serval/formats/text/text_formats.h"
#include "serval/history/history_builder.h"

namespace serval {
namespace {

constexpr Value kAborted = Value::integer(-1);

struct TextOperation {
  OperationKind kind = OperationKind::Read;
  Value key, value, session, transaction;
};

// Finds the transaction of a line. Almost every line continues the line above or begins a transaction
// whose id is the largest of its session so far; a table of all ids is built only if that fails.
class TransactionFinder {
 public:
  explicit TransactionFinder(HistoryBuilder& builder) : builder_(builder) {}

  TransactionId find(Value session, Value label) {
    if (session != last_session_ || label != last_label_) [[unlikely]]
      switch_to(session, label);
    return current_;
  }

 private:
  struct Session {
    SessionId id;
    Value last_label;  // Nil before the first transaction.
    TransactionId last;
    std::int64_t largest = std::numeric_limits<std::int64_t>::min();
  };

  void switch_to(Value session_label, Value label) {
    Session& session = session_of(session_label);
    if (label != session.last_label) {
      session.last = find_or_begin(session, label);
      session.last_label = label;
    }
    last_session_ = session_label;
    last_label_ = label;
    current_ = session.last;
  }

  // Small session ids are found by index.
  Session& session_of(Value label) {
    constexpr std::int64_t kDirect = 1 << 16;
    if (!label.is_integer() || label.as_integer() < 0 || label.as_integer() >= kDirect)
      return sessions_[begun(builder_.session(label))];
    const auto slot = static_cast<std::size_t>(label.as_integer());
    if (slot >= direct_.size()) direct_.resize(slot + 1, SessionId::none());
    if (direct_[slot].is_none()) direct_[slot] = builder_.session(label);
    return sessions_[begun(direct_[slot])];
  }
  std::size_t begun(SessionId id) {
    if (id.index == sessions_.size()) sessions_.push_back({id, Value::nil(), TransactionId::none()});
    return id.index;
  }

  TransactionId find_or_begin(Session& session, Value label) {
    if (label == kAborted) return begin_aborted(session);
    if (label.is_integer() && label.as_integer() > session.largest) {
      session.largest = label.as_integer();
      const TransactionId fresh = builder_.begin_transaction(session.id, label);
      if (by_label_) by_label_->emplace(std::pair(session.id, label), fresh);
      return fresh;
    }
    if (!by_label_) make_table();
    const auto [found, inserted] = by_label_->try_emplace({session.id, label});
    if (inserted) found->second = builder_.begin_transaction(session.id, label);
    return found->second;
  }

  TransactionId begin_aborted(const Session& session) {
    const TransactionId aborted = builder_.begin_transaction(session.id, kAborted);
    builder_.set_outcome(aborted, Outcome::Aborted);
    return aborted;
  }

  void make_table() {
    by_label_.emplace();
    by_label_->reserve(builder_.transaction_count());
    for (std::uint32_t index = 0; index < builder_.transaction_count(); ++index) {
      const TransactionId t{index};
      by_label_->emplace(std::pair(builder_.session_of(t), builder_.label(t)), t);
    }
  }

  HistoryBuilder& builder_;
  Value last_session_, last_label_;  // Nil: no line yet.
  TransactionId current_ = TransactionId::none();
  std::vector<Session> sessions_;
  std::vector<SessionId> direct_;
  std::optional<absl::flat_hash_map<std::pair<SessionId, Value>, TransactionId>> by_label_;
};

class PolySiReader {
 public:
  PolySiReader(ByteStream& stream, const ReadOptions& options)
      : stream_(stream), options_(options), blocks_(stream, options), finder_(builder_) {}

  History read() {
    builder_.set_initial_value(Value::integer(0));
    bool is_first = true;
    for (std::string_view block = blocks_.next(); !block.empty(); block = blocks_.next()) {
      parse(block);
      if (std::exchange(is_first, false)) reserve_columns(builder_, block.size(), stream_.size_on_disk());
    }
    if (load_ == Load::Complete) builder_.set_initial_value(Value::nil());
    return std::move(builder_).freeze();
  }

 private:
  // Some tools begin a file with a transaction that writes 0 to every key. If it wrote every key that is
  // read as 0, no transaction saw the keys before it, and 0 is an ordinary value.
  enum class Load { Possible, Complete, None };

  void note_load(TransactionId t, KeyId key, const TextOperation& op) {
    constexpr Value kZero = Value::integer(0);
    if (t.index == 0) {
      const bool loads = op.kind == OperationKind::Write && op.value == kZero;
      if (!loads) load_ = Load::None;
      if (loads) loaded_.insert(key);
      return;
    }
    const bool reads = op.kind == OperationKind::Read && op.value == kZero;
    load_ = loaded_.empty() || (reads && !loaded_.contains(key)) ? Load::None : Load::Complete;
  }

  void parse(std::string_view block) {
    const char* at = block.data();
    const char* const end = at + block.size();
    while (at != end) {
      ++line_number_;
      const char* const next = end - at >= kPlainLine ? parse_plain_line(at) : nullptr;
      at = next != nullptr ? next : parse_any_line(at, end);
    }
  }

  // Parses a line of the usual form: 'r' or 'w', "(", four numbers of at most 18 digits, ")" and the end
  // of the line, without blanks or signs. Reads fewer than kPlainLine bytes. Returns null and does
  // nothing for any other line.
  static constexpr std::ptrdiff_t kPlainLine = 128;
  const char* parse_plain_line(const char* at) {
    if ((*at != 'r' && *at != 'w') || at[1] != '(') return nullptr;
    const OperationKind kind = *at == 'w' ? OperationKind::Write : OperationKind::Read;
    at += 2;
    std::int64_t numbers[4];
    for (int field = 0; field < 4; ++field) {
      const PlainDigits digits = read_plain_digits(at);
      if (digits.length == 0 || at[digits.length] != (field < 3 ? ',' : ')')) return nullptr;
      numbers[field] = static_cast<std::int64_t>(digits.value);
      at += digits.length + 1;
    }
    if (*at == '\r') ++at;
    if (*at != '\n') return nullptr;
    add({kind, Value::integer(numbers[0]), Value::integer(numbers[1]), Value::integer(numbers[2]),
         Value::integer(numbers[3])});
    return at + 1;
  }

  // Every other line: blank, comment, signs, long numbers, white space, the end of a block, mistakes.
  const char* parse_any_line(const char* at, const char* end) {
    const char* const newline = std::find(at, end, '\n');
    LineCursor cursor({blocks_.name(), line_number_}, {at, newline});
    cursor.skip_blanks();
    const bool nothing = cursor.at_end() || cursor.starts_with("#") || cursor.starts_with("//");
    const bool cut = blocks_.last_line_was_cut() && newline + 1 == end;
    if (!nothing && !(cut && options_.accept_truncated && drop_if_cut(cursor))) add(operation_in(cursor));
    return newline + 1;
  }

  // A line that lost its end also lost its ")".
  bool drop_if_cut(LineCursor cursor) {
    try {
      operation_in(cursor);
      return false;
    } catch (const InputError&) {
      if (options_.on_notice) options_.on_notice("1 line cut off at the end was left out");
      return true;
    }
  }

  TextOperation operation_in(LineCursor& cursor) {
    TextOperation op;
    if (cursor.accept("w")) {
      op.kind = OperationKind::Write;
    } else if (!cursor.accept("r")) {
      cursor.fail("expected an operation, r(key,value,session,txn) or w(key,value,session,txn)");
    }
    cursor.skip_blanks();
    cursor.expect('(', "after the operation");
    op.key = number_in(cursor, "the key");
    cursor.expect(',', "after the key");
    op.value = number_in(cursor, "the value");
    cursor.expect(',', "after the value");
    op.session = number_in(cursor, "the session");
    cursor.expect(',', "after the session");
    op.transaction = number_in(cursor, "the transaction");
    cursor.expect(')', "after the transaction");
    cursor.expect_end("after ')'");
    return op;
  }
  Value number_in(LineCursor& cursor, std::string_view what) {
    cursor.skip_blanks();
    const Value number = cursor.number(builder_.values(), what);
    cursor.skip_blanks();
    return number;
  }

  void add(const TextOperation& op) {
    const TransactionId t = finder_.find(op.session, op.transaction);
    const KeyId key = builder_.key(op.key);
    if (load_ != Load::None) note_load(t, key, op);
    builder_.add(t, op.kind, key, op.value);
  }

  ByteStream& stream_;
  const ReadOptions& options_;
  LineBlocks blocks_;
  HistoryBuilder builder_;
  TransactionFinder finder_;
  std::uint64_t line_number_ = 0;
  Load load_ = Load::Possible;
  absl::flat_hash_set<KeyId> loaded_;
};

class PolySiWriter {
 public:
  PolySiWriter(const History& history, Losses& losses)
      : history_(history),
        view_(history, {.aborted = RegisterRules::Aborted::WritesOnly}, losses),
        keys_(view_.number_keys(losses)) {
    number_sessions(losses);
    number_transactions(losses);
    count_merged(losses);
    count_load(losses);
  }

  void write(const ByteOutput& out) {
    constexpr std::size_t kEnough = 1 << 16;
    for (const TransactionId t : history_.transactions()) {
      if (view_.contains(t)) append(t);
      if (text_.size() < kEnough) continue;
      out(text_);
      text_.clear();
    }
    out(text_);
  }

 private:
  void append(TransactionId t) {
    tail_ = ",";
    append_number(tail_, history_.values(), sessions_[history_.session(t).index]);
    tail_ += ',';
    append_number(tail_, history_.values(), view_.is_aborted(t) ? kAborted : number_of(t));
    tail_ += ")\n";
    view_.steps(t, steps_);
    for (const RegisterStep& step : steps_) {
      text_ += step.kind == OperationKind::Write ? "w(" : "r(";
      append_number(text_, history_.values(), keys_[step.key.index]);
      text_ += ',';
      append_number(text_, history_.values(), step.value.is_nil() ? Value::integer(0) : step.value);
      text_ += tail_;
    }
  }

  // Readers treat a first transaction that writes only 0 as the load of the initial rows, with no
  // version before it.
  void count_load(Losses& losses) {
    if (history_.initial_value() != Value::integer(0)) return;
    for (const TransactionId t : history_.transactions()) {
      if (!view_.contains(t)) continue;
      view_.steps(t, steps_);
      const bool loads = std::ranges::all_of(steps_, [](const RegisterStep& step) {
        return step.kind == OperationKind::Write && step.value == Value::integer(0);
      });
      if (loads) losses.add("first transactions that write only 0 and will be read as the initial versions");
      return;
    }
  }

  // A session keeps its label when every label is an integer.
  void number_sessions(Losses& losses) {
    bool keep = true;
    for (const SessionId session : history_.sessions()) {
      sessions_.push_back(history_.session_label(session));
      keep = keep && view_.fits(sessions_.back());
      if (history_.session_transactions(session).empty())
        losses.add("sessions without transactions left out");
    }
    if (keep) return;
    for (const SessionId session : history_.sessions())
      sessions_[session.index] = Value::integer(session.index);
    losses.add("sessions renumbered", sessions_.size());
  }

  // Other tools identify a transaction by its txn alone, so labels are kept only if they are distinct.
  void number_transactions(Losses& losses) {
    absl::flat_hash_set<Value> seen;
    std::size_t written = 0;
    for (const TransactionId t : history_.transactions()) {
      if (!view_.contains(t) || view_.is_aborted(t)) continue;
      const Value label = history_.label(t);
      labels_fit_ = labels_fit_ && view_.fits(label) && label != kAborted && seen.insert(label).second;
      ++written;
    }
    if (!labels_fit_) losses.add("transactions renumbered", written);
  }
  Value number_of(TransactionId t) const { return labels_fit_ ? history_.label(t) : Value::integer(t.index); }

  // Adjacent aborted transactions of a session are not separated in the file.
  void count_merged(Losses& losses) const {
    for (const SessionId session : history_.sessions()) {
      bool after_aborted = false;
      for (const TransactionId t : history_.session_transactions(session)) {
        if (!view_.contains(t)) continue;
        if (after_aborted && view_.is_aborted(t))
          losses.add("aborted transactions merged with the one before");
        after_aborted = view_.is_aborted(t);
      }
    }
  }

  const History& history_;
  RegisterView view_;
  std::vector<Value> keys_, sessions_;
  bool labels_fit_ = true;
  std::vector<RegisterStep> steps_;
  std::string text_, tail_;
};

std::string_view first_content(std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with('#') && !text.starts_with("//")) return text;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

}  // namespace

bool looks_like_polysi(std::string_view start) {
  start = first_content(start);
  if (!start.starts_with('r') && !start.starts_with('w')) return false;
  const std::size_t next = start.find_first_not_of(" \t", 1);
  return next != std::string_view::npos && start[next] == '(';
}

History read_polysi(ByteStream& stream, const ReadOptions& options) {
  return PolySiReader(stream, options).read();
}

void write_polysi(const History& history, const ByteOutput& out, const Notice& lossy) {
  write_with_losses<PolySiWriter>(history, out, lossy);
}

}  // namespace serval
