#include "serval/inference/expected_order.h"

#include <algorithm>
#include <tuple>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "serval/inference/key_kinds.h"

namespace serval {
namespace {

struct Place {
  std::int64_t timestamp = 0;
  bool only_reads = false;  // Comes after the commit with its timestamp.
  Time end = kUnknownEnd;
  TransactionId transaction;

  friend bool operator<(const Place& a, const Place& b) {
    return std::tie(a.timestamp, a.only_reads, a.end, a.transaction.index) <
           std::tie(b.timestamp, b.only_reads, b.end, b.transaction.index);
  }
};

bool only_reads(const History& history, TransactionId t) {
  for (const OperationId op : history.operations(t)) {
    switch (history.kind(op)) {
      case OperationKind::Read:
      case OperationKind::ReadList:
      case OperationKind::InsertMiss:
      case OperationKind::CompareAndSetMiss:
      case OperationKind::PredicateRead:
        continue;
      case OperationKind::PredicateUpdate:
      case OperationKind::PredicateDelete:
        if (history.rows(op).empty()) continue;
        return false;
      default:
        return false;
    }
  }
  return true;
}

// `same`: whether the order of two neighbours is arbitrary.
template <class Same>
ExpectedOrder in_order(std::vector<Place> places, Same&& same) {
  if (!std::ranges::is_sorted(places, std::less<>{})) std::ranges::sort(places, std::less<>{});
  ExpectedOrder out;
  out.transactions.reserve(places.size());
  out.ranks.reserve(places.size());
  for (const Place& place : places) {
    const std::size_t i = out.transactions.size();
    out.ranks.push_back(i == 0 ? 0 : out.ranks.back() + (same(places[i - 1], place) ? 0 : 1));
    out.transactions.push_back(place.transaction);
  }
  return out;
}

bool changes_range(OperationKind kind) {
  return kind == OperationKind::PredicateUpdate || kind == OperationKind::PredicateDelete;
}

// Finds the keys whose content an order leaves open.
class OpenContents {
 public:
  OpenContents(const History& history, const ExpectedOrder& order)
      : history_(history), order_(order), open_(history.key_count(), false) {}

  std::vector<bool> find() && {
    note_mixed_keys();
    for (const TransactionId t : history_.transactions()) {
      if (history_.outcome(t) == Outcome::Indeterminate) note_writes(t);
      if (history_.outcome(t) == Outcome::Committed && lacks_rows(t)) open_.assign(open_.size(), true);
    }
    const std::size_t count = order_.transactions.size();
    for (std::size_t first = 0, end; first < count; first = end) {
      for (end = first + 1; end < count && order_.rank(end) == order_.rank(first);) ++end;
      if (end - first > 1) look_at_rank(first, end);
    }
    return std::move(open_);
  }

 private:
  struct Use {
    TransactionId first = TransactionId::none();
    bool several = false, written = false;
  };

  // Whether a key is a list or a register is left to the operations.
  void note_mixed_keys() {
    std::vector<bool> list(open_.size(), false), row(open_.size(), false);
    for (std::uint32_t i = 0; i < history_.operation_count(); ++i) {
      const OperationId op{i};
      const OperationKind kind = history_.kind(op);
      if (is_predicate(kind)) {
        for (const Row& one : history_.rows(op)) row[one.key.index] = true;
      } else {
        const bool is_list = kind == OperationKind::Append || kind == OperationKind::ReadList;
        (is_list ? list : row)[history_.key(op).index] = true;
      }
    }
    for (std::size_t key = 0; key < open_.size(); ++key) open_[key] = list[key] && row[key];
  }

  // The server changed more rows than were recorded.
  bool lacks_rows(TransactionId t) const {
    for (const OperationId op : history_.operations(t)) {
      if (!changes_range(history_.kind(op))) continue;
      const Operation all = history_.operation(op);
      if (all.rows_changed.value_or(0) > static_cast<std::int64_t>(all.rows.size())) return true;
    }
    return false;
  }

  void note_writes(TransactionId t) {
    for (const OperationId op : history_.operations(t)) {
      if (changes_range(history_.kind(op))) open_.assign(open_.size(), true);
      if (writes_key(history_.kind(op))) open_[history_.key(op).index] = true;
    }
  }

  // A key that one of them wrote and another one used. Predicates use every key.
  void look_at_rank(std::size_t first, std::size_t end) {
    uses_.clear();
    bool ranges = false;
    for (std::size_t i = first; i < end; ++i)
      for (const OperationId op : history_.operations(order_.transactions[i])) {
        const OperationKind kind = history_.kind(op);
        ranges = ranges || is_predicate(kind);
        if (!is_predicate(kind)) note(history_.key(op), order_.transactions[i], writes_key(kind));
        if (changes_range(kind))
          for (const Row& row : history_.rows(op)) note(row.key, order_.transactions[i], true);
      }
    for (const auto& [key, use] : uses_)
      if (use.written && (use.several || ranges)) open_[key.index] = true;
  }
  void note(KeyId key, TransactionId t, bool writes) {
    Use& use = uses_[key];
    use.several = use.several || (!use.first.is_none() && use.first != t);
    use.first = t;
    use.written = use.written || writes;
  }

  const History& history_;
  const ExpectedOrder& order_;
  std::vector<bool> open_;
  absl::flat_hash_map<KeyId, Use> uses_;
};

}  // namespace

ExpectedOrder order_by_timestamps(const History& history) {
  if (!history.has_hints()) return {{}, "no transaction has a timestamp from the database"};
  std::vector<Place> places;
  places.reserve(history.transaction_count());
  for (const TransactionId t : history.transactions()) {
    const TransactionHints* hints = history.hints(t);
    const bool commits = hints != nullptr && hints->commit_timestamp;
    const Outcome outcome = history.outcome(t);
    if (outcome == Outcome::Aborted || (outcome == Outcome::Indeterminate && !commits)) continue;
    const Time end = outcome == Outcome::Committed ? history.interval(t).end : kUnknownEnd;
    if (commits) {
      places.push_back({*hints->commit_timestamp, false, end, t});
    } else if (hints != nullptr && hints->start_timestamp && only_reads(history, t)) {
      places.push_back({*hints->start_timestamp, true, end, t});
    } else {
      return {{}, fmt::format("{} committed without a timestamp", name_of(history, t))};
    }
  }
  return in_order(std::move(places), [](const Place& a, const Place& b) {
    return a.timestamp == b.timestamp && a.only_reads == b.only_reads;
  });
}

ExpectedOrder order_by_completion(const History& history) {
  std::vector<Place> places;
  for (const TransactionId t : history.transactions())
    if (history.outcome(t) == Outcome::Committed) places.push_back({0, false, history.interval(t).end, t});
  return in_order(std::move(places),
                  [&](const Place& a, const Place& b) { return history.has_times() && a.end == b.end; });
}

ExpectedOrder given_order(const History& history, std::vector<TransactionId> transactions) {
  std::vector<bool> placed(history.transaction_count(), false);
  for (const TransactionId t : transactions) {
    if (t.index >= placed.size()) return {{}, "the order names a transaction that does not exist"};
    if (placed[t.index]) return {{}, fmt::format("the order names {} twice", name_of(history, t))};
    if (history.outcome(t) == Outcome::Aborted)
      return {{}, fmt::format("the order names {}, which aborted", name_of(history, t))};
    placed[t.index] = true;
  }
  for (const TransactionId t : history.transactions())
    if (history.outcome(t) == Outcome::Committed && !placed[t.index])
      return {{}, fmt::format("the order lacks {}, which committed", name_of(history, t))};
  return {std::move(transactions), {}};
}

std::vector<bool> unsettled_keys(const History& history, const ExpectedOrder& order) {
  return OpenContents(history, order).find();
}

std::string name_of(const History& history, TransactionId t) {
  return "T" + history.format(history.label(t));
}

}  // namespace serval
