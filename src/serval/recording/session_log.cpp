#include "serval/recording/session_log.h"

#include "serval/formats/native/jsonl_line.h"

namespace serval {
namespace {

using Kind = Request::Kind;

void put_list(std::string& to, const std::vector<std::int64_t>& list) {
  to += '[';
  for (const std::int64_t number : list) {
    put_separator(to);
    put(to, number);
  }
  to += ']';
}

OperationKind kind_of(const Request& request, const Answer& answer) {
  switch (request.kind) {
    case Kind::Read:
    case Kind::Update:  // And a write, if there was a row.
      return OperationKind::Read;
    case Kind::Write:
      return OperationKind::Write;
    case Kind::Append:
      return OperationKind::Append;
    case Kind::ReadList:
      return OperationKind::ReadList;
    case Kind::Insert:
      return answer.applied ? OperationKind::Insert : OperationKind::InsertMiss;
    case Kind::Delete:
      return answer.applied ? OperationKind::Delete : OperationKind::Read;
    case Kind::CompareAndSet:
      return answer.applied ? OperationKind::CompareAndSet : OperationKind::CompareAndSetMiss;
    case Kind::Scan:
      return OperationKind::PredicateRead;
    case Kind::UpdateRange:
      return OperationKind::PredicateUpdate;
    case Kind::DeleteRange:
      return OperationKind::PredicateDelete;
  }
  return OperationKind::Read;
}

// Whether a completed request creates a version if its transaction commits.
bool wrote(const Request& request, const Answer& answer) {
  if (only_reads(request.kind)) return false;
  return is_range(request.kind) ? !answer.rows.empty() : answer.applied;
}

bool tells_a_row(const Request& request, const Answer& answer) {
  const bool refused =
      !answer.applied && (request.kind == Kind::Insert || request.kind == Kind::CompareAndSet);
  return request.kind == Kind::Read || refused;
}

// A range read of one key, for a request that found several rows under it; a point read has only one.
Request scan_of(const Request& read) {
  Request scan = read;
  scan.kind = Kind::Scan;
  scan.column = Request::kKey;
  scan.low = scan.high = static_cast<std::int64_t>(read.key);
  return scan;
}

}  // namespace

// The part between the key and the times, with a leading comma.
void SessionLog::put_values(std::string& to, const Request& request, const Answer& answer) const {
  if (request.kind == Kind::Delete) return put(to, answer.applied ? "" : ",null");
  to += ',';
  if (request.kind == Kind::CompareAndSet) put_all(to, request.expected, ",");
  if (request.kind == Kind::ReadList) return put_list(to, answer.list);
  if (request.kind == Kind::Append) return put(to, request.tag);
  const bool reads = request.kind == Kind::Update || tells_a_row(request, answer);
  if (!reads) return text_.put_written(to, request);
  if (answer.rows.empty()) return put(to, "null");
  const Answer::Row& row = answer.rows.front();
  text_.put_value(to, request.table, row.tag, row.columns);
}

void SessionLog::begin(Time at) {
  transaction_ = ++last_transaction_;
  const std::lock_guard lock(handing_over_);
  begin_ = std::max(at, promised_);
  open_ = true;
}

// Only the response shows whether an insert, a compare-and-set or a range writes, and what. But others
// may see the write before the response arrives, so it counts as written.
void SessionLog::put_written(std::string& to, const Request& request, OperationKind kind) const {
  if (only_reads(request.kind) || is_range(request.kind)) return;
  const bool deletes = request.kind == Kind::Delete;
  put_operation_start(to, deletes                        ? OperationKind::Delete
                          : request.kind == Kind::Append ? OperationKind::Append
                                                         : kind);
  text_.put_key(to, request.table, request.key);
  if (!deletes) to += ',';
  if (request.kind == Kind::Append)
    put(to, request.tag);
  else if (!deletes)
    text_.put_written(to, request);
  to += ']';
}

void SessionLog::invoke(const Request& request, Time at) {
  asked_ = at;
  if (only_reads(request.kind)) return;
  if (keeps_ledger_) tags_.push_back(request.tag);
  if (is_range(request.kind)) return;
  const std::lock_guard lock(handing_over_);
  put_written(open_writes_, request, OperationKind::Write);
}

void SessionLog::put_options(const Request& request, Time end) {
  put_options_start(operations_, {asked_, end});
  if (request.locks) put_exclusive_lock(operations_);
}

void SessionLog::complete(const Request& request, const Answer& answer, Time at) {
  surely_wrote_ = surely_wrote_ || wrote(request, answer);
  if (is_range(request.kind)) return add_range(request, answer, at);
  if (tells_a_row(request, answer) && answer.rows.size() > 1) return add_range(scan_of(request), answer, at);
  const OperationKind kind = kind_of(request, answer);
  put_operation_start(operations_, kind);
  text_.put_key(operations_, request.table, request.key);
  put_values(operations_, request, answer);
  put_options(request, at);
  if (kind == OperationKind::Read) put_sight(answer);  // If no row shows what was seen.
  put_options_end(operations_);
  if (request.kind != Kind::Update || !answer.applied) return;
  put_operation_start(operations_, OperationKind::Write);
  text_.put_key(operations_, request.table, request.key);
  operations_ += ',';
  text_.put_written(operations_, request);
  put_options(request, at);
  put_options_end(operations_);
}

void SessionLog::add_range(const Request& request, const Answer& answer, Time end) {
  put_operation_start(operations_, kind_of(request, answer));
  text_.put_predicate(operations_, request);
  operations_ += ",[";
  for (std::size_t i = 0; i < answer.rows.size(); ++i) {
    const Answer::Row& row = answer.rows[i];
    operations_ += i == 0 ? "[" : ",[";
    text_.put_key(operations_, request.table, row.key);
    if (request.kind != Kind::DeleteRange) {
      operations_ += ',';
      text_.put_value(operations_, request.table, request.kind == Kind::UpdateRange ? request.tag : row.tag,
                      row.columns);
    }
    operations_ += ']';
  }
  operations_ += ']';
  put_options(request, end);
  if (end != kUnknownEnd) put_answered(request, answer);
  put_options_end(operations_);
}

// For a range: what the server reported besides the rows.
void SessionLog::put_answered(const Request& request, const Answer& answer) {
  put_counts(operations_, answer.matched, answer.changed);
  if (request.function != Request::Function::None)
    answer.result ? put_result(operations_, *answer.result) : put_result(operations_, "null");
  put_sight(answer);
}

void SessionLog::put_sight(const Answer& answer) {
  if (!answer.snapshot.empty())
    put_saw(operations_, answer.snapshot);
  else if (answer.timestamp)
    put_saw(operations_, *answer.timestamp);
  else if (answer.saw_the_end)
    sights_.push_back(operations_.size());
}

// Inserts what operations saw, known only now, from the last to the first.
void SessionLog::put_late_sights(std::optional<std::int64_t> seen) {
  if (seen && !sights_.empty()) {
    std::string text = ",";
    put_saw(text, *seen);
    for (auto at = sights_.rbegin(); at != sights_.rend(); ++at) operations_.insert(*at, text);
  }
  sights_.clear();
}

void SessionLog::note(Outcome outcome, const TransactionHints& hints) {
  const bool lost = outcome == Outcome::Indeterminate;
  if (keeps_ledger_ && (lost || (outcome == Outcome::Committed && !hints.server_transaction.empty())))
    ledger_.push_back({.session = label_,
                       .transaction = transaction_,
                       .outcome = outcome,
                       .server_transaction = hints.server_transaction,
                       .tags = lost ? tags_ : std::vector<std::int64_t>{},
                       .surely_wrote = surely_wrote_});
  tags_.clear();
  surely_wrote_ = false;
}

// A read that never completed is left out; a write may have taken effect. An insert counts as one: it is
// the last operation, so if the transaction took effect, the insert did too.
void SessionLog::lose(const Request& request) {
  if (request.kind == Kind::UpdateRange || request.kind == Kind::DeleteRange)
    return add_range(request, {}, kUnknownEnd);
  put_written(operations_, request,
              request.kind == Kind::Insert ? OperationKind::Insert : OperationKind::Write);
}

void SessionLog::end(Outcome outcome, Time at, const TransactionHints& hints,
                     std::optional<std::int64_t> seen) {
  put_late_sights(seen);
  note(outcome, hints);
  line_.clear();
  put_transaction_start(line_, label_, transaction_);
  line_ += operations_;
  put_transaction_end(line_, {begin_, at}, outcome, &hints, JsonBytes::Printable);
  operations_.clear();
  const std::lock_guard lock(handing_over_);
  open_ = false;
  lines_ += line_;
  if (!open_writes_.empty() && outcome != Outcome::Aborted)
    put_open_line(ended_writes_, label_, transaction_, begin_, open_writes_);
  open_writes_.clear();
}

Time SessionLog::take_lines(std::string& into, Time now) {
  const std::lock_guard lock(handing_over_);
  into += lines_;
  lines_.clear();
  ended_writes_.clear();
  if (open_) return begin_;
  promised_ = std::max(promised_, now);
  return promised_;
}

void SessionLog::peek_writes(std::string& into) {
  const std::lock_guard lock(handing_over_);
  into += ended_writes_;
  if (!open_writes_.empty()) put_open_line(into, label_, transaction_, begin_, open_writes_);
}

}  // namespace serval
