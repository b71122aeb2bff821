#include "serval/database/simulated/rows/row_database.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "serval/base/contract.h"

namespace serval::simulated {
namespace {

using Bug = SimulatedBugKind;
using Checks = RowLevelInfo::Checks;
using Kind = RowRequest::Kind;

Position back_from(Position position, Position steps) { return position - std::min(position, steps); }

template <class Transaction>
auto find_write(Transaction& transaction, Key key) {
  return std::ranges::find(transaction.writes, key, &RowTransaction::PendingRow::key);
}

OperationKind recorded_kind(Kind kind) {
  if (kind == Kind::UpdateRange) return OperationKind::PredicateUpdate;
  return kind == Kind::DeleteRange ? OperationKind::PredicateDelete : OperationKind::PredicateRead;
}

}  // namespace

RowDatabase::RowDatabase(const RowLevelInfo& level, std::span<const SimulatedBug> bugs,
                         std::uint32_t sessions, std::uint64_t seed, Looks looks, ValuePool& values)
    : level_(level),
      looks_(looks),
      bugs_(bugs, Random(seed).next()),
      random_(seed),
      values_(values),
      sessions_(sessions),
      max_lag_(2 * Position{sessions} + 8) {}

void RowDatabase::begin(RowTransaction& transaction) { sessions_[transaction.session].open = &transaction; }

void RowDatabase::quiesce() {
  rest_floor_ = position_;
  for (Session& session : sessions_) session.floor = position_;
}

Position RowDatabase::choose_snapshot(const RowTransaction& transaction) {
  using Snapshots = RowLevelInfo::Snapshots;
  const bool may_lag = level_.snapshots != Snapshots::Newest &&
                       (level_.checks != Checks::All || transaction.plan.only_reads());
  if (!may_lag || random_.chance(0.5)) return position_;
  const Position floor = level_.snapshots == Snapshots::Session ? sessions_[transaction.session].floor : 0;
  return std::max({floor, rest_floor_, back_from(position_, random_.below(max_lag_ + 1))});
}

Position RowDatabase::statement_snapshot(RowTransaction& transaction) {
  if (level_.reads == RowLevelInfo::Reads::NewestCommit) return position_;
  if (!transaction.snapshot) transaction.snapshot = choose_snapshot(transaction);
  return *transaction.snapshot;
}

RowDatabase::Answer RowDatabase::perform(RowTransaction& transaction, const RowRequest& request,
                                         Interval time) {
  const Position snapshot = statement_snapshot(transaction);
  return request.kind < Kind::Scan ? perform_on_row(transaction, request, time, snapshot)
                                   : perform_on_range(transaction, request, time, snapshot);
}

void RowDatabase::perform_newest(RowTransaction& transaction, const RowRequest& request, Interval time) {
  const Answer answer = request.kind < Kind::Scan ? perform_on_row(transaction, request, time, position_)
                                                  : perform_on_range(transaction, request, time, position_);
  expects(answer == Answer::Done, "a database at rest");
}

// Single rows.

Value RowDatabase::format(const RowContents& row, std::int64_t tag) {
  if (!row.present) return Value::nil();
  std::array<char, 96> text{};
  const auto end =
      row.place ? fmt::format_to_n(text.data(), text.size(), R"({{"place":{},"value":{}}})", *row.place, tag)
                : fmt::format_to_n(text.data(), text.size(), R"({{"place":null,"value":{}}})", tag);
  return values_.row({text.data(), end.size});
}

RowTransaction::PendingRow RowDatabase::read(RowTransaction& transaction, Key key, Position snapshot) {
  const auto own = find_write(transaction, key);
  if (own != transaction.writes.end()) return *own;
  const CommittedRow& seen = rows_.visible(key, snapshot);
  transaction.reads.emplace_back(key, seen.position);
  return {key, seen.row, seen.value};
}

// Where commits check nothing, rows are locked, as otherwise an update could bring back what was deleted.
RowDatabase::Answer RowDatabase::write(RowTransaction& transaction, const PendingRow& row) {
  if (level_.checks == Checks::Nothing) {
    if (row.key >= lock_holders_.size()) lock_holders_.resize(row.key + 1, kNobody);
    std::uint32_t& holder = lock_holders_[row.key];
    if (holder != kNobody && holder != transaction.session) return Answer::Conflict;
    holder = transaction.session;
  }
  const auto own = find_write(transaction, row.key);
  if (own != transaction.writes.end())
    *own = row;
  else
    transaction.writes.push_back(row);
  return Answer::Done;
}

RowDatabase::Answer RowDatabase::perform_on_row(RowTransaction& transaction, const RowRequest& request,
                                                Interval time, Position snapshot) {
  const auto record = [&](OperationKind kind, Value value) {
    transaction.operations.push_back({.kind = kind, .key = request.key, .value = value, .time = time});
  };
  if (request.kind == Kind::Write) {
    const RowContents row{true, request.place};
    const Value value = format(row, ++last_tag_);
    record(OperationKind::Write, value);
    return write(transaction, {request.key, row, value});
  }
  const PendingRow seen = read(transaction, request.key, snapshot);
  const bool misses = seen.row.present == (request.kind == Kind::Insert);
  if (request.kind == Kind::Read || misses) {
    record(request.kind == Kind::Insert ? OperationKind::InsertMiss : OperationKind::Read, seen.value);
    return Answer::Done;
  }
  if (request.kind == Kind::Delete) {
    record(OperationKind::Delete, Value::nil());
    return write(transaction, {request.key, {}, Value::nil()});
  }
  RowContents row{true, request.place};
  if (request.kind == Kind::Increment) {
    row.place = seen.row.place ? std::optional((*seen.row.place + 1) % request.places) : std::nullopt;
    record(OperationKind::Read, seen.value);
  }
  const Value value = format(row, ++last_tag_);
  record(request.kind == Kind::Insert ? OperationKind::Insert : OperationKind::Write, value);
  return write(transaction, {request.key, row, value});
}

// Ranges.

std::vector<RowTransaction::PendingRow> RowDatabase::matching(RowTransaction& transaction,
                                                              const RowRange& range, Position snapshot) {
  std::vector<PendingRow> rows;
  for (const Key key : rows_.keys_in(range)) {
    if (find_write(transaction, key) != transaction.writes.end()) continue;
    const CommittedRow& seen = rows_.visible(key, snapshot);
    if (!matches(range, key, seen.row)) continue;
    transaction.reads.emplace_back(key, seen.position);
    rows.push_back({key, seen.row, seen.value});
  }
  const std::size_t committed = rows.size();
  for (const PendingRow& own : transaction.writes)
    if (matches(range, own.key, own.row)) rows.push_back(own);
  if (rows.size() > committed) std::ranges::sort(rows, {}, &PendingRow::key);
  return rows;
}

// NULL is passed over; of no place at all a count is 0, the others are NULL.
Value RowDatabase::aggregate(const RowRequest& request, std::span<const PendingRow> rows) {
  using Function = RowRequest::Function;
  const auto whole = [](std::size_t count) { return Value::integer(static_cast<std::int64_t>(count)); };
  if (request.function == Function::CountAll) return whole(rows.size());
  std::vector<std::int64_t> places;
  for (const PendingRow& row : rows)
    if (row.row.place) places.push_back(*row.row.place);
  if (request.function == Function::Count) return whole(places.size());
  if (places.empty()) return Value::nil();
  if (request.function == Function::Min) return Value::integer(std::ranges::min(places));
  if (request.function == Function::Max) return Value::integer(std::ranges::max(places));
  std::int64_t sum = 0;
  for (const std::int64_t place : places) sum += place;
  return Value::integer(sum);
}

void RowDatabase::note_looks(RecordedRowOperation& operation) const {
  if (looks_ == Looks::Forgotten) return;
  for (Key key = 0; key < rows_.key_count(); ++key) {
    const Position seen = rows_.visible(key, operation.snapshot).position;
    if (seen > 0) operation.looked.emplace_back(key, seen);
  }
}

RowDatabase::Answer RowDatabase::change(RowTransaction& transaction, std::span<const PendingRow> rows,
                                        RecordedRowOperation& operation) {
  const RowRequest& request = operation.request;
  operation.tag = ++last_tag_;
  for (const PendingRow& seen : rows) {
    PendingRow next{seen.key, {}, Value::nil()};
    if (request.kind == Kind::UpdateRange) {
      next.row = {true, request.place};
      if (request.step > 0)
        next.row.place =
            seen.row.place ? std::optional((*seen.row.place + request.step) % request.places) : std::nullopt;
      next.value = format(next.row, operation.tag);
    }
    if (write(transaction, next) == Answer::Conflict) return Answer::Conflict;
    operation.rows.push_back({next.key, next.value});
  }
  return Answer::Done;
}

RowDatabase::Answer RowDatabase::perform_on_range(RowTransaction& transaction, const RowRequest& request,
                                                  Interval time, Position snapshot) {
  const std::vector<PendingRow> rows = matching(transaction, request.range, snapshot);
  transaction.ranges.push_back(request.range);
  RecordedRowOperation operation{
      .kind = recorded_kind(request.kind), .time = time, .request = request, .snapshot = snapshot};
  note_looks(operation);
  Answer answer = Answer::Done;
  if (request.kind == Kind::Aggregate) {
    operation.value = aggregate(request, rows);
  } else if (request.kind == Kind::Scan) {
    for (const PendingRow& row : rows) operation.rows.push_back({row.key, row.value});
  } else {
    answer = change(transaction, rows, operation);
  }
  if (answer == Answer::Done) transaction.operations.push_back(std::move(operation));
  return answer;
}

// Commit.

bool RowDatabase::writes_are_outdated(const RowTransaction& transaction) const {
  return std::ranges::any_of(transaction.writes, [&](const PendingRow& row) {
    return rows_.newest(row.key).position > *transaction.snapshot;
  });
}

bool RowDatabase::reads_are_outdated(const RowTransaction& transaction) const {
  return std::ranges::any_of(
      transaction.reads, [&](const auto& read) { return rows_.newest(read.first).position != read.second; });
}

bool RowDatabase::ranges_are_outdated(const RowTransaction& transaction) const {
  const auto first = std::ranges::upper_bound(recent_, *transaction.snapshot, {}, &Commit::position);
  return std::any_of(first, recent_.end(), [&](const Commit& commit) {
    return std::ranges::any_of(transaction.ranges, [&](const RowRange& range) {
      return matches(range, commit.key, commit.before) || matches(range, commit.key, commit.after);
    });
  });
}

bool RowDatabase::has_conflict(const RowTransaction& transaction) {
  if (level_.checks == Checks::Nothing) return false;
  if (level_.checks == Checks::Reads) return reads_are_outdated(transaction) && !overlooks(Bug::WriteSkew);
  if (transaction.writes.empty()) return false;
  if (writes_are_outdated(transaction) && !overlooks(Bug::LostUpdate)) return true;
  if (level_.checks == Checks::Writes) return false;
  return (reads_are_outdated(transaction) || ranges_are_outdated(transaction)) && !overlooks(Bug::WriteSkew);
}

RowDatabase::Answer RowDatabase::commit(RowTransaction& transaction) {
  if (has_conflict(transaction)) {
    roll_back(transaction);
    return Answer::Conflict;
  }
  commit_unchecked(transaction);
  return Answer::Done;
}

void RowDatabase::commit_unchecked(RowTransaction& transaction) {
  if (!transaction.writes.empty()) install(transaction);
  finish(transaction);
}

void RowDatabase::install(RowTransaction& transaction) {
  transaction.commit_position = ++position_;
  for (const auto& [key, row, value] : transaction.writes) {
    recent_.push_back({position_, key, rows_.newest(key).row, row});
    rows_.install(key, {position_, row, value});
  }
  if (position_ % 16 == 0) move_horizon();
}

void RowDatabase::roll_back(RowTransaction& transaction) { finish(transaction); }

void RowDatabase::finish(RowTransaction& transaction) {
  for (const PendingRow& row : transaction.writes)
    if (row.key < lock_holders_.size() && lock_holders_[row.key] == transaction.session)
      lock_holders_[row.key] = kNobody;
  Session& session = sessions_[transaction.session];
  session.open = nullptr;
  session.floor =
      std::max({session.floor, transaction.snapshot.value_or(0), transaction.commit_position.value_or(0)});
}

void RowDatabase::move_horizon() {
  Position horizon = back_from(position_, max_lag_);
  for (const Session& session : sessions_)
    if (session.open != nullptr && session.open->snapshot)
      horizon = std::min(horizon, *session.open->snapshot);
  rows_.forget_before(horizon);
  while (!recent_.empty() && recent_.front().position <= horizon) recent_.pop_front();
}

}  // namespace serval::simulated
