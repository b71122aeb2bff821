#include "serval/database/exec/exec_protocol.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "serval/base/json_string.h"
#include "serval/database/database.h"

namespace serval {
namespace {

using Kind = Request::Kind;
using JsonKind = JsonValue::Kind;

bool writes_a_tag(Kind kind) {
  return !only_reads(kind) && kind != Kind::Delete && kind != Kind::DeleteRange;
}

constexpr std::array kCauses{FailureCause::Serialization, FailureCause::Deadlock,
                             FailureCause::LockTimeout,   FailureCause::Constraint,
                             FailureCause::Unavailable,   FailureCause::ConnectionLost,
                             FailureCause::Other};

// Serval sets or interprets these: a program must not choose its own gate.
constexpr std::array<std::string_view, 8> kOwnFacts{"certificate", "clients", "database", "isolation",
                                                    "promises",    "seed",    "table",    "workload"};

std::string shown(const std::string& line) {
  constexpr std::size_t kShown = 200;
  return json_string(line.substr(0, kShown));
}

[[noreturn]] void wrong(const ExecAnswer& answer, const std::string& what) {
  throw DatabaseError(fmt::format("the program responded {}: {}", shown(answer.line), what),
                      "docs/drivers/exec.md describes the protocol");
}

bool has(const ExecAnswer& answer, std::string_view name) {
  return std::ranges::find(answer.members.names, name) != answer.members.names.end();
}

bool is_beyond_64_bits(const std::string& digits) {
  return digits.find_first_not_of("0123456789", digits.starts_with('-') ? 1 : 0) == std::string::npos;
}

std::int64_t whole_of(const ExecAnswer& answer, const JsonValue& value, std::string_view where) {
  const std::optional<std::int64_t> number = value.whole();
  if (number && value.is(JsonKind::Number)) return *number;
  if (value.is(JsonKind::Number) && is_beyond_64_bits(value.text))
    wrong(answer, fmt::format("{} in \"{}\" is outside the range of signed 64-bit integers",
                              value.text.substr(0, 40), where));
  wrong(answer, fmt::format("\"{}\" has something that is not an integer", where));
}

const std::vector<JsonValue>& array_of(const ExecAnswer& answer, std::string_view name) {
  if (!has(answer, name)) wrong(answer, fmt::format("\"{}\" is missing", name));
  const JsonValue& value = answer.members[name];
  if (!value.is(JsonKind::Array)) wrong(answer, fmt::format("\"{}\" is not an array", name));
  return value.items;
}

// A member that may be missing or null.
std::string optional_text(const ExecAnswer& answer, std::string_view name) {
  const JsonValue& value = answer.members[name];
  if (!value.is(JsonKind::Null) && !value.is(JsonKind::Text) && !value.is(JsonKind::Number))
    wrong(answer, fmt::format("\"{}\" is not a text", name));
  return value.text;
}

// Refuses the members that belong to other requests. A response may always have {"ok":true}.
void expect_only(const ExecAnswer& answer, std::initializer_list<std::string_view> allowed) {
  for (const std::string_view name : {"rows", "list", "applied", "outcome", "facts"})
    if (has(answer, name) && std::ranges::find(allowed, name) == allowed.end())
      wrong(answer, fmt::format("\"{}\" does not belong in the response to this request", name));
  const JsonValue& ok = answer.members["ok"];
  if (has(answer, "ok") && !(ok.is(JsonKind::Boolean) && ok.boolean)) wrong(answer, "\"ok\" is not true");
}

Answer::Row row_of(const ExecAnswer& answer, const JsonValue& value, const TableInfo& table) {
  if (!value.is(JsonKind::Array) || value.items.size() < 2)
    wrong(answer, "\"rows\" has something that is not [key, tag, columns...]");
  if (value.items.size() != 2 + table.columns.size())
    wrong(answer, fmt::format("a row has {} columns besides its key and tag, but serval_{} has {}",
                              value.items.size() - 2, table.name, table.columns.size()));
  Answer::Row row{.key = static_cast<std::uint64_t>(whole_of(answer, value.items[0], "rows")),
                  .tag = whole_of(answer, value.items[1], "rows")};
  for (std::size_t i = 2; i < value.items.size(); ++i)
    row.columns.push_back(whole_of(answer, value.items[i], "rows"));
  return row;
}

// Whether the request is about the row. Which rows match a range over another column is for the checker
// to judge.
bool is_asked_for(const Answer::Row& row, const Request& request) {
  if (!is_range(request.kind)) return row.key == request.key;
  const auto key = static_cast<std::int64_t>(row.key);
  return request.column != Request::kKey || (request.low <= key && key <= request.high);
}

std::vector<Answer::Row> rows_of(const ExecAnswer& answer, const Request& request, const TableInfo& table) {
  std::vector<Answer::Row> rows;
  for (const JsonValue& value : array_of(answer, "rows")) {
    rows.push_back(row_of(answer, value, table));
    if (!is_asked_for(rows.back(), request))
      wrong(answer, fmt::format("the request was not about the row with key {}",
                                static_cast<std::int64_t>(rows.back().key)));
  }
  if (!is_range(request.kind) && rows.size() > 1) wrong(answer, "it has more than one row with this key");
  return rows;
}

bool applied_of(const ExecAnswer& answer) {
  if (!has(answer, "applied")) wrong(answer, "\"applied\" is missing");
  const JsonValue& applied = answer.members["applied"];
  if (!applied.is(JsonKind::Boolean)) wrong(answer, "\"applied\" is neither true nor false");
  return applied.boolean;
}

Outcome named_outcome(const ExecAnswer& answer) {
  const JsonValue& said = answer.members["outcome"];
  for (const Outcome outcome : {Outcome::Committed, Outcome::Aborted, Outcome::Indeterminate})
    if (said.is(JsonKind::Text) && said.text == name_of(outcome)) return outcome;
  wrong(answer, "\"outcome\" is not committed, aborted or indeterminate");
}

// The response to update, insert, delete or compare-and-set.
void read_conditional(const ExecAnswer& answer, const Request& request, const TableInfo& table, Answer& out) {
  expect_only(answer, {"applied", "rows"});
  const bool updates = request.kind == Kind::Update;
  if (!updates || has(answer, "applied")) out.applied = applied_of(answer);
  const bool shows_row = request.kind != Kind::Delete && updates == out.applied;
  if (shows_row || has(answer, "rows")) out.rows = rows_of(answer, request, table);
  if (!shows_row && !out.rows.empty()) wrong(answer, "\"rows\" is not empty");
  if (updates && out.applied && out.rows.empty())
    wrong(answer, "it has neither the old row nor \"applied\":false");
}

}  // namespace

std::string_view verb_of(Kind kind) {
  static constexpr std::array<std::string_view, 11> kVerbs{
      "read",   "write",           "update", "append",       "read-list",   "insert",
      "delete", "compare-and-set", "scan",   "update-range", "delete-range"};
  return kVerbs[static_cast<std::size_t>(kind)];
}

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

ExecAnswer read_exec_answer(std::string line) {
  std::string problem = "not an object";
  try {
    JsonValue members = parse_json(line);
    if (members.is(JsonKind::Object)) return {std::move(line), std::move(members)};
  } catch (const JsonError& error) {
    problem = error.what();
  }
  throw DatabaseError(fmt::format("the program responded {} ({})", shown(line), problem),
                      "every response is one JSON object on a line; docs/drivers/exec.md");
}

void refuse_unasked(const std::string& bytes) {
  if (bytes.empty()) return;
  throw DatabaseError(
      fmt::format("the program responded more than once, or before a request: {}", shown(bytes)),
      "every request has exactly one response, on one line; docs/drivers/exec.md");
}

void throw_if_error(const ExecAnswer& answer, std::string_view verb, Outcome unless_said) {
  if (!has(answer, "error")) return;
  const JsonValue& error = answer.members["error"];
  if (!error.is(JsonKind::Text)) wrong(answer, "\"error\" is not a text");
  const std::string message = optional_text(answer, "message");
  if (error.text == "unsupported")
    throw DatabaseError(fmt::format("the program does not support the request \"{}\"{}{}", verb,
                                    message.empty() ? "" : ": ", message));
  const auto cause =
      std::ranges::find(kCauses, error.text, [](FailureCause known) { return name_of(known); });
  if (cause == kCauses.end()) wrong(answer, "\"error\" is not one of the errors of the protocol");
  if (answer.members["ok"].boolean) wrong(answer, "it has both an error and \"ok\"");
  const Outcome outcome = answer.members["outcome"].is(JsonKind::Null) ? unless_said : named_outcome(answer);
  if (outcome == Outcome::Committed) wrong(answer, "it has both an error and the outcome \"committed\"");
  throw TransactionFailure(*cause, outcome, message.empty() ? error.text : message);
}

void expect_ok(const ExecAnswer& answer) {
  if (!has(answer, "ok")) wrong(answer, "\"ok\" is missing");
  expect_only(answer, {});
}

std::map<std::string, std::string> facts_of(const ExecAnswer& answer) {
  if (!has(answer, "ok")) wrong(answer, "\"ok\" is missing");
  expect_only(answer, {"facts"});
  std::map<std::string, std::string> out;
  const JsonValue& facts = answer.members["facts"];
  if (has(answer, "facts") && !facts.is(JsonKind::Object)) wrong(answer, "\"facts\" is not an object");
  for (std::size_t i = 0; i < facts.names.size(); ++i) {
    const std::string& name = facts.names[i];
    const JsonValue& value = facts.items[i];
    if (std::ranges::find(kOwnFacts, name) != kOwnFacts.end())
      wrong(answer, fmt::format("the fact \"{}\" is Serval's own", name));
    if (value.is(JsonKind::Null) || value.is(JsonKind::Array) || value.is(JsonKind::Object))
      wrong(answer, fmt::format("the fact {} is not a text, a number or a boolean", json_string(name)));
    out[name] = value.is(JsonKind::Boolean) ? (value.boolean ? "true" : "false") : value.text;
  }
  return out;
}

Answer answer_of(const ExecAnswer& answer, const Request& request, const Schema& schema) {
  const TableInfo& table = schema.at(request.table);
  Answer out;
  switch (request.kind) {
    case Kind::Read:
    case Kind::Scan:
    case Kind::UpdateRange:
    case Kind::DeleteRange:
      expect_only(answer, {"rows"});
      out.rows = rows_of(answer, request, table);
      break;
    case Kind::Write:
    case Kind::Append:
      expect_ok(answer);
      break;
    case Kind::ReadList:
      expect_only(answer, {"list"});
      for (const JsonValue& tag : array_of(answer, "list")) out.list.push_back(whole_of(answer, tag, "list"));
      break;
    case Kind::Update:
    case Kind::Insert:
    case Kind::Delete:
    case Kind::CompareAndSet:
      read_conditional(answer, request, table, out);
      break;
  }
  const JsonValue& version = answer.members["version"];
  if (!version.is(JsonKind::Null)) out.version = whole_of(answer, version, "version");
  return out;
}

Outcome outcome_of(const ExecAnswer& answer) {
  expect_only(answer, {"outcome"});
  return named_outcome(answer);
}

TransactionHints hints_of(const ExecAnswer& answer) {
  TransactionHints hints;
  hints.server_transaction = optional_text(answer, "transaction");
  hints.node = optional_text(answer, "node");
  return hints;
}

}  // namespace serval
