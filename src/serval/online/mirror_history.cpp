#include "serval/online/mirror_history.h"

#include <algorithm>

namespace serval::online {
namespace {

class Writer {
 public:
  explicit Writer(const History& history) : history_(history) {
    records_.reserve(history.operation_count() + 2 * history.transaction_count() + 1);
    uses_labels_ = keeps_labels(history);
  }

  void add_initial() {
    if (history_.initial_value().is_nil()) return;
    Record& record = records_.emplace_back();
    record.kind = RecordKind::Initial;
    record.time = {kUnknownBegin, kUnknownBegin};
    batch_.set_rows(record, {{.key = {}, .value = value(history_.initial_value())}});
  }

  void add(TransactionId t) {
    const Interval whole = history_.interval(t);
    Interval before{whole.begin, whole.end};  // From the begin to the first operation, or to the end.
    Time last_answer = whole.begin, last_call = whole.begin;
    const std::size_t first = records_.size();
    start(RecordKind::Begin, t, before);
    for (const OperationId op : history_.operations(t)) {
      Record& record = start(RecordKind::Operation, t, whole);
      fill(record, op, whole, last_answer);
      last_call = std::max(last_call, record.time.begin);
      if (record.time.end == kUnknownEnd) continue;
      last_answer = history_.has_operation_times() ? std::max(last_answer, record.time.end) : whole.begin;
    }
    if (records_.size() > first + 1 && history_.has_operation_times())
      records_[first].time.end = std::max(whole.begin, records_[first + 1].time.begin);
    const Outcome outcome = history_.outcome(t);
    Record& end = start(outcome == Outcome::Committed ? RecordKind::Commit
                        : outcome == Outcome::Aborted ? RecordKind::Abort
                                                      : RecordKind::Indeterminate,
                        t, {std::min(std::max(last_answer, last_call), whole.end), whole.end});
    if (outcome == Outcome::Indeterminate) end.time.end = kUnknownEnd;
  }

  // Before finish(), while the records of a session are adjacent and in program order.
  void widen(Time error) {
    const Record* last = nullptr;
    for (Record& record : records_) {
      if (record.kind == RecordKind::Initial) continue;
      Interval& time = record.time;
      time.begin = time.begin < kUnknownBegin + error ? kUnknownBegin : time.begin - error;
      if (last != nullptr && last->session == record.session)
        time.begin = std::max(time.begin, last->time.begin);
      time.end = std::max(time.end > kUnknownEnd - error ? kUnknownEnd : time.end + error, time.begin);
      last = &record;
    }
  }

  HistoryRecords finish() && {
    const auto by_begin = [](const Record& a, const Record& b) { return a.time.begin < b.time.begin; };
    std::ranges::stable_sort(records_, by_begin);
    return std::move(out_);
  }

 private:
  Record& start(RecordKind kind, TransactionId t, Interval time) {
    Record& record = records_.emplace_back();
    record.kind = kind;
    record.session = history_.session(t).index;
    record.transaction = uses_labels_ ? static_cast<std::uint64_t>(history_.label(t).as_integer())
                                      : t.index + std::uint64_t{1};
    record.time = time;
    return record;
  }

  TraceValue value(Value value) { return batch_.value(value, history_.values()); }
  TraceValue key(KeyId key) { return value(history_.key_value(key)); }

  // If other operations have times, one without was never completed.
  void fill(Record& record, OperationId op, const Interval& whole, Time last_answer) {
    record.operation = history_.kind(op);
    const bool has_one_row = !is_predicate(record.operation) && !is_conditional(record.operation);
    if (has_one_row && !history_.has_operation_times() && !history_.has_rare_members()) {
      batch_.set_rows(record, {{.key = key(history_.key(op)), .value = value(history_.value(op))}});
      return;
    }
    const Operation operation = history_.operation(op);
    const bool timed = history_.has_operation_times() && operation.time.begin != kUnknownBegin;
    record.time = timed                            ? operation.time
                  : history_.has_operation_times() ? Interval{last_answer, kUnknownEnd}
                                                   : whole;
    if (operation.rows_matched) record.rows_matched = static_cast<std::int32_t>(*operation.rows_matched);
    if (operation.rows_changed) record.rows_changed = static_cast<std::int32_t>(*operation.rows_changed);
    rows_.clear();
    if (is_predicate(record.operation)) {
      if (!operation.predicate.is_none())
        record.predicate = &out_.predicates.emplace_back(
            TracePredicate{history_.predicate(operation.predicate), &history_.values()});
      for (const Row& row : operation.rows) rows_.push_back({key(row.key), value(row.value), {}});
    } else {
      if (is_conditional(record.operation))
        rows_.push_back({key(operation.key), value(operation.expected), {}});
      rows_.push_back({key(operation.key), value(operation.value), {}});
    }
    batch_.set_rows(record, rows_);
  }

  const History& history_;
  HistoryRecords out_;
  RecordBatch& batch_ = out_.batch;
  std::vector<Record>& records_ = out_.records;
  std::vector<RecordRow> rows_;
  bool uses_labels_ = false;
};

// Records carry numbers of sessions; reports show their labels.
void name_sessions(Derivation& derivation, const History& history) {
  for (CitedRecord& record : derivation.records) {
    if (record.transaction == 0) continue;
    const Value label = history.session_label(SessionId{record.session});
    record.session_label_is_number = label.is_integer();
    record.session_label = label.kind() == Value::Kind::Text ? std::string(history.values().characters(label))
                                                             : history.format(label);
  }
}

}  // namespace

bool keeps_labels(const History& history) {
  std::vector<std::int64_t> numbers;
  for (const TransactionId t : history.transactions()) {
    const Value label = history.label(t);
    if (!label.is_integer() || label.as_integer() < 1) return false;
    numbers.push_back(label.as_integer());
  }
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) == numbers.end();
}

HistoryRecords records_of(const History& history, Budget* budget, Time clock_error) {
  Writer writer(history);
  writer.add_initial();
  for (const SessionId s : history.sessions())
    for (const TransactionId t : history.session_transactions(s)) {
      if (budget != nullptr) budget->poll("records");
      writer.add(t);
    }
  if (clock_error > 0) writer.widen(clock_error);
  return std::move(writer).finish();
}

OnlineResult mirror_history(const History& history, const Profile& profile, const OnlineOptions& options,
                            Budget* budget, Time clock_error) {
  const HistoryRecords records = records_of(history, budget, clock_error);
  OnlineVerifier verifier(profile, options);
  for (const Record& record : records.records) {
    if (budget != nullptr) budget->poll("mirror");
    verifier.accept(record);
  }
  OnlineResult result = verifier.finish();
  for (Violation& violation : result.violations)
    for (Derivation* derivation : {&violation.first, &violation.second}) name_sessions(*derivation, history);
  return result;
}

}  // namespace serval::online
