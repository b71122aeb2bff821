#include "serval/trace/session_log.h"

#include <fmt/format.h>

#include "serval/base/json_writer.h"

namespace serval {
namespace {

using Kind = Request::Kind;

std::string json_quoted(const std::string& text) { return JsonWriter().text(text).take(); }

std::string tag_or_null(const Answer& answer) {
  return answer.rows.empty() ? "null" : fmt::format("{}", answer.rows.front().tag);
}

std::string spelled_list(const std::vector<std::int64_t>& list) {
  return fmt::format("[{}]", fmt::join(list, ","));
}

void append_item(std::string& to, std::string_view item) {
  if (!to.empty()) to += ',';
  to += item;
}

void append_hint(std::string& line, std::string_view name, const std::string& text) {
  if (!text.empty()) line += fmt::format(",\"{}\":{}", name, json_quoted(text));
}

std::string spelled_hints(const TransactionHints& hints) {
  std::string out;
  if (hints.start_timestamp) out += fmt::format(",\"start_ts\":{}", *hints.start_timestamp);
  if (hints.commit_timestamp) out += fmt::format(",\"commit_ts\":{}", *hints.commit_timestamp);
  append_hint(out, "server_txn", hints.server_transaction);
  append_hint(out, "snapshot", hints.snapshot);
  append_hint(out, "node", hints.node);
  append_hint(out, "error", hints.error);
  return out;
}

}  // namespace

std::string SessionLog::key_of(std::uint32_t table, std::uint64_t key) const {
  if (table == 0) return fmt::format("{}", key);
  return fmt::format("\"{}/{}\"", schema_[table].name, key);
}

void SessionLog::begin(Time at) {
  begin_ = at;
  transaction_ = ++last_transaction_;
}

// Whether an insert, a compare-and-set or a range writes, and what, only the answer tells; but others may see
// it before the answer comes, so it counts as written.
std::string SessionLog::written(const Request& request) const {
  const std::string key = key_of(request.table, request.key);
  switch (request.kind) {
    case Kind::Write:
    case Kind::Update:
    case Kind::Insert:
    case Kind::CompareAndSet:
      return fmt::format("[\"w\",{},{}]", key, request.tag);
    case Kind::Append:
      return fmt::format("[\"a\",{},{}]", key, request.tag);
    case Kind::Delete:
      return fmt::format("[\"d\",{}]", key);
    default:
      return {};
  }
}

void SessionLog::ask(const Request& request, Time at) {
  asked_ = at;
  const std::string write = written(request);
  if (write.empty()) return;
  const std::lock_guard lock(handing_over_);
  append_item(open_writes_, write);
}

void SessionLog::add(std::string_view kind, const std::string& key, std::string_view values, Time end) {
  const std::string reply = end == kUnknownEnd ? "null" : fmt::format("{}", end);
  append_item(operations_, fmt::format("[\"{}\",{},{}{{\"at\":[{},{}]}}]", kind, key, values, asked_, reply));
}

void SessionLog::hear(const Request& request, const Answer& answer, Time at) {
  if (is_range(request.kind)) return add_range(request, answer, at);
  const std::string key = key_of(request.table, request.key);
  const std::string tag = fmt::format("{},", request.tag);
  const std::string seen = tag_or_null(answer) + ",";
  switch (request.kind) {
    case Kind::Read:
      return add("r", key, seen, at);
    case Kind::Write:
      return add("w", key, tag, at);
    case Kind::Update:
      add("r", key, seen, at);
      if (answer.applied) add("w", key, tag, at);
      return;
    case Kind::Append:
      return add("a", key, tag, at);
    case Kind::ReadList:
      return add("l", key, spelled_list(answer.list) + ",", at);
    case Kind::Insert:
      return answer.applied ? add("i", key, tag, at) : add("i!", key, seen, at);
    case Kind::Delete:
      return answer.applied ? add("d", key, "", at) : add("r", key, "null,", at);
    case Kind::CompareAndSet:
      return add(answer.applied ? "cas" : "cas!", key,
                 fmt::format("{},{}", request.expected, answer.applied ? tag : seen), at);
    default:
      return;
  }
}

void SessionLog::add_range(const Request& request, const Answer& answer, Time end) {
  const bool by_key = request.column == Request::kKey;
  const std::string column = by_key ? "k" : schema_[request.table].columns[request.column].name;
  std::string rows;
  for (const Answer::Row& row : answer.rows) {
    const std::string key = key_of(request.table, row.key);
    append_item(rows, request.kind == Kind::DeleteRange   ? fmt::format("[{}]", key)
                      : request.kind == Kind::UpdateRange ? fmt::format("[{},{}]", key, request.tag)
                                                          : fmt::format("[{},{}]", key, row.tag));
  }
  const std::string predicate =
      fmt::format("[\"between\",[\"col\",{}],{},{}]", json_quoted(schema_[request.table].name + "." + column),
                  request.low, request.high);
  add(request.kind == Kind::Scan          ? "pr"
      : request.kind == Kind::UpdateRange ? "pu"
                                          : "pd",
      predicate, "[" + rows + "],", end);
}

// A read that was never answered saw nothing that counts; what was to be written may have been.
void SessionLog::lose(const Request& request) {
  if (request.kind == Kind::UpdateRange || request.kind == Kind::DeleteRange)
    return add_range(request, {}, kUnknownEnd);
  const std::string write = written(request);
  if (!write.empty()) append_item(operations_, write);
}

void SessionLog::end(Outcome outcome, Time at, const TransactionHints& hints) {
  std::string line = fmt::format(R"({{"s":{},"t":{},"ops":[{}],"begin":{},"end":{})", label_, transaction_,
                                 operations_, begin_, at);
  if (outcome != Outcome::Committed) line += fmt::format(R"(,"outcome":"{}")", name_of(outcome));
  line += spelled_hints(hints);
  line += "}\n";
  operations_.clear();
  const std::lock_guard lock(handing_over_);
  lines_ += line;
  if (!open_writes_.empty() && outcome != Outcome::Aborted)
    ended_writes_ += fmt::format(R"({{"event":"open","s":{},"t":{},"at":{},"ops":[{}]}})"
                                 "\n",
                                 label_, transaction_, begin_, open_writes_);
  open_writes_.clear();
}

void SessionLog::take_lines(std::string& into) {
  const std::lock_guard lock(handing_over_);
  into += lines_;
  lines_.clear();
  ended_writes_.clear();
}

void SessionLog::peek_writes(std::string& into) {
  const std::lock_guard lock(handing_over_);
  into += ended_writes_;
  if (!open_writes_.empty())
    into += fmt::format(R"({{"event":"open","s":{},"t":{},"at":{},"ops":[{}]}})"
                        "\n",
                        label_, transaction_, begin_, open_writes_);
}

}  // namespace serval
