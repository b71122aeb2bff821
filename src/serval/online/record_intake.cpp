#include "serval/online/record_intake.h"

#include <charconv>

namespace serval::online {
namespace {

// For transactions at a level without a profile: their writes count, but nothing is promised.
const Profile& silent_profile() {
  static const Profile profile = {.database = "none",
                                  .isolation = "none",
                                  .level = Level::ReadUncommitted,
                                  .protocol = "",
                                  .plain_read = ReadMode::Uncommitted,
                                  .locking_read = ReadMode::Uncommitted,
                                  .writing_read = ReadMode::Uncommitted,
                                  .write_lock = LockMode::None};
  return profile;
}

// A list is identified by its last element, as appends name it; if that is not a number, only its
// presence counts.
StoredValue last_element(std::string_view list) {
  if (list == "[]") return StoredValue::nil();
  const std::size_t from = list.find_last_of("[,") + 1;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(list.data() + from, list.data() + list.size(), number);
  if (error != std::errc{} || *end != ']') return StoredValue::present();
  return StoredValue::of(TraceValue::of(number));
}

// Clients record an update or delete that found no row as a read of nothing.
bool may_be_a_missed_write(const Record& record) {
  return record.operation == OperationKind::Read && record.read_mode == ReadMode::Unstated &&
         record.row_count == 1 && record.rows->value.is_nil();
}

bool is_same(const Interval& a, const Interval& b) { return a.begin == b.begin && a.end == b.end; }

}  // namespace

void RecordIntake::note_fact(std::uint32_t key, const StoredValue& initial, bool or_nil, bool is_new) {
  facts_.push_back({.place = keys_.place(key),
                    .row = keys_.place(keys_.row(key)).local,
                    .name = keys_.names().hash(key),
                    .initial = initial,
                    .initial_or_nil = or_nil,
                    .is_new = is_new});
}

std::uint32_t RecordIntake::number_of(const RecordRow& row, Time now) {
  return keys_.intern(row.key, row.column, now, [&](std::uint32_t number) {
    // For a column it is unknown whether its row existed.
    const bool open = keys_.is_column(number) && initial_.is_nil();
    note_fact(number, open ? StoredValue::anything() : initial_, initial_or_nil_, true);
  });
}

void RecordIntake::note_initial(const Record& record) {
  for (const RecordRow& row : record.cells()) {
    if (row.key.is_nil()) {
      initial_ = StoredValue::of(row.value);
      initial_or_nil_ = true;
      continue;
    }
    const std::uint32_t key = number_of(row, record.time.begin);
    note_fact(key, StoredValue::of(row.value), false, false);
    if (keys_.is_column(key)) note_fact(keys_.row(key), StoredValue::present(), false, false);
  }
}

void RecordIntake::begin(const Record& record, LiveTransaction& transaction) const {
  transaction.number = record.transaction;
  transaction.session = record.session;
  transaction.begin = transaction.last_operation = record.time.begin;
  const Profile* row = sibling(profile_, record.isolation);
  transaction.profile = row != nullptr ? row : &silent_profile();
  transaction.in_graph = transaction.profile == &profile_ || profile_.cycles == CycleRule::InformationFlow;
  if (record.kind != RecordKind::Begin) return;
  if (record.consistent_snapshot) {
    transaction.snapshot = record.time;
    transaction.has_snapshot = true;
  }
}

// The snapshot of a transaction is fixed by this operation at the latest. An unrecorded statement may
// have fixed it earlier: a client's "select 1", or BEGIN with a consistent snapshot. So the lower bound
// is the begin of the transaction.
void RecordIntake::take_snapshot(const Record& record, LiveTransaction& transaction) const {
  if (transaction.has_snapshot) return;
  const bool reads = record.operation == OperationKind::Read || record.operation == OperationKind::ReadList ||
                     record.operation == OperationKind::PredicateRead;
  switch (transaction.profile->snapshot) {
    case SnapshotPoint::Statement:
    case SnapshotPoint::Anytime:
      return;
    case SnapshotPoint::FirstStatement:
    case SnapshotPoint::Begin:  // Some databases take it lazily.
      break;
    case SnapshotPoint::FirstConsistentRead: {
      const bool plain = reads && record.lock == LockMode::None && record.read_mode != ReadMode::Locking;
      if (!plain || may_be_a_missed_write(record)) return;
    }
  }
  transaction.snapshot = {transaction.begin, record.time.end};
  transaction.has_snapshot = true;
  transaction.snapshot_statement = transaction.statements;
}

RecordIntake::Way RecordIntake::reading(const Record& record, const Profile& profile, ReadMode mode) const {
  const LockMode lock = record.lock != LockMode::None ? record.lock : profile.plain_lock;
  if (record.read_mode != ReadMode::Unstated) mode = record.read_mode;
  return {Access::Kind::Read, mode, lock};
}

RecordIntake::Way RecordIntake::writing(const Record& record, const Profile& profile) const {
  // Rows that matched but did not change are locked and keep their values.
  const bool unchanged = record.rows_changed == 0 && record.rows_matched != 0;
  const bool some = record.rows_changed > 0 &&
                    static_cast<std::uint32_t>(record.rows_changed) < record.row_count &&
                    is_predicate(record.operation);
  // An operation that never completed may have failed before it got its lock.
  const LockMode lock = record.time.end == kUnknownEnd ? LockMode::None : profile.write_lock;
  return {unchanged ? Access::Kind::Lock : Access::Kind::Write, ReadMode::Unstated, lock, some};
}

void RecordIntake::add(const RecordRow& row, bool first_of_key, const Way& way, const Record& record,
                       LiveTransaction& transaction) {
  const Profile& profile = *transaction.profile;
  const bool waits = profile.snapshot == SnapshotPoint::Statement && profile.write_lock != LockMode::None;
  const bool deletes =
      record.operation == OperationKind::Delete || record.operation == OperationKind::PredicateDelete;
  Access access{.time = record.time,
                .key = number_of(row, record.time.begin),
                .statement = transaction.statements,
                .kind = way.kind,
                .mode = way.mode,
                .lock = way.lock,
                .perhaps_writing = way.kind == Access::Kind::Read && may_be_a_missed_write(record) &&
                                   (way.mode != profile.writing_read || waits),
                .maybe = way.maybe};
  transaction.wrote |= way.kind == Access::Kind::Write;
  access.local = keys_.place(access.key).local;
  if (row.value.kind == TraceValue::Kind::List)
    access.value = last_element(row.value.text());
  else if (!(deletes && way.kind == Access::Kind::Write))
    access.value = StoredValue::of(row.value);
  if (!row.column.empty()) {
    if (first_of_key) {
      Access whole = access;
      whole.key = keys_.row(access.key);
      whole.local = keys_.place(whole.key).local;
      whole.value = StoredValue::present();
      transaction.accesses.push_back(whole);
    }
    access.lock = LockMode::None;
    if (way.kind == Access::Kind::Lock) return;
  }
  transaction.accesses.push_back(access);
}

void RecordIntake::add_all(std::span<const RecordRow> rows, const Way& way, const Record& record,
                           LiveTransaction& transaction) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    add(rows[i], i == 0 || !(rows[i].key == rows[i - 1].key), way, record, transaction);
}

// A read with the times of the following write belongs to the same statement: it read what the write
// replaced.
void RecordIntake::note_replaced(const Record& record, LiveTransaction& transaction) {
  if (transaction.accesses.empty() || record.row_count != 1) return;
  Access& last = transaction.accesses.back();
  if (last.kind != Access::Kind::Read || !is_same(last.time, record.time)) return;
  if (last.key != number_of(*record.rows, record.time.begin)) return;
  const Profile& profile = *transaction.profile;
  if (last.mode == ReadMode::Uncommitted) return;
  last.mode = profile.writing_read;
  last.lock = LockMode::None;  // The lock of the write counts.
  if (profile.snapshot == SnapshotPoint::FirstConsistentRead && transaction.has_snapshot &&
      transaction.snapshot_statement == last.statement) {
    transaction.has_snapshot = false;
    transaction.snapshot.end = kUnknownEnd;
  }
}

void RecordIntake::note_region(const Record& record, LiveTransaction& transaction) const {
  const Profile& profile = *transaction.profile;
  const bool writes = record.operation != OperationKind::PredicateRead;
  const LockMode mode = writes ? profile.write_lock : record.lock;
  if (mode == LockMode::None || profile.write_lock == LockMode::None) return;
  if (record.time.end == kUnknownEnd) return;
  std::optional<RegionLock> region = region_lock_of(record);
  if (!region) return;
  const bool current =
      profile.snapshot == SnapshotPoint::Statement || profile.writing_read == ReadMode::Locking;
  region->lock.mode = mode;
  region->holds = !transaction.wrote && (record.rows_matched > 0 || record.row_count > 0);
  region->waits = writes && current;
  if (region->holds || region->waits) transaction.regions.push_back(std::move(*region));
}

void RecordIntake::note(const Record& record, LiveTransaction& transaction) {
  const Profile& profile = *transaction.profile;
  const std::span<const RecordRow> rows = record.cells();
  if (record.predicate != nullptr) note_region(record, transaction);
  if (record.time.end != kUnknownEnd) transaction.last_operation = record.time.begin;
  take_snapshot(record, transaction);
  switch (record.operation) {
    case OperationKind::Read:
    case OperationKind::ReadList:
    case OperationKind::PredicateRead: {
      const ReadMode mode = record.lock == LockMode::None ? profile.plain_read : profile.locking_read;
      add_all(rows, reading(record, profile, mode), record, transaction);
      break;
    }
    case OperationKind::InsertMiss:
      add_all(rows, reading(record, profile, profile.locking_read), record, transaction);
      break;
    case OperationKind::CompareAndSet:
      if (rows.size() != 2) break;
      add_all(rows.first(1), {Access::Kind::Read, profile.writing_read, LockMode::None}, record, transaction);
      add_all(rows.last(1), writing(record, profile), record, transaction);
      break;
    case OperationKind::CompareAndSetMiss:
      if (rows.size() != 2) break;
      add_all(rows.last(1), {Access::Kind::Read, profile.locking_read, LockMode::None}, record, transaction);
      break;
    case OperationKind::Write:
      note_replaced(record, transaction);
      [[fallthrough]];
    case OperationKind::Append:
    case OperationKind::Insert:
    case OperationKind::Delete:
    case OperationKind::PredicateUpdate:
    case OperationKind::PredicateDelete:
      add_all(rows, writing(record, profile), record, transaction);
      break;
  }
  ++transaction.statements;
}

void RecordIntake::close(const Record& record, LiveTransaction& transaction) const {
  transaction.end = record.time;
  using State = LiveTransaction::State;
  transaction.state = record.kind == RecordKind::Commit  ? State::Committed
                      : record.kind == RecordKind::Abort ? State::Aborted
                                                         : State::Indeterminate;
  if (transaction.state == State::Aborted) transaction.last_answered = transaction.find_last_answered();
  if (transaction.profile->snapshot == SnapshotPoint::Anytime)
    transaction.snapshot = {transaction.begin, transaction.end.end};
}

}  // namespace serval::online
