#include "serval/stream/leopard_stream.h"

#include <algorithm>
#include <array>
#include <utility>

#include "serval/base/error.h"
#include "serval/formats/leopard/leopard_json.h"
#include "serval/predicate/parse_sql.h"

namespace serval {
namespace {

using Kind = LeopardOperation::Kind;

constexpr std::array<std::pair<std::string_view, StatedLevel>, 4> kLevels{
    {{"READ_UNCOMMITTED", StatedLevel::ReadUncommitted},
     {"READ_COMMITTED", StatedLevel::ReadCommitted},
     {"REPEATABLE_READ", StatedLevel::RepeatableRead},
     {"SERIALIZABLE", StatedLevel::Serializable}}};

StatedLevel level_named(std::string_view name) {
  const auto found = std::ranges::find(kLevels, name, &decltype(kLevels)::value_type::first);
  return found == kLevels.end() ? StatedLevel::Unstated : found->second;
}

TraceValue value_of(const LeopardCell& cell, RecordBatch& batch) {
  if (!cell.value) return {};
  if (const auto number = leopard_number(*cell.value)) return TraceValue::of(*number);
  return batch.text(*cell.value);
}

void add_cells(const LeopardRow& row, RecordBatch& batch, std::vector<RecordRow>& rows) {
  const TraceValue key = batch.text(row.name());
  if (row.cells.empty()) rows.push_back({key, {}, {}});
  for (const LeopardCell& cell : row.cells)
    rows.push_back({key, value_of(cell, batch), batch.keep(cell.column)});
}

void name_table(Predicate& tree, const std::string& table) {
  const bool names_column = tree.node == Predicate::Node::Column || tree.node == Predicate::Node::Set;
  if (names_column && tree.name.find('.') == std::string::npos) tree.name = table + "." + tree.name;
  for (Predicate& child : tree.children) name_table(child, table);
}

OperationKind operation_kind(const LeopardOperation& operation) {
  switch (operation.kind) {
    case Kind::Update:
      return OperationKind::PredicateUpdate;
    case Kind::Insert:
      return OperationKind::Insert;
    case Kind::Delete:
      return OperationKind::PredicateDelete;
    default:
      return OperationKind::PredicateRead;
  }
}

}  // namespace

void LeopardStream::take(const LeopardOperation& operation) {
  if (operation.kind == Kind::Other) return;
  if (!open_.empty() && open_.front().transaction != operation.transaction) append_transaction();
  open_.push_back(operation);
  if (operation.kind == Kind::Commit || operation.kind == Kind::Rollback) append_transaction();
}

void LeopardStream::finish_transaction() {
  if (!open_.empty()) append_transaction();
}

Record& LeopardStream::next() {
  Record& record = feed_.batch().add();
  record.transaction = number_;
  return record;
}

void LeopardStream::append_transaction() {
  number_ = numbers_.first;
  numbers_.first += numbers_.step;
  ++intake_.transactions;
  const LeopardOperation last = open_.back();
  const bool commits = last.kind == Kind::Commit, aborts = last.kind == Kind::Rollback;
  if (commits || aborts) open_.pop_back();
  if (commits && !last.savepoint.empty()) {
    const auto kept = std::ranges::find(open_, last.savepoint, &LeopardOperation::operation);
    if (kept != open_.end()) open_.erase(kept + 1, open_.end());
  }
  const LeopardOperation& first = open_.empty() ? last : open_.front();
  Record& begin = next();
  begin.kind = RecordKind::Begin;
  begin.time = first.kind == Kind::Start ? first.time : Interval{first.time.begin, first.time.begin};
  begin.isolation = level_named(first.level);
  begin.read_only = first.kind == Kind::Start && first.lock == LeopardOperation::Lock::None;
  begin.consistent_snapshot = first.kind == Kind::Start && first.read == ReadMode::Consistent;
  RecordBatch& batch = feed_.batch();
  const TraceValue session = batch.text(first.thread), label = batch.text(first.transaction);
  batch.set_rows(batch.records().back(), {{.key = session, .value = label, .column = {}}});
  for (const LeopardOperation& operation : open_)
    if (operation.kind != Kind::Start) append(operation);
  Interval ended = last.time;
  if (!commits && !aborts) ended = {last.time.end, kUnknownEnd};
  append_end(commits ? RecordKind::Commit : aborts ? RecordKind::Abort : RecordKind::Indeterminate, ended);
  open_.clear();
  feed_.advance();
}

void LeopardStream::append_end(RecordKind kind, Interval time) {
  Record& end = next();
  end.kind = kind;
  end.time = time;
}

void LeopardStream::append(const LeopardOperation& operation) {
  const TracePredicate* const predicate = predicate_of(operation);
  Record& record = next();
  record.kind = RecordKind::Operation;
  record.operation = operation_kind(operation);
  record.time = operation.time;
  record.predicate = predicate;
  using Lock = LeopardOperation::Lock;
  record.lock = operation.lock == Lock::Exclusive ? LockMode::Exclusive
                : operation.lock == Lock::Shared  ? LockMode::Shared
                                                  : LockMode::None;
  record.read_mode = operation.read;
  append_rows(record, operation);
}

void LeopardStream::append_rows(Record& record, const LeopardOperation& operation) {
  rows_.clear();
  const auto& rows = operation.kind == Kind::Select ? operation.rows_read : operation.rows_written;
  for (const LeopardRow& row : rows)
    if (!row.key.empty()) add_cells(row, feed_.batch(), rows_);
  feed_.batch().set_rows(record, rows_);
}

// MySQL has its own quotes for names. An unsupported condition is left out: then any row may match.
const TracePredicate* LeopardStream::predicate_of(const LeopardOperation& operation) {
  if (operation.sql.empty() || operation.kind == Kind::Insert || !reads_sql_statements()) return nullptr;
  std::string sql = operation.sql;
  std::ranges::replace(sql, '`', '"');
  try {
    Predicate tree = parse_sql(sql, feed_.batch().literals());
    name_table(tree, leopard_table(sql));
    return feed_.batch().predicate(std::move(tree));
  } catch (const InputError&) {
    return nullptr;
  }
}

void start_with_tables(Intake& intake, const std::vector<std::string>& tables, Budget& budget) {
  if (tables.empty()) return intake.start_with_unknown();
  const auto add = [&](RecordBatch& batch) {
    for (const std::string& table : tables)
      read_leopard_table(table, &budget, [&](const LeopardRow& row) {
        std::vector<RecordRow> cells;
        add_cells(row, batch, cells);
        batch.set_rows(batch.add(), cells);
      });
  };
  intake.start_with(add, "tables", {{"recorder", "leopard"}});
}

}  // namespace serval
