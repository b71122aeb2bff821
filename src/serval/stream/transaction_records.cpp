#include "serval/stream/transaction_records.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace serval {
namespace {

class Appender {
 public:
  Appender(ClientFeed& feed, const TransactionLine& line)
      : batch_(feed.batch()), record_(line.record), pool_(line.pool), number_(line.number) {}

  void append() {
    const Interval whole = record_.interval;
    ends_by_ = outcome() == Outcome::Indeterminate ? kUnknownEnd : whole.end;
    begun_ = answered_ = whole.begin;
    add_begin();
    for (std::size_t i = 0; i < record_.ops.size(); ++i) add(record_.ops[i], i);
    Record& end = next();
    end.kind = outcome() == Outcome::Committed ? RecordKind::Commit
               : outcome() == Outcome::Aborted ? RecordKind::Abort
                                               : RecordKind::Indeterminate;
    end.time = {std::max(begun_, answered_), ends_by_};
    end.time.end = std::max(end.time.begin, end.time.end);
  }

 private:
  Outcome outcome() const { return record_.outcome.value_or(Outcome::Committed); }

  Record& next() {
    Record& record = batch_.add();
    record.transaction = number_;
    return record;
  }

  const JsonlRecord::Extra* extra(std::size_t index) const {
    if (index >= record_.ops.size()) return nullptr;
    const std::uint32_t extra = record_.ops[index].extra;
    return extra == JsonlRecord::kNoExtra ? nullptr : &record_.extras[extra];
  }
  // The invocation of the operation, if known.
  Time asked(std::size_t index) const {
    const JsonlRecord::Extra* const found = extra(index);
    return found == nullptr ? kUnknownBegin : found->time.begin;
  }
  // Upper bound of its completion: the invocation of a later operation or of the commit. The last
  // operation of a transaction that did not commit may have failed, without an effect or a lock.
  Time answered_by(std::size_t index) {
    next_asked_ = std::max(next_asked_, index + 1);
    while (next_asked_ < record_.ops.size() && asked(next_asked_) == kUnknownBegin) ++next_asked_;
    if (next_asked_ < record_.ops.size()) return asked(next_asked_);
    return outcome() == Outcome::Committed ? ends_by_ : kUnknownEnd;
  }

  void add_begin() {
    const TraceValue session = batch_.value(*record_.session, pool_);
    const TraceValue label = record_.label ? batch_.value(*record_.label, pool_)
                                           : TraceValue::of(static_cast<std::int64_t>(number_));
    Record& begin = next();
    begin.kind = RecordKind::Begin;
    begin.time.begin = begun_;
    begin.time.end = std::max(begun_, record_.ops.empty() || asked(0) == kUnknownBegin ? ends_by_ : asked(0));
    batch_.set_rows(begin, {{.key = session, .value = label, .column = {}}});
  }

  // Operations of one statement have the same time. One without times completed before the next
  // invocation.
  Interval time_of(std::size_t index) {
    const JsonlRecord::Extra* const found = extra(index);
    Interval time = found == nullptr ? Interval{} : found->time;
    const bool has_begin = time.begin != kUnknownBegin;
    if (!has_begin) time.begin = std::max(begun_, answered_);
    if (time.end == kUnknownEnd) time.end = std::max(time.begin, answered_by(index));
    begun_ = std::max(begun_, time.begin);
    if (time.end != kUnknownEnd && has_begin) answered_ = std::max(answered_, time.end);
    return {begun_, std::max(begun_, time.end)};
  }

  void add(const JsonlRecord::Op& op, std::size_t index) {
    rows_.clear();
    const JsonlRecord::Extra* const found = extra(index);
    if (is_predicate(op.kind)) {
      for (const auto& [key, value] : found->rows) add_row(key, value);
    } else {
      if (is_conditional(op.kind)) add_row(op.key, found->expected);
      add_row(op.key, op.value);
    }
    const TracePredicate* predicate = nullptr;
    if (found != nullptr && found->predicate) {
      Predicate tree = *found->predicate;
      adopt_literals(tree, pool_, batch_.literals());
      predicate = batch_.predicate(std::move(tree));
    }
    const Interval time = time_of(index);
    Record& record = next();
    record.kind = RecordKind::Operation;
    record.operation = op.kind;
    record.time = time;
    record.predicate = predicate;
    batch_.set_rows(record, rows_);
    if (found == nullptr) return;
    record.lock = found->lock;
    record.rows_matched = counted(found->matched);
    record.rows_changed = counted(found->changed);
  }

  static std::int32_t counted(std::optional<std::int64_t> rows) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    return rows ? static_cast<std::int32_t>(std::clamp(*rows, std::int64_t{0}, kMost)) : Record::kUnstated;
  }

  void add_row(Value key, Value value) {
    rows_.push_back({batch_.value(key, pool_), batch_.value(value, pool_), {}});
  }

  RecordBatch& batch_;
  const JsonlRecord& record_;
  const ValuePool& pool_;
  std::uint64_t number_;
  std::vector<RecordRow> rows_;
  Time begun_ = 0;     // The next operation did not begin before.
  Time answered_ = 0;  // The last known completion.
  Time ends_by_ = 0;
  std::size_t next_asked_ = 0;  // The first later operation with a known begin.
};

}  // namespace

void append_transaction(ClientFeed& feed, const TransactionLine& line) { Appender(feed, line).append(); }

std::optional<std::string> find_time_contradiction(const JsonlRecord& transaction, Time tolerance) {
  const auto is_before = [tolerance](Time time, Time other) {
    return time != kUnknownBegin && other >= kUnknownBegin + tolerance && time < other - tolerance;
  };
  const Interval whole = transaction.interval;
  if (is_before(whole.end, whole.begin))
    return fmt::format("it ends at {}, before it begins at {}", whole.end, whole.begin);
  Time latest = whole.begin;  // The begin of the transaction, or the latest call so far.
  for (std::size_t i = 0; i < transaction.ops.size(); ++i) {
    if (transaction.ops[i].extra == JsonlRecord::kNoExtra) continue;
    const Interval time = transaction.extras[transaction.ops[i].extra].time;
    const auto tell = [i](const std::string& problem) {
      return fmt::format("operation {} {}", i + 1, problem);
    };
    if (is_before(time.end, time.begin))
      return tell(fmt::format("is answered at {}, before it is called at {}", time.end, time.begin));
    if (is_before(time.begin, whole.begin))
      return tell(
          fmt::format("is called at {}, before the transaction begins at {}", time.begin, whole.begin));
    if (is_before(time.begin, latest))
      return tell(fmt::format("is called at {}, before an earlier one at {}", time.begin, latest));
    const Time last = time.end == kUnknownEnd ? time.begin : time.end;
    if (is_before(whole.end, last))
      return tell(fmt::format("is at {}, after the transaction ends at {}", last, whole.end));
    latest = std::max(latest, time.begin);
  }
  return std::nullopt;
}

}  // namespace serval
