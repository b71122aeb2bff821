#include <algorithm>
#include <optional>
#include <vector>

#include "serval/formats/lines/line_reader.h"
#include "serval/formats/register_view.h"
#include "serval/formats/text/text_formats.h"
#include "serval/history/history_builder.h"

namespace serval {
namespace {

class AwditReader {
 public:
  AwditReader(ByteStream& stream, const ReadOptions& options) : options_(options), lines_(stream, options) {}

  History read() {
    while (lines_.next_whole(options_)) {
      lines_.notice_cut(options_);
      LineCursor cursor = lines_.cursor();
      cursor.skip_blanks();
      if (!cursor.at_end()) parse(cursor);
    }
    return std::move(builder_).freeze();
  }

 private:
  void parse(LineCursor& cursor) {
    if (cursor.peek() == '=') {
      skip_rule(cursor, "=");
      session_.reset();
      transaction_.reset();
    } else if (cursor.peek() == '-') {
      skip_rule(cursor, "-");
      transaction_.reset();
    } else {
      operation(cursor);
    }
  }

  static void skip_rule(LineCursor& cursor, std::string_view dash) {
    while (cursor.accept(dash)) continue;
    cursor.expect_end("after the separator");
  }

  void operation(LineCursor& cursor) {
    OperationKind kind = OperationKind::Read;
    if (cursor.accept("w")) {
      kind = OperationKind::Write;
    } else if (!cursor.accept("r")) {
      cursor.fail("expected \"r key value\", \"w key value\", \"---\" or \"===\"");
    }
    const Value key = number_in(cursor, "the key");
    const Value value = number_in(cursor, "the value");
    cursor.expect_end("after the value");
    builder_.add(transaction(), kind, builder_.key(key), value);
  }
  Value number_in(LineCursor& cursor, std::string_view what) {
    if (!cursor.starts_with(" ") && !cursor.starts_with("\t"))
      cursor.fail("expected a space before " + std::string(what));
    cursor.skip_blanks();
    return cursor.number(builder_.values(), what);
  }

  // Sessions and transactions begin with their first operation, so repeated separators have no effect.
  TransactionId transaction() {
    const auto numbered = [](std::size_t count) { return Value::integer(static_cast<std::int64_t>(count)); };
    if (!session_) session_ = builder_.session(numbered(session_count_++));
    if (!transaction_)
      transaction_ = builder_.begin_transaction(*session_, numbered(builder_.transaction_count()));
    return *transaction_;
  }

  const ReadOptions& options_;
  LineReader lines_;
  HistoryBuilder builder_;
  std::size_t session_count_ = 0;
  std::optional<SessionId> session_;
  std::optional<TransactionId> transaction_;
};

class AwditWriter {
 public:
  AwditWriter(const History& history, Losses& losses)
      : history_(history), view_(history, kRules, losses), keys_(view_.number_keys(losses)) {
    for (const SessionId session : history.sessions())
      if (written(session).empty()) losses.add("sessions without transactions left out");
    find_initial_reads(losses);
    count_dropped_labels(history, view_, losses);
  }

  void write(const ByteOutput& out) {
    write_initial_session();
    for (const SessionId session : history_.sessions()) {
      const std::vector<TransactionId> transactions = written(session);
      if (transactions.empty()) continue;
      if (begun_) text_ += "=====\n";
      for (const TransactionId t : transactions) {
        if (t != transactions.front()) text_ += "-----\n";
        append(t);
        flush(out, 1 << 16);
      }
    }
    flush(out, 0);
  }

 private:
  static constexpr RegisterRules kRules{.initial = RegisterRules::Initial::Written,
                                        .integers = RegisterRules::Integers::Natural,
                                        .aborted = RegisterRules::Aborted::LeftOut};

  std::vector<TransactionId> written(SessionId session) const {
    std::vector<TransactionId> transactions;
    for (const TransactionId t : history_.session_transactions(session))
      if (view_.contains(t)) transactions.push_back(t);
    return transactions;
  }

  void find_initial_reads(Losses& losses) {
    initially_read_.assign(history_.key_count(), false);
    bool any = false;
    for (const TransactionId t : history_.transactions()) {
      if (!view_.contains(t)) continue;
      view_.steps(t, steps_);
      for (const RegisterStep& step : steps_) {
        if (!step.value.is_nil()) continue;
        any = initially_read_[step.key.index] = true;
      }
    }
    if (!any) return;
    initial_ = view_.unused_number();
    const auto keys = static_cast<std::size_t>(std::ranges::count(initially_read_, true));
    losses.add("keys given an initial write by a first session of their own", keys);
  }

  void write_initial_session() {
    for (const KeyId key : history_.key_ids())
      if (initially_read_[key.index]) append({OperationKind::Write, key, initial_});
  }

  void append(TransactionId t) {
    view_.steps(t, steps_);
    for (const RegisterStep& step : steps_) append(step);
  }
  void append(const RegisterStep& step) {
    text_ += step.kind == OperationKind::Write ? "w " : "r ";
    append_number(text_, history_.values(), keys_[step.key.index]);
    text_ += ' ';
    append_number(text_, history_.values(), step.value.is_nil() ? initial_ : step.value);
    text_ += '\n';
    begun_ = true;
  }
  void flush(const ByteOutput& out, std::size_t above) {
    if (text_.size() <= above) return;
    out(text_);
    text_.clear();
  }

  const History& history_;
  RegisterView view_;
  std::vector<Value> keys_;
  std::vector<bool> initially_read_;  // By key.
  Value initial_;                     // What the first session writes, if it is needed.
  std::vector<RegisterStep> steps_;
  std::string text_;
  bool begun_ = false;
};

}  // namespace

bool looks_like_awdit(std::string_view start) {
  start.remove_prefix(std::min(start.find_first_not_of("-= \t\r\n"), start.size()));
  if (!start.starts_with('r') && !start.starts_with('w')) return false;
  const std::size_t next = start.find_first_not_of(" \t", 1);
  return next != std::string_view::npos && next > 1 &&
         (start[next] == '-' || (start[next] >= '0' && start[next] <= '9'));
}

History read_awdit(ByteStream& stream, const ReadOptions& options) {
  return AwditReader(stream, options).read();
}

void write_awdit(const History& history, const ByteOutput& out, const Notice& lossy) {
  write_with_losses<AwditWriter>(history, out, lossy);
}

}  // namespace serval
