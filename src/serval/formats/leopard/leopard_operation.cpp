#include "serval/formats/leopard/leopard_operation.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "serval/base/decimal_number.h"

namespace serval {
namespace {

using Kind = LeopardOperation::Kind;
using Lock = LeopardOperation::Lock;

constexpr std::array<std::pair<std::string_view, Kind>, 11> kKinds{{{"START", Kind::Start},
                                                                    {"SELECT", Kind::Select},
                                                                    {"UPDATE", Kind::Update},
                                                                    {"INSERT", Kind::Insert},
                                                                    {"DELETE", Kind::Delete},
                                                                    {"COMMIT", Kind::Commit},
                                                                    {"ROLLBACK", Kind::Rollback},
                                                                    {"SET_SNAPSHOT", Kind::Other},
                                                                    {"DDL", Kind::Other},
                                                                    {"DistributeSchedule", Kind::Other},
                                                                    {"FAULT", Kind::Other}}};
constexpr std::array<std::pair<std::string_view, Lock>, 3> kLocks{
    {{"NON_LOCK", Lock::None}, {"SHARE_LOCK", Lock::Shared}, {"EXCLUSIVE_LOCK", Lock::Exclusive}}};
constexpr std::array<std::pair<std::string_view, ReadMode>, 3> kReads{
    {{"CONSISTENT_READ", ReadMode::Consistent},
     {"LOCKING_READ", ReadMode::Locking},
     {"UNCOMMITTED_READ", ReadMode::Uncommitted}}};

template <class Table>
auto named(const Table& table, std::string_view name, const char* at, const char* what) {
  const auto found = std::ranges::find(table, name, &Table::value_type::first);
  if (found == table.end()) throw FormProblem{at, fmt::format("expected {}", what)};
  return found->second;
}

void clear(LeopardOperation& operation) {
  operation.kind = Kind::Other;
  for (std::string* text : {&operation.type, &operation.thread, &operation.transaction, &operation.operation,
                            &operation.sql, &operation.level, &operation.savepoint, &operation.exception})
    text->clear();
  operation.time = {};
  operation.lock = Lock::Unstated;
  operation.read = ReadMode::Unstated;
  operation.rows_read.clear();
  operation.rows_written.clear();
}

bool same_word(std::string_view word, std::string_view upper) {
  return std::ranges::equal(word, upper, [](char a, char b) { return (a & ~0x20) == b; });
}

}  // namespace

bool LeopardReader::next(LeopardOperation& operation) {
  if (ended_) return false;
  try {
    if (end_of_array()) return false;
    if (options_.budget != nullptr) options_.budget->poll("reading");
    while (true) {
      cursor_.start(window_.begin(), window_.end());
      try {
        read_operation(operation);
        window_.consume_to(cursor_.at());
        return true;
      } catch (const FormEnds&) {
        if (!window_.refill()) throw CutOff{};
      } catch (const FormProblem& problem) {
        throw window_.error(problem.at, problem.problem);
      }
    }
  } catch (const CutOff&) {
    return cut_off();
  }
}

// The reader is at the '[' before the first operation, or at the ',' or ']' after one.
bool LeopardReader::end_of_array() {
  if (!opened_) {
    if (next_character() != '[') throw window_.error(window_.begin(), "expected '[', the operations");
    take();
    opened_ = true;
  }
  const char c = next_character();
  if (c == ']') {
    take();
    ended_ = true;
    try {
      next_character();
    } catch (const CutOff&) {
      return true;
    }
    throw window_.error(window_.begin(), "expected the end of the file");
  }
  if (!std::exchange(first_, false)) {
    if (c != ',') throw window_.error(window_.begin(), "expected ',' or ']' after an operation");
    take();
    next_character();
  }
  return false;
}

char LeopardReader::next_character() {
  while (true) {
    cursor_.start(window_.begin(), window_.end());
    const bool ends = cursor_.at_end();
    window_.consume_to(cursor_.at());
    if (!ends) return *window_.begin();
    if (!window_.refill()) throw CutOff{};
  }
}

bool LeopardReader::cut_off() {
  ended_ = true;
  if (!options_.accept_truncated)
    throw window_.error(window_.end(), "the file ends here, inside the trace",
                        "cut off by a crash? --truncated=ok keeps the operations before this point");
  if (options_.on_notice)
    options_.on_notice(fmt::format("the file is cut off at line {}", window_.position(window_.end()).line));
  return false;
}

void LeopardReader::read_operation(LeopardOperation& operation) {
  clear(operation);
  if (scratch_.spelling_count() > 10'000) scratch_ = ValuePool();
  start_ = cursor_.at();
  if (cursor_.peek() != FormShape::Map) throw FormProblem{cursor_.at(), "expected '{', an operation"};
  start_ = cursor_.at();
  cursor_.open();
  while (cursor_.more()) read_member(cursor_.field(), operation);
  check_members(operation);
}

void LeopardReader::check_members(const LeopardOperation& operation) const {
  for (const auto& [text, name] :
       {std::pair(&operation.type, "operationTraceType"), std::pair(&operation.transaction, "transactionID"),
        std::pair(&operation.thread, "threadID")})
    if (text->empty()) throw FormProblem{start_, fmt::format("expected \"{}\" in this operation", name)};
  if (operation.time.begin == kUnknownBegin || operation.time.end == kUnknownEnd)
    throw FormProblem{start_, "expected \"startTimestamp\" and \"finishTimestamp\" in this operation"};
  if (operation.time.end < operation.time.begin)
    throw FormProblem{start_, "expected an operation that does not end before it starts"};
}

void LeopardReader::read_member(std::string_view name, LeopardOperation& operation) {
  const std::string member(name);  // A copy: the next string overwrites it.
  cursor_.peek();
  const char* const at = cursor_.at();
  using Member = std::pair<std::string_view, std::string LeopardOperation::*>;
  static constexpr std::array<Member, 7> kTexts{{{"threadID", &LeopardOperation::thread},
                                                 {"transactionID", &LeopardOperation::transaction},
                                                 {"operationID", &LeopardOperation::operation},
                                                 {"isolationLevel", &LeopardOperation::level},
                                                 {"sql", &LeopardOperation::sql},
                                                 {"savepoint", &LeopardOperation::savepoint},
                                                 {"exception", &LeopardOperation::exception}}};
  const auto text = std::ranges::find(kTexts, member, &Member::first);
  if (text != kTexts.end()) {
    operation.*text->second = read_text();
  } else if (member == "operationTraceType") {
    operation.type = read_text();
    operation.kind = named(kKinds, operation.type, at, "START, SELECT, UPDATE, INSERT, DELETE, COMMIT, ...");
  } else if (member == "startTimestamp") {
    operation.time.begin = read_time();
  } else if (member == "finishTimestamp") {
    operation.time.end = read_time();
  } else if (member == "traceLockMode") {
    if (const std::string word = read_text(); !word.empty())
      operation.lock = named(kLocks, word, at, "NON_LOCK, SHARE_LOCK or EXCLUSIVE_LOCK");
  } else if (member == "readMode") {
    if (const std::string word = read_text(); !word.empty())
      operation.read = named(kReads, word, at, "CONSISTENT_READ, LOCKING_READ or UNCOMMITTED_READ");
  } else if (member == "readTupleList") {
    operation.rows_read = read_rows();
  } else if (member == "writeTupleList") {
    operation.rows_written = read_rows();
  } else {
    cursor_.skip();
  }
}

// The spelling of a string or a number; none for null.
std::optional<std::string> LeopardReader::read_scalar() {
  if (cursor_.peek() != FormShape::Scalar) throw FormProblem{cursor_.at(), "expected a plain value"};
  if (cursor_.at_word()) return std::string(cursor_.word());
  const Value value = cursor_.scalar(scratch_);
  if (value.is_nil()) return {};
  if (value.kind() == Value::Kind::Boolean) return value.as_boolean() ? "true" : "false";
  return value.is_integer() ? std::to_string(value.as_integer()) : std::string(scratch_.characters(value));
}
std::string LeopardReader::read_text() { return read_scalar().value_or(std::string()); }

Time LeopardReader::read_time() {
  cursor_.peek();
  const char* const at = cursor_.at();
  const std::string digits = read_text();
  const std::optional<Time> time = parse_integer<Time>(digits);
  if (!time) throw FormProblem{at, "expected a time in whole nanoseconds"};
  return *time;
}

std::vector<LeopardRow> LeopardReader::read_rows() {
  std::vector<LeopardRow> rows;
  const FormShape shape = cursor_.peek();
  if (shape == FormShape::Scalar && !read_scalar()) return rows;  // null
  if (shape != FormShape::Sequence) throw FormProblem{cursor_.at(), "expected '[', rows"};
  cursor_.open();
  while (cursor_.more()) rows.push_back(read_row());
  return rows;
}

LeopardRow LeopardReader::read_row() {
  if (cursor_.peek() != FormShape::Map) throw FormProblem{cursor_.at(), "expected '{', a row"};
  const char* const at = cursor_.at();
  LeopardRow row;
  bool has_key = false;
  cursor_.open();
  while (cursor_.more()) {
    const std::string_view field = cursor_.field();
    if (field == "table") {
      row.table = read_text();
    } else if (field == "primaryKey") {
      row.key = read_text();
      has_key = true;
    } else if (field == "valueMap") {
      read_cells(row);
    } else {
      cursor_.skip();
    }
  }
  if (row.table.empty()) throw FormProblem{at, "expected a \"table\" in this row"};
  if (!has_key) throw FormProblem{at, "expected a \"primaryKey\" in this row"};
  std::ranges::sort(row.cells, {}, &LeopardCell::column);
  return row;
}

void LeopardReader::read_cells(LeopardRow& row) {
  const FormShape shape = cursor_.peek();
  if (shape == FormShape::Scalar && !read_scalar()) return;  // null
  if (shape != FormShape::Map) throw FormProblem{cursor_.at(), "expected '{', columns and values"};
  cursor_.open();
  while (cursor_.more()) {
    std::string column(cursor_.field());
    row.cells.push_back({std::move(column), read_scalar()});
  }
}

std::optional<std::int64_t> leopard_number(const std::string& text) {
  const std::optional<std::int64_t> number = parse_integer<std::int64_t>(text);
  return number && std::to_string(*number) == text ? number : std::nullopt;
}

std::string leopard_table(std::string_view sql) {
  constexpr std::string_view kBlanks = " \t\r\n(";
  bool is_next = false;
  while (true) {
    sql.remove_prefix(std::min(sql.find_first_not_of(kBlanks), sql.size()));
    if (sql.empty()) return {};
    const std::string_view word = sql.substr(0, sql.find_first_of(" \t\r\n(;,"));
    if (is_next) {
      std::string table(word);
      std::erase_if(table, [](char c) { return c == '"' || c == '`'; });
      return table;
    }
    is_next = same_word(word, "FROM") || same_word(word, "UPDATE") || same_word(word, "INTO");
    sql.remove_prefix(std::max<std::size_t>(word.size(), 1));
  }
}

}  // namespace serval
