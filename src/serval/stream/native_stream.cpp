#include "serval/stream/native_stream.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "serval/base/clock.h"
#include "serval/base/decimal_number.h"
#include "serval/base/error.h"
#include "serval/formats/lines/line_cursor.h"
#include "serval/stream/transaction_records.h"

namespace serval {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::size_t kMostSessions = 1 << 18;   // Per connection.
constexpr std::size_t kMostSpellings = 1 << 16;  // In the pool, before it is created anew,
constexpr std::size_t kMostPooled = 1 << 18;     // or this many bytes of lines.
constexpr std::size_t kLongestName = 1 << 12;    // Of a session or a key, from a connection.
constexpr std::size_t kCopiesOfName = 3;

Time later_by(Time time, Time span, Time more) {
  for (const Time each : {span, more}) time = time > kUnknownEnd - each ? kUnknownEnd : time + each;
  return time;
}

std::string with_line_end(std::string_view line) {
  std::string text(line);
  text += '\n';
  return text;
}

}  // namespace

NativeStream::NativeStream(std::string name, Intake& intake, Origin origin)
    : name_(std::move(name)),
      intake_(intake),
      origin_(origin),
      source_(intake.pipeline().open_source()),
      herald_(intake.pipeline().open_client(name_, source_, ClientFeed::Role::Herald)) {}

Time NativeStream::promised() const {
  Time least = herald_->promised();
  for (const auto& [label, session] : sessions_) least = std::min(least, session.feed->promised());
  return least;
}

void NativeStream::fail(const std::string& expected, std::size_t column) const {
  fail_in_line({name_, line_}, line_text_, column, "expected " + expected);
}

void NativeStream::take(std::string_view bytes) {
  intake_.bytes += bytes.size();
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      text_ += bytes;
      return;
    }
    if (text_.empty()) {
      line(bytes.substr(0, end));
    } else {
      text_ += bytes.substr(0, end + 1);
      const std::string whole = std::exchange(text_, {});
      line(std::string_view(whole).substr(0, whole.size() - 1));
    }
    bytes.remove_prefix(end + 1);
  }
}

bool NativeStream::take_last_line() {
  const std::string whole = with_line_end(std::exchange(text_, {}));
  const std::string_view last = std::string_view(whole).substr(0, whole.size() - 1);
  if (is_cut(last)) {
    ++unsynced_;
    return holding_ || complete_;
  }
  if (!last.empty()) line(last);
  return true;
}

// Any other mistake is reported when the line is parsed.
bool NativeStream::is_cut(std::string_view text) {
  JsonCursor at(text.data(), text.data() + text.size());
  try {
    if (!at.at_end()) parse_jsonl_record(at, pool_, record_);
  } catch (const JsonFailure& failure) {
    return failure.cut;
  }
  return false;
}

void NativeStream::take_line(std::string_view line_bytes) {
  intake_.bytes += line_bytes.size();
  const std::string whole = with_line_end(line_bytes);
  line(std::string_view(whole).substr(0, line_bytes.size()));
}

// Lines after a "sync" count only when the next "sync" arrives: one of them may have read what a missing
// line wrote.
void NativeStream::line(std::string_view text) {
  ++intake_.lines;
  const bool is_sync = begins_as_sync(text);
  const bool is_header = text.find(R"("serval":"history")") != std::string_view::npos;
  if (holding_ && !is_sync && !is_header) {
    held_.append(text);
    held_ += '\n';
    ++held_lines_;
    return;
  }
  if (is_header) {
    line_ += held_lines_;
    unsynced_ += std::exchange(held_lines_, 0);
    held_.clear();
  }
  std::string_view held = held_;
  for (std::size_t end = held.find('\n'); end != std::string_view::npos; end = held.find('\n')) {
    parse(held.substr(0, end));
    held.remove_prefix(end + 1);
  }
  held_.clear();
  held_lines_ = 0;
  parse(text);
  if (is_sync) holding_ = true;
}

void NativeStream::parse(std::string_view text) {
  ++line_;
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) return;
  if (pool_.spelling_count() + pool_.list_count() > kMostSpellings || pooled_ > kMostPooled) {
    pool_ = ValuePool();
    pooled_ = 0;
  }
  pooled_ += text.size();
  JsonCursor at(text.data(), text.data() + text.size());
  line_text_ = text;
  try {
    parse_jsonl_record(at, pool_, record_);
  } catch (const JsonFailure& failure) {
    fail(failure.expected, static_cast<std::size_t>(failure.at - text.data()) + 1);
  }
  accept();
  if (text.size() > kMostPooled) forget_line();
}

// Frees the memory of a very long line.
void NativeStream::forget_line() {
  line_text_ = std::string();
  record_ = JsonlRecord();
  pool_ = ValuePool();
  pooled_ = 0;
}

void NativeStream::accept() {
  using Kind = JsonlRecord::Kind;
  if (!seen_header_ && record_.kind != Kind::Header)
    fail("the header line, {\"serval\":\"history\",\"version\":1}, before any record");
  switch (record_.kind) {
    case Kind::Header:
      return header();
    case Kind::Transaction:
      return whole_transaction();
    case Kind::Begin:
      return begin();
    case Kind::Operation:
    case Kind::Open:
      return keep_line();
    case Kind::End:
      return end_transaction();
    case Kind::Sync:
    case Kind::Heartbeat:
      return promise();
    case Kind::Order:
    case Kind::Certificate:
    case Kind::Settled:
    case Kind::Unknown:
      return;
  }
}

// Our own recorder labels transactions with numbers that are unique in the run.
void NativeStream::header() {
  if (record_.version < 1 || record_.version > kVersion)
    fail(fmt::format("version {}, but this is {}", kVersion, record_.version));
  leave_open_transactions();
  Intake::Facts facts;
  if (origin_ == Origin::File)  // Clients do not choose the profile.
    for (const auto& [name, text] : record_.facts) facts[name] = text;
  trusts_labels_ = origin_ == Origin::File && facts.contains("clients") && facts.contains("workload");
  const std::string meaning = record_.initial ? pool_.format(*record_.initial) : std::string();
  const auto add = [&](RecordBatch& batch) {
    if (!record_.initial) return;
    const TraceValue value = batch.value(*record_.initial, pool_);
    batch.set_rows(batch.add(), {{.key = {}, .value = value, .column = {}}});
  };
  if (!intake_.start_with(add, meaning, facts) && (record_.initial || !seen_header_))
    fail(std::string("the same \"initial\" value as in the header ") +
         (seen_header_ ? "before" : "of the first source"));
  herald_->take_part();
  for (const Value label : record_.sessions) session_of(label);
  seen_header_ = true;
}

// Clients may use the monotonic clock or the time of day of this machine; it is unknown which.
void NativeStream::expect_past(Time time) const {
  if (origin_ == Origin::File) return;
  constexpr Time kMonth = Time{30} * 24 * 3600 * 1'000'000'000;
  const PipelineOptions& options = intake_.pipeline().options();
  const auto is_past = [&](Time now) {
    return time <= later_by(now, options.idle_after.count(), options.clock_error);
  };
  const Time day = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  if (is_past(now()) || (is_past(day) && time >= day - kMonth)) return;
  fail(fmt::format("times of the monotonic clock or the time of day, in nanoseconds, not later than now: {}",
                   time));
}

void NativeStream::expect_past_times() const {
  if (origin_ == Origin::File) return;
  Time last = record_.interval.begin;
  const auto look_at = [&](const Interval& time) {
    last = std::max(last, time.begin);
    if (time.end != kUnknownEnd) last = std::max(last, time.end);
  };
  look_at(record_.interval);
  for (const JsonlRecord::Op& op : record_.ops)
    if (op.extra != JsonlRecord::kNoExtra) look_at(record_.extras[op.extra].time);
  expect_past(last);
}

void NativeStream::expect_short(Value name) const {
  if (origin_ == Origin::File) return;
  const bool has_text = name.kind() == Value::Kind::Text || name.kind() == Value::Kind::Number ||
                        name.kind() == Value::Kind::Row;
  if (has_text && pool_.characters(name).size() > kLongestName)
    fail(fmt::format("sessions and keys of at most {} bytes", kLongestName));
}

void NativeStream::expect_short_keys() const {
  if (origin_ == Origin::File) return;
  for (const JsonlRecord::Op& op : record_.ops) {
    expect_short(op.key);
    if (op.extra == JsonlRecord::kNoExtra) continue;
    for (const auto& [key, value] : record_.extras[op.extra].rows) expect_short(key);
  }
}

void NativeStream::promise() {
  complete_ = complete_ || record_.is_last;
  if (!record_.at) return;
  expect_past(*record_.at);
  if (record_.session) {
    session_of(*record_.session).feed->promise(*record_.at);
    if (!promises_) herald_->promise(*record_.at);
    return;
  }
  std::map<std::string, Time> since;
  for (const auto& [session, time] : record_.since) {
    expect_past(time);
    since[pool_.format(session)] = time;
  }
  promises_ = true;
  herald_->promise_to_come();
  for (auto& [label, session] : sessions_) {
    const auto own = since.find(label);
    session.feed->promise(own == since.end() ? *record_.at : own->second);
    session.feed->promise_to_come();
  }
  Time all = *record_.at;
  for (const auto& [label, time] : since)
    if (!sessions_.contains(label)) all = std::min(all, time);
  herald_->promise(all);
}

NativeStream::Session& NativeStream::session_of(Value label) {
  expect_short(label);
  const auto [found, fresh] = sessions_.try_emplace(pool_.format(label));
  if (fresh) {
    name_bytes_ += kCopiesOfName * found->first.size();
    if (origin_ == Origin::Connection && sessions_.size() > kMostSessions) {
      sessions_.erase(found);
      fail(fmt::format("at most {} sessions of one connection", kMostSessions));
    }
    found->second.feed =
        intake_.pipeline().open_client(fmt::format("{}, session {}", name_, found->first), source_);
    ++intake_.sessions;
  }
  return found->second;
}

void NativeStream::note_news(Session& session) {
  if (std::exchange(session.has_news, true)) return;
  news_.push_back(&session);
}

NativeStream::OpenTransaction& NativeStream::open_transaction(Session& session) {
  const auto found = session.open.find(pool_.format(*record_.label));
  if (found == session.open.end()) fail("a begin record of this transaction first");
  return found->second;
}

void NativeStream::begin() {
  Session& session = session_of(*record_.session);
  const auto [open, fresh] = session.open.try_emplace(pool_.format(*record_.label));
  if (!fresh) fail("the end of this transaction before it begins again");
  expect_past(record_.interval.begin);
  open->second.order = ++opened_;
  open->second.begin = record_.interval.begin;
  open->second.bytes = line_text_.size();  // Its label.
  open_bytes_ += line_text_.size();
  if (record_.interval.begin != kUnknownBegin && session.open.size() == 1)
    session.feed->promise(record_.interval.begin);
}

// An "open" record replaces the previous one; an operation is added.
void NativeStream::keep_line() {
  Session& session = session_of(*record_.session);
  open_bytes_ += line_text_.size();
  if (record_.kind == JsonlRecord::Kind::Operation) {
    OpenTransaction& open = open_transaction(session);
    open.bytes += line_text_.size();
    open.lines.push_back(with_line_end(line_text_));
    return;
  }
  OpenTransaction& open = session.open[pool_.format(*record_.label)];
  if (open.order == 0) open.order = ++opened_;
  open.begin = record_.interval.begin;
  open_bytes_ -= std::exchange(open.bytes, line_text_.size());
  open.lines.assign(1, with_line_end(line_text_));
}

// The operations of the kept lines, as if they had been on one line.
JsonlRecord NativeStream::assembled(const OpenTransaction& open) {
  JsonlRecord whole, part;
  for (const std::string& kept : open.lines) {
    JsonCursor at(kept.data(), kept.data() + kept.size() - 1);
    parse_jsonl_record(at, pool_, part);
    for (JsonlRecord::Op op : part.ops) {
      if (op.extra != JsonlRecord::kNoExtra) {
        whole.extras.push_back(std::move(part.extras[op.extra]));
        op.extra = static_cast<std::uint32_t>(whole.extras.size() - 1);
      }
      whole.ops.push_back(op);
    }
  }
  whole.interval.begin = open.begin;
  return whole;
}

void NativeStream::end_transaction() {
  JsonlRecord whole = assembled(open_transaction(session_of(*record_.session)));
  whole.session = record_.session;
  whole.label = record_.label;
  whole.interval.end = record_.interval.end;
  whole.outcome = record_.outcome;
  record_ = std::move(whole);
  whole_transaction();
}

void NativeStream::whole_transaction() {
  if (record_.interval.begin == kUnknownBegin)
    fail("the times of this transaction, \"begin\" and \"end\": without them nothing can be watched");
  expect_past_times();
  expect_short_keys();
  Session& session = session_of(*record_.session);
  const std::string label = record_.label ? pool_.format(*record_.label) : std::string();
  if (const auto open = session.open.find(label); open != session.open.end()) {
    open_bytes_ -= open->second.bytes;
    session.open.erase(open);
  }
  append({record_, pool_, number_of(label)}, *session.feed, line_);
  session.feed->advance();
  note_news(session);
  intake_.note_end(record_.interval.end);
  if (!promises_) herald_->promise(record_.interval.begin);
  ++intake_.transactions;
}

// `number`: its line; 0: unknown.
void NativeStream::append(const TransactionLine& line, ClientFeed& feed, std::uint64_t number) const {
  const auto problem = find_time_contradiction(line.record, 2 * intake_.pipeline().options().clock_error);
  if (!problem) return append_transaction(feed, line);
  const std::string label = line.record.label ? line.pool.format(*line.record.label) : "without a label";
  throw InputError({name_, number, number > 0 ? 1u : 0u},
                   fmt::format("the times of transaction {} in session {} contradict each other: {}", label,
                               line.pool.format(*line.record.session), *problem),
                   {}, "--clock-error TIME allows for clocks that are wrong by at most TIME");
}

std::uint64_t NativeStream::number_of(const std::string& label) {
  if (!trusts_labels_) return intake_.next_transaction();
  const std::uint64_t number = parse_integer<std::uint64_t>(label).value_or(0);
  if (number == 0) fail("a number, from 1, as the label of a transaction that serval run recorded");
  return number;
}

void NativeStream::leave_open_transactions() {
  for (auto& [label, session] : sessions_) {
    std::map<std::uint64_t, std::string> names;
    for (const auto& [name, open] : session.open) names[open.order] = name;
    for (const auto& [order, name] : names) {
      const OpenTransaction& open = session.open.at(name);
      if (open.begin == kUnknownBegin) continue;
      JsonlRecord whole = assembled(open);
      whole.session = pool_.text(label);
      whole.label = pool_.text(name);
      whole.outcome = Outcome::Indeterminate;
      append({whole, pool_, number_of(name)}, *session.feed, 0);
    }
    session.open.clear();
  }
  open_bytes_ = 0;
}

void NativeStream::take_header(const History& history) {
  const Value initial = history.initial_value();
  const auto add = [&](RecordBatch& batch) {
    if (initial.is_nil()) return;
    const TraceValue value = batch.value(initial, history.values());
    batch.set_rows(batch.add(), {{.key = {}, .value = value, .column = {}}});
  };
  intake_.start_with(add, history.format(initial), history.facts());
  for (const SessionId session : history.sessions()) {
    const std::string label = history.format(history.session_label(session));
    sessions_[label].feed =
        intake_.pipeline().open_client(fmt::format("{}, session {}", name_, label), source_);
    ++intake_.sessions;
  }
  seen_header_ = true;
}

void NativeStream::take_transaction(const History& history, TransactionId t) {
  JsonlRecord whole;
  whole.session = history.session_label(history.session(t));
  whole.label = history.label(t);
  whole.interval = history.interval(t);
  if (whole.interval.begin == kUnknownBegin)
    throw InputError({name_}, fmt::format("transaction {} has no begin time", history.format(*whole.label)));
  whole.outcome = history.outcome(t);
  for (const OperationId op : history.operations(t)) {
    const Operation operation = history.operation(op);
    JsonlRecord::Extra extra;
    extra.expected = operation.expected;
    extra.time = operation.time;
    extra.matched = operation.rows_matched;
    extra.changed = operation.rows_changed;
    if (!operation.predicate.is_none()) extra.predicate = history.predicate(operation.predicate);
    for (const Row& row : operation.rows) extra.rows.emplace_back(history.key_value(row.key), row.value);
    whole.extras.push_back(std::move(extra));
    whole.ops.push_back({operation.kind, static_cast<std::uint32_t>(whole.extras.size() - 1),
                         operation.key.is_none() ? Value::nil() : history.key_value(operation.key),
                         operation.value});
  }
  Session& session = sessions_.at(history.format(*whole.session));
  ClientFeed& feed = *session.feed;
  append({whole, history.values(), intake_.next_transaction()}, feed, 0);
  feed.advance();
  note_news(session);
  herald_->promise(whole.interval.begin);
  ++intake_.transactions;
}

void NativeStream::flush() {
  for (Session* const session : news_) {
    session->has_news = false;
    session->feed->flush();
  }
  news_.clear();
}

void NativeStream::end() {
  unsynced_ += std::exchange(text_, {}).empty() ? 0 : 1;  // Cut off in mid-line.
  unsynced_ += std::exchange(held_lines_, 0);
  held_.clear();
  std::exception_ptr problem;
  const auto attempt = [&problem](const auto& step) {
    try {
      step();
    } catch (const InputError&) {
      if (!problem) problem = std::current_exception();
    }
  };
  attempt([this] { leave_open_transactions(); });
  for (auto& [label, session] : sessions_) attempt([&feed = *session.feed] { feed.close(); });
  herald_->close();
  if (problem) std::rethrow_exception(problem);
}

}  // namespace serval
