#include "serval/recording/session_log.h"

#include <utility>

#include "serval/recording/line_text.h"

namespace serval {
namespace {

using Kind = Request::Kind;

void put_hint(std::string& line, std::string_view name, const std::string& text) {
  if (text.empty()) return;
  put_all(line, ",\"", name, "\":");
  put_quoted(line, text);
}

void put_hints(std::string& line, const TransactionHints& hints) {
  if (hints.start_timestamp) put_all(line, ",\"start_ts\":", *hints.start_timestamp);
  if (hints.commit_timestamp) put_all(line, ",\"commit_ts\":", *hints.commit_timestamp);
  put_hint(line, "server_txn", hints.server_transaction);
  put_hint(line, "snapshot", hints.snapshot);
  put_hint(line, "node", hints.node);
  put_hint(line, "error", hints.error);
}

void put_list(std::string& to, const std::vector<std::int64_t>& list) {
  to += '[';
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i != 0) to += ',';
    put(to, list[i]);
  }
  to += ']';
}

std::string_view letter_of(const Request& request, const Answer& answer) {
  switch (request.kind) {
    case Kind::Read:
      return "r";
    case Kind::Write:
      return "w";
    case Kind::Append:
      return "a";
    case Kind::ReadList:
      return "l";
    case Kind::Insert:
      return answer.applied ? "i" : "i!";
    case Kind::Delete:
      return answer.applied ? "d" : "r";
    case Kind::CompareAndSet:
      return answer.applied ? "cas" : "cas!";
    case Kind::Scan:
      return "pr";
    case Kind::UpdateRange:
      return "pu";
    case Kind::DeleteRange:
      return "pd";
    case Kind::Update:
      return "r";  // And a write, if there was a row.
  }
  return {};
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
void SessionLog::put_written(std::string& to, const Request& request, std::string_view letter) const {
  if (only_reads(request.kind) || is_range(request.kind)) return;
  const bool deletes = request.kind == Kind::Delete;
  put_comma(to);
  put_all(to, "[\"", deletes ? "d" : request.kind == Kind::Append ? "a" : letter, "\",");
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
  put_written(open_writes_, request, "w");
}

void SessionLog::open_item(std::string_view kind) {
  put_comma(operations_);
  put_all(operations_, "[\"", kind, "\",");
}

void SessionLog::close_item(const Request& request, Time end) {
  put_times(request, end);
  operations_ += "}]";
}

void SessionLog::put_times(const Request& request, Time end) {
  put_all(operations_, ",{\"at\":[", asked_, ",");
  end == kUnknownEnd ? put(operations_, "null") : put(operations_, end);
  put(operations_, request.locks ? "],\"lock\":\"exclusive\"" : "]");
}

void SessionLog::complete(const Request& request, const Answer& answer, Time at) {
  surely_wrote_ = surely_wrote_ || wrote(request, answer);
  if (is_range(request.kind)) return add_range(request, answer, at);
  if (tells_a_row(request, answer) && answer.rows.size() > 1) return add_range(scan_of(request), answer, at);
  open_item(letter_of(request, answer));
  text_.put_key(operations_, request.table, request.key);
  put_values(operations_, request, answer);
  put_times(request, at);
  if (letter_of(request, answer) == "r") put_sight(answer);  // If no row shows what was seen.
  operations_ += "}]";
  if (request.kind != Kind::Update || !answer.applied) return;
  open_item("w");
  text_.put_key(operations_, request.table, request.key);
  operations_ += ',';
  text_.put_written(operations_, request);
  close_item(request, at);
}

void SessionLog::add_range(const Request& request, const Answer& answer, Time end) {
  open_item(letter_of(request, answer));
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
  put_times(request, end);
  if (end != kUnknownEnd) put_answered(request, answer);
  operations_ += "}]";
}

// For a range: what the server reported besides the rows.
void SessionLog::put_answered(const Request& request, const Answer& answer) {
  if (answer.matched) put_all(operations_, ",\"matched\":", *answer.matched);
  if (answer.changed) put_all(operations_, ",\"changed\":", *answer.changed);
  if (request.function != Request::Function::None) {
    put(operations_, ",\"result\":");
    answer.result ? put(operations_, *answer.result) : put(operations_, "null");
  }
  put_sight(answer);
}

void SessionLog::put_sight(const Answer& answer) {
  if (!answer.snapshot.empty())
    put_all(operations_, ",\"saw\":{\"snapshot\":\"", answer.snapshot, "\"}");
  else if (answer.timestamp)
    put_all(operations_, ",\"saw\":{\"ts\":", *answer.timestamp, "}");
  else if (answer.saw_the_end)
    sights_.push_back(operations_.size());
}

// Inserts what operations saw, known only now, from the last to the first.
void SessionLog::put_late_sights(std::optional<std::int64_t> seen) {
  if (seen && !sights_.empty()) {
    std::string text;
    put_all(text, ",\"saw\":{\"ts\":", *seen, "}");
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
  put_written(operations_, request, request.kind == Kind::Insert ? "i" : "w");
}

void SessionLog::put_open_line(std::string& to) const {
  put_all(to, "{\"event\":\"open\",\"s\":", label_, ",\"t\":", transaction_, ",\"at\":", begin_, ",\"ops\":[",
          open_writes_, "]}\n");
}

void SessionLog::end(Outcome outcome, Time at, const TransactionHints& hints,
                     std::optional<std::int64_t> seen) {
  put_late_sights(seen);
  note(outcome, hints);
  line_.clear();
  put_all(line_, "{\"s\":", label_, ",\"t\":", transaction_, ",\"ops\":[", operations_,
          "],\"begin\":", begin_, ",\"end\":", at);
  if (outcome != Outcome::Committed) put_all(line_, ",\"outcome\":\"", name_of(outcome), "\"");
  put_hints(line_, hints);
  line_ += "}\n";
  operations_.clear();
  const std::lock_guard lock(handing_over_);
  open_ = false;
  lines_ += line_;
  if (!open_writes_.empty() && outcome != Outcome::Aborted) put_open_line(ended_writes_);
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
  if (!open_writes_.empty()) put_open_line(into);
}

}  // namespace serval
