#include "serval/database/simulated/shared_store.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/database/key_value/key_value_tables.h"
#include "serval/workload/aggregate.h"

namespace serval::simulated {
namespace {

[[noreturn]] void refuse_conflict(const std::string& message) {
  throw TransactionFailure(FailureCause::Serialization, Outcome::Aborted, message);
}

}  // namespace

SharedStore::SharedStore(SimulatedLevel level, std::span<const SimulatedBug> bugs, std::uint64_t seed,
                         const Schema& schema)
    : Store({.level = level, .bugs = bugs, .seed = seed, .initial = Value::nil(), .has_ranges = true}),
      columns_(1) {
  for (const TableInfo& info : schema) {
    const bool lists = info.holds == TableInfo::Holds::Lists;
    const auto table = static_cast<std::uint32_t>(tables_.size());
    tables_.push_back({lists, initial_columns(info), {}});
    if (lists || info.initial == TableInfo::Initial::Absent) continue;
    for (std::uint64_t key = 0; key < info.rows; ++key) {
      load(key_of(table, key), Value::integer(0));
      columns_.push_back(tables_.back().initial_columns);
    }
  }
}

// Sessions.

SharedStore::Session SharedStore::open_session() {
  const std::lock_guard lock(mutex_);
  const Session session = sessions_.emplace(sessions_.end());
  session->session = Store::open_session();
  return session;
}

void SharedStore::close_session(Session session) {
  const std::lock_guard lock(mutex_);
  if (is_open(*session)) Store::roll_back(*session);
  Store::close_session(session->session);
  sessions_.erase(session);
}

void SharedStore::begin(Session session) {
  const std::lock_guard lock(mutex_);
  session->restart();
  session->state_seen.reset();
  session->ranges.clear();
  session->columns.clear();
  Store::begin(*session);
}

void SharedStore::roll_back(Session session) {
  const std::lock_guard lock(mutex_);
  if (is_open(*session)) Store::roll_back(*session);
}

// Rows.

Key SharedStore::key_of(std::uint32_t table, std::uint64_t key) {
  const auto [found, fresh] = tables_[table].rows.try_emplace(key, places_.size());
  if (fresh) places_.push_back({table, key});
  return found->second;
}

SharedStore::Row SharedStore::row_of(Key key, VersionId version) const {
  Row row;
  if (tables_[places_[key].table].holds_lists) {
    for (const Value element : versions().elements(key, version)) row.list.push_back(element.as_integer());
    return row;
  }
  const Value tag = versions()[version].value;
  row.present = !tag.is_nil();
  if (row.present) row.tag = tag.as_integer();
  row.columns = columns_[version];
  return row;
}

bool SharedStore::matches(const Request& range, Key key, const Row& row) const {
  if (!row.present) return false;
  const std::int64_t value = range.column == Request::kKey ? static_cast<std::int64_t>(places_[key].key)
                                                           : row.columns.at(range.column);
  return range.low <= value && value <= range.high;
}

void SharedStore::apply(const SharedTransaction& writer, const PendingWrite& write, Row& row) const {
  if (write.append) return row.list.push_back(write.value.as_integer());
  if (write.value.is_nil()) {
    row = {};
    return;
  }
  if (!row.present) row.columns = tables_[places_[write.key].table].initial_columns;
  const auto columns = writer.columns.find(write.key);
  if (columns != writer.columns.end()) row.columns = columns->second;
  row.present = true;
  row.tag = write.value.as_integer();
}

void SharedStore::apply_pending(const Transaction& writer, Key key, Row& row) const {
  for (std::size_t i = writer.installed; i < writer.writes.size(); ++i)
    if (writer.writes[i].key == key)
      apply(static_cast<const SharedTransaction&>(writer), writer.writes[i], row);
}

void SharedStore::note_installed(const Transaction& transaction, std::span<const PendingWrite> writes) {
  for (const PendingWrite& write : writes) {
    if (write.version >= columns_.size()) columns_.resize(write.version + 1);
    if (write.append) continue;
    Row row = row_of(write.key, versions()[write.version].older);
    apply(static_cast<const SharedTransaction&>(transaction), write, row);
    columns_[write.version] = std::move(row.columns);
  }
}

// Requests.

SharedStore::Row SharedStore::read_row(SharedTransaction& transaction, Key key, bool locks) {
  Row row = row_of(key, read(transaction, key));
  if (locks) transaction.locked.push_back(transaction.reads.back());
  if (const Transaction* dirty = dirty_writer(transaction, key)) apply_pending(*dirty, key, row);
  apply_pending(transaction, key, row);
  return row;
}

// Partial writes are appends and writes of rows with columns. A write that locks must also see the
// newest version: otherwise the transaction would read a list that never existed after its own append,
// and an update of some columns would bring back a deleted row.
void SharedStore::add(SharedTransaction& transaction, const PendingWrite& pending) {
  const Place place = places_[pending.key];
  const bool partial = pending.append || !tables_[place.table].initial_columns.empty();
  const bool checked = level().locks == Locks::All || (level().locks == Locks::Partial && partial);
  if (checked && (is_locked(transaction, pending.key) || is_outdated(transaction, pending.key)) &&
      !bugs_.fires(SimulatedBugKind::SkippedValidation))
    refuse_conflict(fmt::format("row {} is locked or has changed", place.key));
  write(transaction, pending);
}

void SharedStore::put(SharedTransaction& transaction, Key key, const Request& request) {
  const PendingWrite* own = transaction.find_write(key);
  const bool after_delete = own != nullptr && own->value.is_nil();
  add(transaction, {.key = key, .value = Value::integer(request.tag)});
  if (!request.columns.empty())
    transaction.columns[key] = request.columns;
  else if (after_delete)
    transaction.columns[key] = tables_[request.table].initial_columns;
}

Answer SharedStore::answer(SharedTransaction& transaction, const Request& request) {
  const Key key = key_of(request.table, request.key);
  Answer out;
  if (request.kind == Kind::Write) {
    put(transaction, key, request);
    return out;
  }
  if (request.kind == Kind::Append) {
    add(transaction, {.key = key, .value = Value::integer(request.tag), .append = true});
    return out;
  }
  const Row seen = read_row(transaction, key, request.locks);
  if (seen.present) out.rows.push_back({request.key, seen.tag, seen.columns});
  out.list = seen.list;
  if (only_reads(request.kind)) return out;
  out.applied = seen.present != (request.kind == Kind::Insert);
  if (request.kind == Kind::CompareAndSet && seen.tag != request.expected) out.applied = false;
  if (out.applied && request.kind == Kind::Delete) add(transaction, {.key = key, .value = Value::nil()});
  if (out.applied && request.kind != Kind::Delete) put(transaction, key, request);
  return out;
}

Answer SharedStore::answer_range(SharedTransaction& transaction, const Request& request) {
  const bool by_key = request.column == Request::kKey;
  const std::uint64_t low = by_key ? static_cast<std::uint64_t>(std::max<std::int64_t>(request.low, 0)) : 0;
  const std::uint64_t high = by_key ? static_cast<std::uint64_t>(std::max<std::int64_t>(request.high, 0))
                                    : std::numeric_limits<std::uint64_t>::max();
  transaction.ranges.push_back(request);
  Answer out;
  const auto& rows = tables_[request.table].rows;
  for (auto at = rows.lower_bound(low); at != rows.end() && at->first <= high; ++at) {
    const Key key = at->second;
    const std::size_t reads = transaction.reads.size();
    Row row = read_row(transaction, key, request.locks);
    if (!matches(request, key, row)) {
      transaction.reads.resize(reads);  // The range itself is checked instead.
      if (request.locks) transaction.locked.pop_back();
      continue;
    }
    if (request.kind == Kind::DeleteRange) add(transaction, {.key = key, .value = Value::nil()});
    if (request.kind == Kind::UpdateRange) {
      put(transaction, key, request);
      apply_pending(transaction, key, row);
    }
    out.rows.push_back({at->first, row.tag, row.columns});
  }
  if (request.kind != Kind::Scan) out.matched = out.changed = static_cast<std::int64_t>(out.rows.size());
  answer_aggregate(request, out);
  return out;
}

Answer SharedStore::perform(Session session, const Request& request) {
  const std::lock_guard lock(mutex_);
  expects(is_open(*session) && request.table < tables_.size(), "an open transaction and a table");
  session->state_seen = state_seen(view_of(*session));
  ++steps_;
  stepped_.notify_all();
  try {
    return is_range(request.kind) ? answer_range(*session, request) : answer(*session, request);
  } catch (const TransactionFailure&) {
    Store::roll_back(*session);
    throw;
  }
}

// Commit.

bool SharedStore::ranges_are_outdated(const Transaction& transaction) const {
  const auto& ranges = static_cast<const SharedTransaction&>(transaction).ranges;
  return changed_since(*transaction.view, [&](Key key, VersionId before, VersionId after) {
    return std::ranges::any_of(ranges, [&](const Request& range) {
      return range.table == places_[key].table &&
             (matches(range, key, row_of(key, before)) || matches(range, key, row_of(key, after)));
    });
  });
}

Outcome SharedStore::commit(Session session) {
  // A fractured commit stays half-done long enough for others to see it, but not forever if none of them
  // runs.
  constexpr std::uint64_t kSteps = 20;
  constexpr std::chrono::milliseconds kMost(20);
  std::unique_lock lock(mutex_);
  expects(is_open(*session), "an open transaction");
  ++steps_;
  const CommitAnswer answer = Store::commit(*session);
  if (answer == CommitAnswer::Conflict)
    refuse_conflict("another transaction has changed what this one read or writes");
  if (answer == CommitAnswer::HalfWay) {
    stepped_.wait_for(lock, kMost, [this, until = steps_ + kSteps] { return steps_ >= until; });
    complete(*session);
  }
  return answer == CommitAnswer::SaidToAbort ? Outcome::Aborted : Outcome::Committed;
}

}  // namespace serval::simulated
