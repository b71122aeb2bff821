#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "serval/database/simulated/planned_database.h"

namespace serval::simulated {

PlannedDatabase::Answer RowDatabase::perform(PlannedTransaction& transaction, Interval time) {
  view_of(transaction);
  const RowRequest& request = transaction.row_plan.requests[transaction.next_step++];
  return request.kind < Kind::Scan ? perform_on_row(transaction, request, time)
                                   : perform_on_range(transaction, request, time);
}

// Single rows.

Value RowDatabase::make_row(Place place, std::int64_t tag) {
  std::array<char, 96> text{};
  const auto end =
      place ? fmt::format_to_n(text.data(), text.size(), R"({{"place":{},"value":{}}})", *place, tag)
            : fmt::format_to_n(text.data(), text.size(), R"({{"place":null,"value":{}}})", tag);
  const Value row = values_.row({text.data(), end.size});
  if (row.pool_index() >= places_.size()) places_.resize(row.pool_index() + 1);
  places_[row.pool_index()] = place;
  return row;
}

Value RowDatabase::read_row(PlannedTransaction& transaction, Key key) {
  if (const PendingWrite* own = transaction.find_write(key)) return own->value;
  return versions()[read(transaction, key)].value;
}

// If commits check nothing, rows are locked: otherwise an update could bring back a deleted row.
PlannedDatabase::Answer RowDatabase::write_row(PlannedTransaction& transaction, Key key, Value row) {
  if (level().locks != SimulatedLevelInfo::Locks::None && is_locked(transaction, key))
    return Answer::Conflict;
  write(transaction, {.key = key, .value = row});
  return Answer::Done;
}

PlannedDatabase::Answer RowDatabase::perform_on_row(PlannedTransaction& transaction,
                                                    const RowRequest& request, Interval time) {
  const auto record = [&](OperationKind kind, Value value) {
    transaction.operations.push_back({kind, request.key, value, Value::nil(), time});
  };
  const auto write_as = [&](OperationKind kind, Place place) {
    const Value row = make_row(place, fresh_number());
    record(kind, row);
    return write_row(transaction, request.key, row);
  };
  if (request.kind == Kind::Write) return write_as(OperationKind::Write, request.place);
  const Value seen = read_row(transaction, request.key);
  const bool misses = seen.is_nil() != (request.kind == Kind::Insert);
  if (request.kind == Kind::Read || misses) {
    record(request.kind == Kind::Insert ? OperationKind::InsertMiss : OperationKind::Read, seen);
    return Answer::Done;
  }
  if (request.kind == Kind::Insert) return write_as(OperationKind::Insert, request.place);
  if (request.kind == Kind::Delete) {
    record(OperationKind::Delete, Value::nil());
    return write_row(transaction, request.key, Value::nil());
  }
  record(OperationKind::Read, seen);  // Increment.
  Place place = place_of(seen);
  if (place) place = (*place + 1) % request.places;
  return write_as(OperationKind::Write, place);
}

// Which keys may match.

void RowDatabase::note_installed(const Transaction&, std::span<const PendingWrite> writes) {
  for (const PendingWrite& write : writes) {
    const Place place = place_of(write.value);
    if (!place) continue;
    const auto index = static_cast<std::size_t>(*place);
    if (index >= at_place_.size()) at_place_.resize(index + 1);
    at_place_[index].push_back(write.key);
  }
}

// Keeps each key once, and only if one of its versions still has the place.
void RowDatabase::tidy_place(std::size_t place) {
  std::vector<Key>& keys = at_place_[place];
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::erase_if(keys, [&](Key key) {
    VersionId id = versions().newest(key);
    while (id != kInitialVersion && place_of(versions()[id].value) != static_cast<std::int64_t>(place))
      id = versions()[id].older;
    return id == kInitialVersion;
  });
}

// Ascending. Contains at least the keys with a retained version that matches.
const std::vector<Key>& RowDatabase::keys_in(const RowRange& range) {
  found_.clear();
  if (range.column == RowRange::Column::Key) {
    const Key last = std::min(static_cast<Key>(range.high) + 1, versions().key_count());
    for (Key key = static_cast<Key>(range.low); key < last; ++key) found_.push_back(key);
    return found_;
  }
  const std::size_t last = std::min(static_cast<std::size_t>(range.high) + 1, at_place_.size());
  for (auto place = static_cast<std::size_t>(range.low); place < last; ++place) {
    tidy_place(place);
    found_.insert(found_.end(), at_place_[place].begin(), at_place_[place].end());
  }
  std::ranges::sort(found_);
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  return found_;
}

// Ranges.

std::vector<RecordedRange::Row> RowDatabase::matching(PlannedTransaction& transaction,
                                                      const RowRange& range) {
  std::vector<Row> rows;
  for (const Key key : keys_in(range)) {
    if (transaction.find_write(key) != nullptr) continue;
    const Version& seen = versions()[versions().visible(key, *transaction.view)];
    if (!matches(range, key, seen.value)) continue;
    transaction.reads.push_back({key, seen.position});
    rows.push_back({key, seen.value});
  }
  const std::size_t committed = rows.size();
  for (const PendingWrite& own : transaction.writes)
    if (matches(range, own.key, own.value)) rows.push_back({own.key, own.value});
  if (rows.size() > committed) std::ranges::sort(rows, {}, &Row::key);
  return rows;
}

// NULL is skipped. Without any place, a count is 0 and every other aggregate is NULL.
Value RowDatabase::aggregate(const RowRequest& request, std::span<const Row> rows) const {
  using Function = RowRequest::Function;
  std::int64_t count = 0;
  Place result;
  for (const Row& row : rows) {
    const Place place = place_of(row.value);
    if (place || request.function == Function::CountAll) ++count;
    if (!place) continue;
    if (request.function == Function::Min) result = std::min(result.value_or(*place), *place);
    if (request.function == Function::Max) result = std::max(result.value_or(*place), *place);
    if (request.function == Function::Sum) result = result.value_or(0) + *place;
  }
  if (request.function == Function::CountAll || request.function == Function::Count) result = count;
  return result ? Value::integer(*result) : Value::nil();
}

PlannedDatabase::Answer RowDatabase::change(PlannedTransaction& transaction, std::span<const Row> rows,
                                            RecordedRange& range) {
  const RowRequest& request = range.request;
  range.tag = fresh_number();
  for (const Row& seen : rows) {
    Value next = Value::nil();
    if (request.kind == Kind::UpdateRange) {
      Place place = request.step > 0 ? place_of(seen.value) : request.place;
      if (request.step > 0 && place) place = (*place + request.step) % request.places;
      next = make_row(place, range.tag);
    }
    if (write_row(transaction, seen.key, next) == Answer::Conflict) return Answer::Conflict;
    range.rows.push_back({seen.key, next});
  }
  return Answer::Done;
}

void RowDatabase::note_examined(const View& view, RecordedRange& range) const {
  if (examined_ == Examined::Dropped) return;
  for (Key key = 0; key < versions().key_count(); ++key) {
    const Position seen = versions()[versions().visible(key, view)].position;
    if (seen > 0) range.examined.push_back({key, seen});
  }
}

PlannedDatabase::Answer RowDatabase::perform_on_range(PlannedTransaction& transaction,
                                                      const RowRequest& request, Interval time) {
  std::vector<Row> rows = matching(transaction, request.range);
  RecordedRange& range = transaction.ranges.emplace_back();
  range.request = request;
  range.snapshot = state_seen(*transaction.view).value_or(0);
  note_examined(*transaction.view, range);
  RecordedOperation operation{OperationKind::PredicateRead, transaction.ranges.size() - 1, Value::nil(),
                              Value::nil(), time};
  if (request.kind == Kind::Aggregate) {
    operation.value = aggregate(request, rows);
  } else if (request.kind == Kind::Scan) {
    range.rows = std::move(rows);
  } else {
    operation.kind =
        request.kind == Kind::UpdateRange ? OperationKind::PredicateUpdate : OperationKind::PredicateDelete;
    if (change(transaction, rows, range) == Answer::Conflict) return Answer::Conflict;
  }
  transaction.operations.push_back(operation);
  return Answer::Done;
}

bool RowDatabase::ranges_are_outdated(const Transaction& transaction) const {
  const auto& ranges = static_cast<const PlannedTransaction&>(transaction).ranges;
  return changed_since(*transaction.view, [&](Key key, VersionId before, VersionId after) {
    return std::ranges::any_of(ranges, [&](const RecordedRange& range) {
      return matches(range.request.range, key, versions()[before].value) ||
             matches(range.request.range, key, versions()[after].value);
    });
  });
}

}  // namespace serval::simulated
