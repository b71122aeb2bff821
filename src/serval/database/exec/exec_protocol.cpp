#include "serval/database/exec/exec_protocol.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "serval/base/json_string.h"
#include "serval/database/database.h"

namespace serval {
namespace {

using Kind = Request::Kind;
using JsonKind = JsonValue::Kind;

std::string_view verb_of(Kind kind) {
  switch (kind) {
    case Kind::Read:
      return "read";
    case Kind::Write:
      return "write";
    case Kind::Update:
      return "update";
    case Kind::Append:
      return "append";
    case Kind::ReadList:
      return "read-list";
    case Kind::Insert:
      return "insert";
    case Kind::Delete:
      return "delete";
    case Kind::CompareAndSet:
      return "compare-and-set";
    case Kind::Scan:
      return "scan";
    case Kind::UpdateRange:
      return "update-range";
    case Kind::DeleteRange:
      return "delete-range";
  }
  return "read";
}

bool writes_a_tag(Kind kind) {
  return !only_reads(kind) && kind != Kind::Delete && kind != Kind::DeleteRange;
}

constexpr std::array kCauses{FailureCause::Serialization, FailureCause::Deadlock,
                             FailureCause::LockTimeout,   FailureCause::Constraint,
                             FailureCause::Unavailable,   FailureCause::ConnectionLost,
                             FailureCause::Other};

[[noreturn]] void wrong(const std::string& what) {
  throw DatabaseError("the program's response has " + what, "docs/drivers/exec.md describes the protocol");
}

std::int64_t whole_of(const JsonValue& value, const char* where) {
  const std::optional<std::int64_t> number = value.whole();
  if (!number || !value.is(JsonKind::Number)) wrong(fmt::format("no whole number in \"{}\"", where));
  return *number;
}

Answer::Row row_of(const JsonValue& value) {
  if (!value.is(JsonKind::Array) || value.items.size() < 2) wrong("no [key, tag, columns...] in \"rows\"");
  Answer::Row row{.key = static_cast<std::uint64_t>(whole_of(value.items[0], "rows")),
                  .tag = whole_of(value.items[1], "rows")};
  for (std::size_t i = 2; i < value.items.size(); ++i)
    row.columns.push_back(whole_of(value.items[i], "rows"));
  return row;
}

const std::vector<JsonValue>& array_of(const JsonValue& answer, const char* name) {
  const JsonValue& value = answer[name];
  if (!value.is(JsonKind::Array) && !value.is(JsonKind::Null)) wrong(fmt::format("no array as \"{}\"", name));
  return value.items;
}

}  // namespace

std::string format_tables(const Schema& schema) {
  std::string out = "[";
  for (const TableInfo& table : schema) {
    std::string columns;
    for (const ColumnInfo& column : table.columns)
      columns += fmt::format(R"({}{{"name":{},"initial":{},"indexed":{}}})", columns.empty() ? "" : ",",
                             json_string(column.name), column.initial, column.indexed);
    out += fmt::format(R"({}{{"name":{},"holds":"{}","initial":"{}","rows":{},"columns":[{}]}})",
                       out.size() > 1 ? "," : "", json_string("serval_" + table.name),
                       table.holds == TableInfo::Holds::Lists ? "lists" : "registers",
                       table.initial == TableInfo::Initial::Absent ? "absent" : "zero", table.rows, columns);
  }
  return out + "]";
}

std::string format_request(const Request& request, const Schema& schema) {
  if (request.table >= schema.size()) throw DatabaseError("a request to a table that was not created");
  const TableInfo& table = schema[request.table];
  std::string out =
      fmt::format(R"({{"do":"{}","table":{})", verb_of(request.kind), json_string("serval_" + table.name));
  if (is_range(request.kind)) {
    const std::string column =
        request.column < table.columns.size() ? table.columns[request.column].name : std::string("key");
    out += fmt::format(R"(,"column":{},"low":{},"high":{})", json_string(column), request.low, request.high);
  } else {
    out += fmt::format(R"(,"key":{})", request.key);
  }
  if (writes_a_tag(request.kind)) out += fmt::format(R"(,"tag":{})", request.tag);
  if (request.kind == Kind::CompareAndSet) out += fmt::format(R"(,"expected":{})", request.expected);
  if (!request.columns.empty()) out += fmt::format(R"(,"columns":[{}])", fmt::join(request.columns, ","));
  if (request.locks) out += R"(,"locks":true)";
  return out + "}";
}

JsonValue read_exec_answer(const std::string& line) {
  constexpr std::size_t kShown = 200;
  std::string problem = "no object";
  try {
    JsonValue answer = parse_json(line);
    if (answer.is(JsonKind::Object)) return answer;
  } catch (const JsonError& error) {
    problem = error.what();
  }
  throw DatabaseError(
      fmt::format("the program responded {} ({})", json_string(line.substr(0, kShown)), problem),
      "every response is one JSON object on a line; docs/drivers/exec.md");
}

void throw_if_error(const JsonValue& answer, Outcome unless_said) {
  const JsonValue& error = answer["error"];
  if (error.is(JsonKind::Null)) return;
  const std::string message = answer["message"].text;
  if (error.text == "unsupported") throw DatabaseError("the program does not support this: " + message);
  FailureCause cause = FailureCause::Other;
  for (const FailureCause known : kCauses)
    if (name_of(known) == error.text) cause = known;
  const Outcome outcome = answer["outcome"].is(JsonKind::Null) ? unless_said : outcome_of(answer);
  if (outcome == Outcome::Committed) wrong("an error and the outcome \"committed\"");
  throw TransactionFailure(cause, outcome, message.empty() ? error.text : message);
}

Answer answer_of(const JsonValue& answer) {
  Answer out;
  for (const JsonValue& row : array_of(answer, "rows")) out.rows.push_back(row_of(row));
  for (const JsonValue& tag : array_of(answer, "list")) out.list.push_back(whole_of(tag, "list"));
  const JsonValue &applied = answer["applied"], &version = answer["version"];
  if (!applied.is(JsonKind::Null)) {
    if (!applied.is(JsonKind::Boolean)) wrong("neither true nor false as \"applied\"");
    out.applied = applied.boolean;
  }
  if (!version.is(JsonKind::Null)) out.version = whole_of(version, "version");
  return out;
}

Outcome outcome_of(const JsonValue& answer) {
  for (const Outcome outcome : {Outcome::Committed, Outcome::Aborted, Outcome::Indeterminate})
    if (answer["outcome"].text == name_of(outcome)) return outcome;
  wrong("no \"outcome\" that is committed, aborted or indeterminate");
}

TransactionHints hints_of(const JsonValue& answer) {
  TransactionHints hints;
  hints.server_transaction = answer["transaction"].text;
  hints.node = answer["node"].text;
  return hints;
}

}  // namespace serval
