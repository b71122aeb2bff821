#include <algorithm>

#include <fmt/format.h>

#include "serval/base/byte_order.h"
#include "serval/formats/byte_reader.h"
#include "serval/formats/dbcop/dbcop.h"
#include "serval/formats/dbcop/dbcop_history.h"

namespace serval {
namespace {

constexpr std::size_t kNumbers = 5;  // Before the texts.
constexpr std::size_t kEventSize = 18;
constexpr std::uint64_t kLongestText = 1 << 16;

Value unsigned_value(ValuePool& pool, std::uint64_t number) {
  if (number <= static_cast<std::uint64_t>(Value::kMaxInline))
    return Value::integer(static_cast<std::int64_t>(number));
  return pool.number(fmt::format_int(number).str());
}

class BincodeReader {
 public:
  BincodeReader(ByteStream& stream, const ReadOptions& options)
      : options_(options), bytes_(stream, options) {}

  History read() {
    for (std::size_t i = 0; i < kNumbers; ++i) number("the parameters");
    for (const char* fact : {kDbcopInfo, kDbcopStart, kDbcopEnd}) history_.set_fact(fact, text());
    for (std::uint64_t sessions = number("the number of sessions"); sessions > 0 && !cut_; --sessions)
      read_session();
    if (!cut_ && !bytes_.at_end())
      bytes_.fail(bytes_.position(), "expected the end of the file after the last session");
    return std::move(history_).finish(options_);
  }

 private:
  std::uint64_t number(std::string_view what) { return load_little_endian(bytes_.take(8, what)); }

  std::string text() {
    const std::uint64_t at = bytes_.position();
    const std::uint64_t length = number("the length of a text");
    if (length > kLongestText)
      bytes_.fail(at, fmt::format("expected the length of a text, but got {}", length));
    const char* const start = bytes_.take(static_cast<std::size_t>(length), "a text");
    return {start, static_cast<std::size_t>(length)};
  }

  bool truth(const char* byte, std::uint64_t at, std::string_view what) const {
    if (*byte != 0 && *byte != 1)
      bytes_.fail(at, fmt::format("expected 0 or 1 for {}, but got {}", what,
                                  static_cast<unsigned>(static_cast<unsigned char>(*byte))));
    return *byte == 1;
  }

  void read_session() {
    history_.begin_session();
    if (is_cut(8)) return;
    for (std::uint64_t left = number("the number of transactions"); left > 0 && !cut_; --left)
      read_transaction();
  }

  void read_transaction() {
    if (is_cut(8)) return;
    const std::uint64_t events = number("the number of events");
    history_.begin_transaction();
    for (std::uint64_t left = events; left > 0; --left) {
      if (is_cut(kEventSize)) return history_.leave_open();
      read_event();
    }
    if (is_cut(1)) return history_.leave_open();
    const std::uint64_t at = bytes_.position();
    const bool committed = truth(bytes_.take(1, "a transaction"), at, "whether it committed");
    history_.end_transaction(committed ? Outcome::Committed : Outcome::Aborted);
  }

  void read_event() {
    const std::uint64_t at = bytes_.position();
    const char* const event = bytes_.take(kEventSize, "an event");
    const bool writes = truth(event, at, "whether this event writes");
    if (!truth(event + 17, at + 17, "whether this event succeeded")) return history_.count_failed_event();
    history_.add(writes ? OperationKind::Write : OperationKind::Read,
                 unsigned_value(history_.values(), load_little_endian(event + 1)),
                 unsigned_value(history_.values(), load_little_endian(event + 9)));
  }

  bool is_cut(std::size_t size) {
    if (!options_.accept_truncated || bytes_.has(size)) return false;
    cut_ = true;
    if (options_.on_notice)
      options_.on_notice(fmt::format("the file is cut off at byte {}", bytes_.position()));
    return true;
  }

  const ReadOptions& options_;
  ByteReader bytes_;
  DbcopHistory history_;
  bool cut_ = false;
};

void append_text(std::string& out, std::string_view text) {
  append_little_endian(out, text.size());
  out += text;
}

class BincodeWriter {
 public:
  BincodeWriter(const History& history, Losses& losses)
      : history_(history), view_(history, kDbcopRules, losses), keys_(view_.number_keys(losses)) {
    count_dropped_labels(history, view_, losses);
  }

  void write(const ByteOutput& out) {
    append_header();
    for (const SessionId session : history_.sessions()) {
      const auto transactions = history_.session_transactions(session);
      append_little_endian(bytes_, static_cast<std::uint64_t>(std::ranges::count_if(
                                       transactions, [&](TransactionId t) { return view_.contains(t); })));
      for (const TransactionId t : transactions)
        if (view_.contains(t)) append(t);
      out(bytes_);
      bytes_.clear();
    }
    out(bytes_);
  }

 private:
  void append_header() {
    const DbcopHeader header = dbcop_header(history_, view_);
    for (const std::uint64_t number :
         {std::uint64_t{0}, header.sessions, header.variables, header.transactions, header.events})
      append_little_endian(bytes_, number);
    for (const std::string& text : {header.info, header.start, header.end}) append_text(bytes_, text);
    append_little_endian(bytes_, header.sessions);
  }

  void append(TransactionId t) {
    view_.steps(t, steps_);
    append_little_endian(bytes_, steps_.size());
    for (const RegisterStep& step : steps_) {
      const std::int64_t key = whole_number(history_.values(), keys_[step.key.index]);
      const std::int64_t value = step.value.is_nil() ? 0 : whole_number(history_.values(), step.value);
      bytes_ += step.kind == OperationKind::Write ? '\1' : '\0';
      append_little_endian(bytes_, static_cast<std::uint64_t>(key));
      append_little_endian(bytes_, static_cast<std::uint64_t>(value));
      bytes_ += '\1';
    }
    bytes_ += view_.is_aborted(t) ? '\0' : '\1';
  }

  const History& history_;
  RegisterView view_;
  std::vector<Value> keys_;  // By key.
  std::vector<RegisterStep> steps_;
  std::string bytes_;
};

bool is_text(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) >= ' ' || c == '\n'; });
}

}  // namespace

// Five small numbers and three texts. Eight bytes of text, read as a number, are never small.
bool looks_like_dbcop_bincode(std::string_view start) {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 32;
  for (std::size_t i = 0; i < kNumbers; ++i) {
    if (start.size() < 8 || load_little_endian(start.data()) >= kSmall) return false;
    start.remove_prefix(8);
  }
  for (int texts = 0; texts < 3; ++texts) {
    if (start.size() < 8) return false;
    const std::uint64_t length = load_little_endian(start.data());
    if (length > kLongestText || length > start.size() - 8) return false;
    if (!is_text(start.substr(8, static_cast<std::size_t>(length)))) return false;
    start.remove_prefix(8 + static_cast<std::size_t>(length));
  }
  return start.size() >= 8 && load_little_endian(start.data()) < kSmall;
}

History read_dbcop_bincode(ByteStream& stream, const ReadOptions& options) {
  return BincodeReader(stream, options).read();
}

void write_dbcop_bincode(const History& history, const ByteOutput& out, const Notice& lossy) {
  write_with_losses<BincodeWriter>(history, out, lossy);
}

}  // namespace serval
