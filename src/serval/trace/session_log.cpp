#include "serval/trace/session_log.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "serval/base/json_writer.h"

namespace serval {
namespace {

using Kind = Request::Kind;

// Texts and numbers to the end of a line, without temporaries and formats: this runs between the requests of
// a client, when everything it touches has to be fetched into the cache again.
void put(std::string& to, std::string_view text) { to += text; }
void put(std::string& to, std::int64_t number) {
  std::array<char, 24> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  to.append(digits.data(), result.ptr);
}
template <class... Parts>
void put_all(std::string& to, const Parts&... parts) {
  (put(to, parts), ...);
}

void put_comma(std::string& to) {
  if (!to.empty()) to += ',';
}

void put_quoted(std::string& to, const std::string& text) {
  const bool plain =
      std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  plain ? put_all(to, "\"", text, "\"") : put(to, JsonWriter().text(text).take());
}

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

void put_tag_or_null(std::string& to, const Answer& answer) {
  answer.rows.empty() ? put(to, "null") : put(to, answer.rows.front().tag);
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

// What stands between the key and the times, a comma before it.
void put_values(std::string& to, const Request& request, const Answer& answer) {
  if (request.kind == Kind::Delete) return put(to, answer.applied ? "" : ",null");
  to += ',';
  if (request.kind == Kind::CompareAndSet) put_all(to, request.expected, ",");
  if (request.kind == Kind::ReadList) return put_list(to, answer.list);
  const bool refused =
      !answer.applied && (request.kind == Kind::Insert || request.kind == Kind::CompareAndSet);
  const bool reads = request.kind == Kind::Read || request.kind == Kind::Update || refused;
  reads ? put_tag_or_null(to, answer) : put(to, request.tag);
}

}  // namespace

void SessionLog::put_key(std::string& to, std::uint32_t table, std::uint64_t key) const {
  const auto number = static_cast<std::int64_t>(key);
  table == 0 ? put(to, number) : put_all(to, "\"", schema_[table].name, "/", number, "\"");
}

void SessionLog::begin(Time at) {
  transaction_ = ++last_transaction_;
  const std::lock_guard lock(handing_over_);
  begin_ = std::max(at, promised_);
  open_ = true;
}

// Whether an insert, a compare-and-set or a range writes, and what, only the answer tells; but others may see
// it before the answer comes, so it counts as written.
void SessionLog::put_written(std::string& to, const Request& request) const {
  if (only_reads(request.kind) || is_range(request.kind)) return;
  const bool deletes = request.kind == Kind::Delete;
  put_comma(to);
  put_all(to, "[\"", deletes ? "d" : request.kind == Kind::Append ? "a" : "w", "\",");
  put_key(to, request.table, request.key);
  if (!deletes) put_all(to, ",", request.tag);
  to += ']';
}

void SessionLog::ask(const Request& request, Time at) {
  asked_ = at;
  if (only_reads(request.kind) || is_range(request.kind)) return;
  const std::lock_guard lock(handing_over_);
  put_written(open_writes_, request);
}

void SessionLog::open_item(std::string_view kind) {
  put_comma(operations_);
  put_all(operations_, "[\"", kind, "\",");
}

void SessionLog::close_item(const Request& request, Time end) {
  put_all(operations_, ",{\"at\":[", asked_, ",");
  end == kUnknownEnd ? put(operations_, "null") : put(operations_, end);
  put(operations_, request.locks ? "],\"lock\":\"exclusive\"}]" : "]}]");
}

void SessionLog::hear(const Request& request, const Answer& answer, Time at) {
  if (is_range(request.kind)) return add_range(request, answer, at);
  open_item(letter_of(request, answer));
  put_key(operations_, request.table, request.key);
  put_values(operations_, request, answer);
  close_item(request, at);
  if (request.kind != Kind::Update || !answer.applied) return;
  open_item("w");
  put_key(operations_, request.table, request.key);
  put_all(operations_, ",", request.tag);
  close_item(request, at);
}

void SessionLog::add_range(const Request& request, const Answer& answer, Time end) {
  const TableInfo& table = schema_[request.table];
  const bool by_key = request.column == Request::kKey;
  open_item(letter_of(request, answer));
  operations_ += "[\"between\",[\"col\",";
  put_quoted(operations_, table.name + "." + (by_key ? "k" : table.columns[request.column].name));
  put_all(operations_, "],", request.low, ",", request.high, "],[");
  for (std::size_t i = 0; i < answer.rows.size(); ++i) {
    operations_ += i == 0 ? "[" : ",[";
    put_key(operations_, request.table, answer.rows[i].key);
    if (request.kind != Kind::DeleteRange)
      put_all(operations_, ",", request.kind == Kind::UpdateRange ? request.tag : answer.rows[i].tag);
    operations_ += ']';
  }
  operations_ += ']';
  close_item(request, end);
}

// A read that was never answered saw nothing that counts; what was to be written may have been.
void SessionLog::lose(const Request& request) {
  if (request.kind == Kind::UpdateRange || request.kind == Kind::DeleteRange)
    return add_range(request, {}, kUnknownEnd);
  put_written(operations_, request);
}

void SessionLog::put_open_line(std::string& to) const {
  put_all(to, "{\"event\":\"open\",\"s\":", label_, ",\"t\":", transaction_, ",\"at\":", begin_, ",\"ops\":[",
          open_writes_, "]}\n");
}

void SessionLog::end(Outcome outcome, Time at, const TransactionHints& hints) {
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
