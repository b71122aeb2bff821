#include "serval/history/history_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace serval {

KeyId HistoryBuilder::key(Value name) {
  const bool direct = name.is_integer() && name.as_integer() >= 0 && name.as_integer() < kDirect;
  if (direct) {
    const auto slot = static_cast<std::size_t>(name.as_integer());
    if (slot >= direct_keys_.size()) direct_keys_.resize(slot + 1, KeyId::none());
    if (!direct_keys_[slot].is_none()) return direct_keys_[slot];
    direct_keys_[slot] = KeyId{static_cast<std::uint32_t>(history_.key_values_.size())};
  } else {
    const KeyId fresh{static_cast<std::uint32_t>(history_.key_values_.size())};
    const auto [found, inserted] = keys_.try_emplace(name, fresh);
    if (!inserted) return found->second;
  }
  history_.key_values_.push_back(name);
  return KeyId{static_cast<std::uint32_t>(history_.key_values_.size() - 1)};
}

SessionId HistoryBuilder::session(Value label) {
  const auto [found, inserted] =
      sessions_.try_emplace(label, SessionId{static_cast<std::uint32_t>(history_.session_labels_.size())});
  if (inserted) history_.session_labels_.push_back(label);
  return found->second;
}

void HistoryBuilder::reserve(std::size_t transactions, std::size_t operations) {
  history_.transaction_session_.reserve(transactions);
  history_.outcomes_.reserve(transactions);
  history_.transaction_labels_.reserve(transactions);
  runs_.reserve(transactions);
  history_.kinds_.reserve(operations);
  history_.keys_.reserve(operations);
  history_.values_.reserve(operations);
  if (history_.has_times()) {
    history_.begins_.reserve(transactions);
    history_.ends_.reserve(transactions);
  }
  if (history_.has_operation_times()) {
    history_.operation_begins_.reserve(operations);
    history_.operation_ends_.reserve(operations);
  }
}

TransactionId HistoryBuilder::begin_transaction(SessionId session, Value label) {
  expects(session.index < history_.session_labels_.size(), "a session of this builder");
  expects(history_.transaction_session_.size() < 0xFFFFFFFFu, "fewer than 2^32 - 1 transactions");
  history_.transaction_session_.push_back(session);
  history_.outcomes_.push_back(Outcome::Committed);
  history_.transaction_labels_.push_back(label);
  if (history_.has_times()) {
    history_.begins_.push_back(kUnknownBegin);
    history_.ends_.push_back(kUnknownEnd);
  }
  return TransactionId{static_cast<std::uint32_t>(history_.transaction_session_.size() - 1)};
}

void HistoryBuilder::set_interval(TransactionId t, Interval interval) {
  if (interval == Interval{} && !history_.has_times()) return;
  history_.begins_.resize(history_.transaction_count(), kUnknownBegin);
  history_.ends_.resize(history_.transaction_count(), kUnknownEnd);
  history_.begins_[t.index] = interval.begin;
  history_.ends_[t.index] = interval.end;
}

void HistoryBuilder::set_hints(TransactionId t, TransactionHints hints) {
  if (hints == TransactionHints{}) return;
  history_.hints_.emplace_back(t, std::move(hints));
}

void HistoryBuilder::add_hints(std::vector<std::pair<TransactionId, TransactionHints>> later) {
  if (later.empty()) return;
  const auto id = &std::pair<TransactionId, TransactionHints>::first;
  std::ranges::stable_sort(later, {}, id);
  std::vector<bool> added(later.size(), false);
  for (auto& [t, hints] : history_.hints_)
    for (auto at = std::ranges::lower_bound(later, t, {}, id); at != later.end() && at->first == t; ++at) {
      hints.add(at->second);
      added[static_cast<std::size_t>(at - later.begin())] = true;
    }
  for (std::size_t i = 0; i < later.size(); ++i)
    if (!added[i]) set_hints(later[i].first, std::move(later[i].second));
}

void HistoryBuilder::note_transaction_switch(TransactionId t) {
  expects(t.index < history_.transaction_count(), "a transaction of this builder");
  expects(history_.kinds_.size() < 0xFFFFFFFFu, "fewer than 2^32 - 1 operations");
  if (!runs_.empty() && runs_.back().transaction > t) runs_ascend_ = false;
  runs_.push_back({static_cast<std::uint32_t>(history_.kinds_.size()), t});
  last_transaction_ = t;
}

void HistoryBuilder::add(TransactionId t, const Operation& operation) {
  const OperationId op{static_cast<std::uint32_t>(history_.kinds_.size())};
  add(t, operation.kind, operation.key, operation.value);
  if (is_conditional(operation.kind) || !history_.expected_.empty()) {
    history_.expected_.resize(op.index, Value::nil());
    history_.expected_.push_back(operation.expected);
  }
  if (operation.time != Interval{} || history_.has_operation_times()) {
    history_.operation_begins_.resize(op.index, kUnknownBegin);
    history_.operation_ends_.resize(op.index, kUnknownEnd);
    history_.operation_begins_.push_back(operation.time.begin);
    history_.operation_ends_.push_back(operation.time.end);
  }
  if (!operation.predicate.is_none() || !operation.rows.empty() || operation.version ||
      operation.rows_matched || operation.rows_changed) {
    history_.rare_.push_back({op, operation.predicate, operation.rows, operation.version,
                              operation.rows_matched, operation.rows_changed});
  }
}

void HistoryBuilder::set_version(OperationId op, std::int64_t version) {
  expects(op.index < history_.operation_count(), "an operation of this builder");
  expects(history_.rare_.empty() || history_.rare_.back().op < op, "versions in order of the operations");
  history_.rare_.push_back({op, PredicateId::none(), {}, version, {}, {}});
}

void HistoryBuilder::treat_empty_reads_as_lists() {
  for (std::size_t op = 0; op < history_.kinds_.size(); ++op) {
    const Value value = history_.values_[op];
    if (history_.kinds_[op] == OperationKind::Read && (value.is_nil() || value.is_unknown()))
      history_.kinds_[op] = OperationKind::ReadList;
  }
}

void HistoryBuilder::take_empty_lists_for_lists() {
  if (history_.values().list_count() == 0) return;
  const Value empty = values().list({});
  std::vector<bool> written(history_.key_count(), history_.initial_value_ == empty);
  for (const History::RareMembers& rare : history_.rare_)
    for (const Row& row : rare.rows)
      if (row.value == empty) written[row.key.index] = true;
  const auto writes = [](OperationKind kind) { return writes_value(kind) && kind != OperationKind::Append; };
  for (std::size_t op = 0; op < history_.kinds_.size(); ++op)
    if (history_.values_[op] == empty && writes(history_.kinds_[op]))
      written[history_.keys_[op].index] = true;
  for (std::size_t op = 0; op < history_.kinds_.size(); ++op)
    if (history_.values_[op] == empty && history_.kinds_[op] == OperationKind::Read &&
        !written[history_.keys_[op].index])
      history_.kinds_[op] = OperationKind::ReadList;
}

PredicateId HistoryBuilder::predicate(Predicate tree) {
  history_.predicates_.push_back(std::move(tree));
  return PredicateId{static_cast<std::uint32_t>(history_.predicates_.size() - 1)};
}

void HistoryBuilder::add_version_set(OperationId op, VersionSet seen) {
  expects(op.index < history_.operation_count(), "an operation of this builder");
  history_.certificate_.version_sets.emplace_back(op, std::move(seen));
}

namespace {

template <class T>
void permute(std::vector<T>& column, const std::vector<std::uint32_t>& source_of) {
  if (column.empty()) return;
  std::vector<T> sorted;
  sorted.reserve(column.size());
  for (const std::uint32_t source : source_of) sorted.push_back(std::move(column[source]));
  column = std::move(sorted);
}

}  // namespace

// Establishes H1. If every transaction's operations arrived together and in order, the runs are already
// the result; otherwise a counting sort, stable within each transaction.
void HistoryBuilder::group_by_transaction() {
  const std::size_t transactions = history_.transaction_count();
  const auto operations = static_cast<std::uint32_t>(history_.operation_count());
  std::vector<std::uint32_t>& first = history_.first_operation_;
  first.assign(transactions + 1, 0);
  const auto run_end = [&](std::size_t run) {
    return run + 1 < runs_.size() ? runs_[run + 1].first : operations;
  };
  for (std::size_t run = 0; run < runs_.size(); ++run)
    first[runs_[run].transaction.index + 1] += run_end(run) - runs_[run].first;
  std::partial_sum(first.begin(), first.end(), first.begin());
  if (runs_ascend_) return;

  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  std::vector<std::uint32_t> source_of(operations);
  const bool maps_back = !history_.rare_.empty() || !history_.certificate_.version_sets.empty();
  std::vector<std::uint32_t> target_of(maps_back ? operations : 0);
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    std::uint32_t& target = next[runs_[run].transaction.index];
    for (std::uint32_t op = runs_[run].first; op < run_end(run); ++op, ++target) {
      source_of[target] = op;
      if (maps_back) target_of[op] = target;
    }
  }
  permute(history_.kinds_, source_of);
  permute(history_.keys_, source_of);
  permute(history_.values_, source_of);
  permute(history_.expected_, source_of);
  permute(history_.operation_begins_, source_of);
  permute(history_.operation_ends_, source_of);
  for (History::RareMembers& rare : history_.rare_) rare.op.index = target_of[rare.op.index];
  std::ranges::sort(history_.rare_, {}, &History::RareMembers::op);
  for (auto& [op, seen] : history_.certificate_.version_sets) op.index = target_of[op.index];
}

// Establishes H2 by a counting sort of the transactions by session.
void HistoryBuilder::order_sessions() {
  std::vector<std::uint64_t> offsets(history_.session_count() + 1, 0);
  for (const SessionId session : history_.transaction_session_) ++offsets[session.index + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  std::vector<TransactionId> members(history_.transaction_count());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  for (const TransactionId t : history_.transactions()) members[next[history_.session(t).index]++] = t;
  history_.session_order_ = Jagged<TransactionId>(std::move(offsets), std::move(members));
}

History HistoryBuilder::freeze() && {
  if (!history_.expected_.empty()) history_.expected_.resize(history_.operation_count(), Value::nil());
  if (history_.has_operation_times()) {
    history_.operation_begins_.resize(history_.operation_count(), kUnknownBegin);
    history_.operation_ends_.resize(history_.operation_count(), kUnknownEnd);
  }
  if (history_.has_times()) {
    history_.begins_.resize(history_.transaction_count(), kUnknownBegin);
    history_.ends_.resize(history_.transaction_count(), kUnknownEnd);
  }
  take_empty_lists_for_lists();
  group_by_transaction();
  order_sessions();
  std::ranges::stable_sort(history_.hints_, {}, &std::pair<TransactionId, TransactionHints>::first);
  std::ranges::stable_sort(history_.certificate_.version_sets, {},
                           &std::pair<OperationId, VersionSet>::first);
  runs_ = {};
  return std::move(history_);
}

}  // namespace serval
