#include "serval/watch/recording_tail.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "serval/base/error.h"
#include "serval/formats/lines/line_cursor.h"

namespace serval::watch {

constexpr std::size_t kPiece = 1 << 20;
constexpr std::size_t kMostSpellings = 1 << 16;
constexpr std::int64_t kNativeVersion = 1;

RecordingTail::RecordingTail(std::string path) : path_(std::move(path)) {}

RecordingTail::~RecordingTail() {
  if (file_ >= 0) ::close(file_);
}

bool RecordingTail::read(Batch& batch, Budget& budget) {
  while (obstacle_.empty()) {
    budget.look("reading");
    const bool grew = read_piece();
    if (parse(batch, budget)) return true;
    if (!grew) return false;
  }
  return false;
}

bool RecordingTail::read_piece() {
  if (file_ < 0) file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) throw InputError({path_}, std::strerror(errno));
  piece_.resize(kPiece);
  const ssize_t bytes = ::read(file_, piece_.data(), piece_.size());
  if (bytes < 0 && errno != EINTR) throw InputError({path_}, std::strerror(errno));
  if (bytes <= 0) return false;
  offset_ += static_cast<std::uint64_t>(bytes);
  take(std::string_view(piece_).substr(0, static_cast<std::size_t>(bytes)));
  return true;
}

void RecordingTail::take(std::string_view bytes) {
  text_ += bytes;
  for (std::size_t end = text_.find('\n', scanned_); end != std::string::npos;
       end = text_.find('\n', scanned_)) {
    const bool is_sync = begins_as_sync(std::string_view(text_).substr(scanned_, end - scanned_));
    seen_sync_ = seen_sync_ || is_sync;
    scanned_ = end + 1;
    if (is_sync || !seen_sync_) complete_ = scanned_;
  }
}

bool RecordingTail::parse(Batch& batch, Budget& budget) {
  batch.transactions.clear();
  batch.open.clear();
  if (complete_ == 0) return false;
  std::string_view rest = std::string_view(text_).substr(0, complete_);
  while (!rest.empty() && obstacle_.empty()) {
    budget.poll("reading");
    const std::size_t end = rest.find('\n');
    line(rest.substr(0, end), batch);
    rest.remove_prefix(end + 1);
  }
  text_.erase(0, complete_);
  scanned_ -= std::exchange(complete_, 0);
  for (const Open& open : open_) batch.open.insert(batch.open.end(), open.writes.begin(), open.writes.end());
  sort_by_ends(batch.transactions);
  return true;
}

void RecordingTail::line(std::string_view text, Batch& batch) {
  ++line_;
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) return;
  if (of_lines_.spelling_count() + of_lines_.list_count() > kMostSpellings) of_lines_ = ValuePool();
  JsonCursor at(text.data(), text.data() + text.size());
  try {
    parse_jsonl_record(at, of_lines_, record_);
  } catch (const JsonFailure& failure) {
    fail_in_line({path_, line_}, text, static_cast<std::size_t>(failure.at - text.data()) + 1,
                 "expected " + failure.expected);
  }
  accept(text, batch);
}

void RecordingTail::accept(std::string_view text, Batch& batch) {
  using Kind = JsonlRecord::Kind;
  if (!seen_header_ && record_.kind != Kind::Header)
    fail_in_line({path_, line_}, text, 1, "expected the header line before any record");
  switch (record_.kind) {
    case Kind::Header:
      return header(text);
    case Kind::Transaction:
      return add_transaction(batch);
    case Kind::Open:
      return keep_open();
    case Kind::Sync:
    case Kind::Heartbeat:
    case Kind::Unknown:
      return;
    case Kind::Begin:
    case Kind::Operation:
    case Kind::End:
      obstacle_ = "transactions told event by event";
      return;
    case Kind::Order:
    case Kind::Certificate:
    case Kind::Settled:
      obstacle_ = "a version certificate";
      return;
  }
}

void RecordingTail::header(std::string_view text) {
  if (record_.version < 1 || record_.version > kNativeVersion)
    fail_in_line({path_, line_}, text, 1,
                 fmt::format("expected version {}, but this is {}", kNativeVersion, record_.version));
  if (seen_header_) obstacle_ = "a recording that was continued";
  if (record_.initial) initial_ = kept(*record_.initial);
  seen_header_ = true;
}

void RecordingTail::add_transaction(Batch& batch) {
  ScreenedTransaction& added = batch.transactions.emplace_back();
  added.session = kept(*record_.session);
  added.outcome = record_.outcome.value_or(Outcome::Committed);
  added.interval = record_.interval;
  added.operations.reserve(record_.ops.size());
  for (const JsonlRecord::Op& op : record_.ops) added.operations.push_back(operation(op));
  if (!record_.label || open_.empty()) return;
  std::erase_if(open_, [own = OpenKey(added.session, kept(*record_.label))](const Open& open) {
    return open.key == own;
  });
}

void RecordingTail::keep_open() {
  const OpenKey key(kept(*record_.session), kept(*record_.label));
  auto open = std::ranges::find(open_, key, &Open::key);
  if (open == open_.end()) open = open_.insert(open_.end(), {key, {}});
  open->writes.clear();
  for (const JsonlRecord::Op& op : record_.ops) {
    if (op.kind == OperationKind::Delete || is_predicate(op.kind)) obstacle_ = "deletes";
    open->writes.push_back({kept(op.key), kept(op.value), op.kind == OperationKind::Append});
  }
}

ScreenedOperation RecordingTail::operation(const JsonlRecord::Op& op) {
  ScreenedOperation out;
  out.kind = op.kind;
  out.key = kept(op.key);
  if (op.extra != JsonlRecord::kNoExtra) {
    out.expected = kept(record_.extras[op.extra].expected);
    if (record_.extras[op.extra].saw) obstacle_ = "a version certificate";
  }
  if (op.kind == OperationKind::ReadList && op.value.is_list()) {
    for (const Value element : of_lines_.elements(op.value)) out.elements.push_back(kept(element));
  } else {
    out.value = kept(op.value);
  }
  return out;
}

// The same value in the permanent pool.
Value RecordingTail::kept(Value value) {
  switch (value.kind()) {
    case Value::Kind::Number:
      return kept_.number(of_lines_.characters(value));
    case Value::Kind::Text:
      return kept_.text(of_lines_.characters(value));
    case Value::Kind::Row:
      return kept_.row(of_lines_.characters(value));
    case Value::Kind::List: {
      std::vector<Value> elements;
      for (const Value element : of_lines_.elements(value)) elements.push_back(kept(element));
      return kept_.list(elements);
    }
    default:
      return value;
  }
}

// A transaction stays after the earlier ones of its session, even if it ends before them.
void RecordingTail::sort_by_ends(std::vector<ScreenedTransaction>& transactions) {
  std::map<Value, Time> latest;  // By session.
  std::vector<std::pair<Time, std::size_t>> places;
  places.reserve(transactions.size());
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const Interval interval = transactions[i].interval;
    Time& place = latest.try_emplace(transactions[i].session, kUnknownBegin).first->second;
    place = std::max(place, interval.end == kUnknownEnd ? interval.begin : interval.end);
    places.emplace_back(place, i);
  }
  if (std::ranges::is_sorted(places)) return;
  std::ranges::sort(places);
  std::vector<ScreenedTransaction> sorted;
  sorted.reserve(transactions.size());
  for (const auto& [place, index] : places) sorted.push_back(std::move(transactions[index]));
  transactions = std::move(sorted);
}

}  // namespace serval::watch
