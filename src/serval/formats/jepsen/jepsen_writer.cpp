#include "serval/formats/jepsen/jepsen_writer.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "serval/base/decimal_number.h"
#include "serval/base/json_string.h"
#include "serval/formats/forms/form_cursor.h"
#include "serval/formats/jepsen/jepsen_events.h"

namespace serval {
namespace {

using Type = JepsenEvent::Type;

constexpr std::size_t kPiece = 1 << 16;  // Handed to `out` when at least this long.

// What the format cannot represent. Losses are counted, and each kind is reported once.
enum class Loss {
  PredicateOperation,
  Insert,
  Miss,
  Delete,
  NilWrite,
  CompareAndSet,
  UnknownRead,
  NilRead,
  InitialRead,
  UnknownValue,
  Value,
  OperationMember,
  Hint,
  Node,
  Label,
  Count
};

constexpr std::array<std::string_view, static_cast<std::size_t>(Loss::Count)> kLossWords{
    "left out {} predicate operations",
    "wrote {} inserts as a read of nil and a write",
    "wrote {} conditional operations that were refused as plain reads",
    "wrote {} deletes as writes of nil",
    "wrote {} writes of nil, which reads of the initial value may be taken for",
    "wrote {} compare-and-sets inside larger transactions as a read and a write",
    "left out {} reads of committed transactions whose answer is unknown",
    "{} reads of nil in aborted or indeterminate transactions will be read as unknown",
    "{} reads of the initial value, which is also written, will be read as reads of a write",
    "wrote {} unknown values as nil",
    "wrote {} rows, odd numbers and nested lists as text",
    "dropped times, versions or row counts of {} operations",
    "dropped hints other than node and error of {} transactions",
    "dropped the node of {} transactions",
    "replaced the labels of {} transactions by their place in the file",
};

constexpr std::array<std::string_view, 5> kTypes{"invoke", "invoke", "ok", "fail", "info"};

bool is_plain_word(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !text.empty() && is_letter(text[0]) && std::ranges::all_of(text, fits);
}

// A number in JSON syntax, which is also EDN.
bool is_plain_number(std::string_view text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  if (text.size() <= first || (text[first] == '0' && text.size() > first + 1 && text[first + 1] != '.'))
    return false;
  return !text.starts_with('+') && is_decimal_number(text);
}

class JepsenWriter {
 public:
  JepsenWriter(const History& history, const JepsenSpelling& spelling, const ByteOutput& out,
               const Notice& lossy)
      : history_(history), spelling_(spelling), out_(out), lossy_(lossy) {}

  void write() {
    choose_processes();
    find_initial_values();
    text_ += spelling_.before_all;
    std::string_view before;
    for (const JepsenEvent& event : jepsen_events(history_, lossy_)) {
      text_ += before;
      at_last_event_ = event.type != Type::Invoke;
      if (spelling_.layout == JepsenSpelling::Layout::Columns) {
        write_columns(event);
      } else {
        write_event(event);
      }
      before = spelling_.between_maps;
      if (text_.size() >= kPiece) flush();
    }
    text_ += spelling_.after_all;
    flush();
    report();
  }

 private:
  void choose_processes() {
    const auto is_integer = [&](SessionId s) { return history_.session_label(s).is_integer(); };
    bool all = true;
    for (const SessionId s : history_.sessions()) all = all && is_integer(s);
    if (!all) lossy_("numbered the sessions: a :process is an integer");
    for (const SessionId s : history_.sessions())
      processes_.push_back(all ? history_.session_label(s).as_integer() : static_cast<std::int64_t>(s.index));
  }

  // Jepsen's initial state is nil. If the history has another initial value, reads of it become nil.
  void find_initial_values() {
    initial_value_written_.assign(history_.key_count(), false);
    if (history_.initial_value().is_nil()) return;
    const auto writes_initial = [&](OperationId op) {
      return writes_value(history_.kind(op)) && history_.value(op) == history_.initial_value();
    };
    for (const TransactionId t : history_.transactions()) {
      if (history_.outcome(t) == Outcome::Aborted) continue;  // Its writes are never visible.
      for (const OperationId op : history_.operations(t))
        if (writes_initial(op)) initial_value_written_[history_.key(op).index] = true;
    }
  }

  void write_event(const JepsenEvent& event) {
    const TransactionId t = event.transaction;
    text_ += '{';
    field("index");
    number(event.index);
    if (event.time >= 0) {
      field("time");
      number(event.time);
    }
    field("type");
    word(kTypes[static_cast<std::size_t>(event.type)]);
    field("process");
    number(processes_[history_.session(t).index]);
    field("f");
    word(is_lone_compare_and_set(t) ? "cas" : "txn");
    field("value");
    write_value(event);
    if (at_last_event_) write_hints(t);
    text_ += '}';
  }

  void write_columns(const JepsenEvent& event) {
    const TransactionId t = event.transaction;
    number(processes_[history_.session(t).index]);
    text_ += '\t';
    word(kTypes[static_cast<std::size_t>(event.type)]);
    text_ += '\t';
    word(is_lone_compare_and_set(t) ? "cas" : "txn");
    text_ += '\t';
    write_value(event);
    if (event.index != place_++) lose(Loss::Label);
    const TransactionHints* hints = history_.hints(t);
    if (hints == nullptr || !at_last_event_) return;
    if (!hints->node.empty()) lose(Loss::Node);
    if (!hints->error.empty()) {
      text_ += '\t';
      quoted(hints->error);
    }
    lose_other_hints(*hints);
  }

  void write_value(const JepsenEvent& event) {
    const TransactionId t = event.transaction;
    if (is_lone_compare_and_set(t)) {
      write_compare_and_set(history_.operations(t)[0]);
    } else {
      text_ += '[';
      for (const OperationId op : history_.operations(t)) write_operation(event, op);
      text_ += ']';
    }
    if (at_last_event_) count_lost_members(t);
  }

  void write_operation(const JepsenEvent& event, OperationId op) {
    const OperationKind kind = history_.kind(op);
    const KeyId at = history_.key(op);
    const Value value = history_.value(op);
    switch (kind) {
      case OperationKind::Read:
      case OperationKind::ReadList:
        return write_read(event, at, value);
      case OperationKind::Write:
        return write_write(at, value);
      case OperationKind::Append:
        return write_micro("append", at, value);
      case OperationKind::Insert:
      case OperationKind::CompareAndSet:
        lose(kind == OperationKind::Insert ? Loss::Insert : Loss::CompareAndSet);
        write_read(event, at, kind == OperationKind::Insert ? Value::nil() : history_.expected(op));
        return write_write(at, value);
      case OperationKind::InsertMiss:
      case OperationKind::CompareAndSetMiss:
        lose(Loss::Miss);
        return write_read(event, at, value);
      case OperationKind::Delete:
        lose(Loss::Delete);
        return write_micro("w", at, Value::nil());
      default:
        return lose(Loss::PredicateOperation);
    }
  }

  void write_read(const JepsenEvent& event, KeyId at, Value seen) {
    const bool answered = event.type != Type::Invoke && event.type != Type::LoneInvoke;
    if (seen.is_unknown() && history_.outcome(event.transaction) == Outcome::Committed)
      return lose(Loss::UnknownRead);
    const Value value = answered ? spelled_read(at, seen) : Value::nil();
    if (event.type != Type::Ok && value.is_nil() && !seen.is_unknown()) lose(Loss::NilRead);
    write_micro("r", at, value);
  }

  void write_write(KeyId at, Value written) {
    note_written(written);
    write_micro("w", at, written);
  }
  void write_micro(std::string_view name, KeyId at, Value written) {
    separate();
    text_ += '[';
    word(name);
    separate();
    key(history_.key_value(at));
    separate();
    value(written);
    text_ += ']';
  }

  void write_compare_and_set(OperationId op) {
    const Value expected = history_.expected(op);
    note_written(history_.value(op));
    text_ += '[';
    key(history_.key_value(history_.key(op)));
    separate();
    text_ += '[';
    scalar(expected.is_unknown() ? expected : spelled_read(history_.key(op), expected));
    separate();
    scalar(history_.value(op));
    text_ += "]]";
  }

  void write_hints(TransactionId t) {
    const TransactionHints* hints = history_.hints(t);
    if (hints == nullptr) return;
    if (!hints->node.empty()) {
      field("node");
      quoted(hints->node);
    }
    if (!hints->error.empty()) {
      field("error");
      quoted(hints->error);
    }
    lose_other_hints(*hints);
  }

  void lose_other_hints(const TransactionHints& hints) {
    if (hints.start_timestamp || hints.commit_timestamp || !hints.server_transaction.empty() ||
        !hints.snapshot.empty())
      lose(Loss::Hint);
  }
  bool is_lone_compare_and_set(TransactionId t) const {
    const IdRange<OperationId> operations = history_.operations(t);
    return operations.size() == 1 && history_.kind(operations[0]) == OperationKind::CompareAndSet;
  }
  // How a value that was read is written: the initial value as nil, unless the history also writes that
  // value.
  Value spelled_read(KeyId at, Value seen) {
    if (seen.is_unknown() || seen.is_nil()) return Value::nil();
    if (seen != history_.initial_value()) return seen;
    if (!initial_value_written_[at.index]) return Value::nil();
    lose(Loss::InitialRead);
    return seen;
  }
  void note_written(Value written) {
    if (written.is_nil() && !history_.initial_value().is_nil()) lose(Loss::NilWrite);
  }

  void field(std::string_view name) {
    if (text_.back() != '{') text_ += spelling_.between_fields;
    text_ += spelling_.before_name;
    text_ += name;
    text_ += spelling_.after_name;
  }
  void word(std::string_view name) {
    text_ += spelling_.before_word;
    text_ += name;
    text_ += spelling_.after_word;
  }
  void number(std::int64_t value) { fmt::format_to(std::back_inserter(text_), "{}", value); }
  void quoted(std::string_view text) { append_json_string(text_, text); }
  void scalar(Value value) {
    switch (value.kind()) {
      case Value::Kind::Integer:
        return number(value.as_integer());
      case Value::Kind::Boolean:
        text_ += value.as_boolean() ? "true" : "false";
        return;
      case Value::Kind::Unknown:
        lose(Loss::UnknownValue);
        [[fallthrough]];
      case Value::Kind::Nil:
        text_ += spelling_.nil;
        return;
      case Value::Kind::Text:
        return quoted(history_.values().characters(value));
      case Value::Kind::Number:
        if (is_plain_number(history_.values().characters(value))) {
          text_ += history_.values().characters(value);
          return;
        }
        [[fallthrough]];
      case Value::Kind::Row:
        lose(Loss::Value);
        return quoted(history_.values().characters(value));
      case Value::Kind::List:
        lose(Loss::Value);
        return quoted(history_.format(value));
    }
  }

  void value(Value value) {
    if (!value.is_list()) return scalar(value);
    text_ += '[';
    for (const Value element : history_.values().elements(value)) {
      separate();
      scalar(element);
    }
    text_ += ']';
  }

  void key(Value value) {
    const bool keyword = spelling_.words_as_keywords && value.kind() == Value::Kind::Text &&
                         is_plain_word(history_.values().characters(value));
    if (!keyword) return scalar(value);
    word(history_.values().characters(value));
  }
  void separate() {
    if (text_.back() != '[') text_ += spelling_.between_elements;
  }
  // Counted at the last event of a transaction, so that an invocation and its completion count once.
  void lose(Loss loss) { losses_[static_cast<std::size_t>(loss)] += at_last_event_ ? 1 : 0; }
  void count_lost_members(TransactionId t) {
    for (const OperationId id : history_.operations(t)) {
      const Operation op = history_.operation(id);
      if (op.time != Interval{} || op.version || op.rows_matched || op.rows_changed)
        lose(Loss::OperationMember);
    }
  }
  void report() {
    for (std::size_t loss = 0; loss < losses_.size(); ++loss)
      if (losses_[loss] > 0) lossy_(fmt::format(fmt::runtime(kLossWords[loss]), losses_[loss]));
    if (spelling_.layout == JepsenSpelling::Layout::Columns && history_.has_times())
      lossy_("times become places in the file; what they order stays the same");
    if (!history_.facts().empty()) lossy_(fmt::format("dropped {} facts", history_.facts().size()));
  }
  void flush() {
    out_(text_);
    text_.clear();
  }

  const History& history_;
  const JepsenSpelling& spelling_;
  const ByteOutput& out_;
  const Notice& lossy_;
  std::string text_;
  std::vector<std::int64_t> processes_;      // By session.
  std::vector<bool> initial_value_written_;  // By key: the initial value may have been written to it.
  bool at_last_event_ = false;
  std::int64_t place_ = 0;  // Position of the next event in the file, for the layout in columns.
  std::array<std::uint64_t, static_cast<std::size_t>(Loss::Count)> losses_{};
};

}  // namespace

void write_jepsen(const History& history, const JepsenSpelling& spelling, const ByteOutput& out,
                  const Notice& lossy) {
  JepsenWriter(history, spelling, out, lossy).write();
}

}  // namespace serval
