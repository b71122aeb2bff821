#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "serval/history/notation.h"
#include "serval/verify/replay.h"
#include "serval/verify/violation.h"

// A broken order: the order is what its source says, everything before the cited operation is replayed,
// and the operation disagrees with that state. Written from the definitions, independent of the replay
// that found it.

namespace serval::verify {
namespace {

bool writes_rows(OperationKind kind) {
  return kind == OperationKind::PredicateUpdate || kind == OperationKind::PredicateDelete;
}

// The keys that a transaction wrote.
std::set<KeyId> keys_written(const History& history, TransactionId t) {
  std::set<KeyId> keys;
  for (const OperationId op : history.operations(t)) {
    if (!is_predicate(history.kind(op)) && value_written(history, op)) keys.insert(history.key(op));
    if (writes_rows(history.kind(op)))
      for (const Row& row : history.rows(op)) keys.insert(row.key);
  }
  return keys;
}

// What the source of an order says about one transaction: earlier ones come first, and equal ones are in
// no particular order.
using Rank = std::tuple<std::int64_t, bool, std::uint32_t>;

class OrderProof {
 public:
  OrderProof(const Facts& facts, const BrokenOrder& claim)
      : facts_(facts), history_(facts.history()), claim_(claim) {}

  Flaw flaw(AnomalyKind kind) {
    if (Flaw flaw = flaw_of_attendance(history_, claim_.order, position_)) return flaw;
    if (Flaw flaw = flaw_of_ranks()) return flaw;
    if (Flaw flaw = flaw_of_snapshots(kind)) return flaw;
    if (!facts_.has(claim_.transaction) || history_.outcome(claim_.transaction) != Outcome::Committed)
      return "cites a transaction that did not commit";
    if (claim_.operation.is_none()) return by_snapshots() ? flaw_of_overlap() : flaw_of_break(kind);
    if (kind != AnomalyKind::BrokenOrder && !by_snapshots())
      return "an answer does not show what is wrong with the order alone";
    if (!facts_.belongs(claim_.operation, claim_.transaction))
      return "cites an operation that the transaction does not have";
    if (Flaw flaw = flaw_of_content()) return flaw;
    return flaw_of_answer();
  }

 private:
  std::optional<Rank> rank_of(TransactionId t) const {
    const TransactionHints* const hints = history_.hints(t);
    switch (claim_.source) {
      case ExpectedOrderSource::Given:
        return Rank{0, false, position_[t.index]};
      case ExpectedOrderSource::Completion:
        if (history_.outcome(t) != Outcome::Committed) return std::nullopt;
        return Rank{history_.interval(t).end, false, history_.has_times() ? 0 : t.index};
      case ExpectedOrderSource::Timestamps:
        if (hints != nullptr && hints->commit_timestamp) return Rank{*hints->commit_timestamp, false, 0};
        if (hints == nullptr || !hints->start_timestamp || !keys_written(history_, t).empty())
          return std::nullopt;
        return Rank{*hints->start_timestamp, true, 0};
    }
    return std::nullopt;
  }

  Flaw flaw_of_ranks() {
    for (const TransactionId t : claim_.order) {
      const std::optional<Rank> rank = rank_of(t);
      if (!rank) return fmt::format("{} has no place in such an order", name(history_, t));
      if (!ranks_.empty() && *rank < ranks_.back())
        return fmt::format("{} comes too late in the order", name(history_, t));
      ranks_.push_back(*rank);
    }
    return std::nullopt;
  }

  bool by_snapshots() const { return !claim_.visible.empty(); }
  std::int64_t start(TransactionId t) const { return *history_.hints(t)->start_timestamp; }
  std::int64_t placed_at(TransactionId t) const { return std::get<0>(*rank_of(t)); }

  // A snapshot shows everything up to the start timestamp that comes earlier in the order.
  Flaw flaw_of_snapshots(AnomalyKind kind) const {
    if ((kind == AnomalyKind::BrokenSnapshots) != by_snapshots())
      return "the kind does not fit the snapshots";
    if (!by_snapshots()) return std::nullopt;
    if (claim_.source != ExpectedOrderSource::Timestamps || claim_.visible.size() != claim_.order.size())
      return "the snapshots are not those of timestamps";
    for (std::uint32_t i = 0; i < claim_.order.size(); ++i) {
      const TransactionHints* const hints = history_.hints(claim_.order[i]);
      if (hints == nullptr || !hints->start_timestamp)
        return fmt::format("{} has no start timestamp", name(history_, claim_.order[i]));
      const std::uint32_t shown = claim_.visible[i];
      const bool fits = shown <= i &&
                        (shown == 0 || std::get<0>(ranks_[shown - 1]) <= *hints->start_timestamp) &&
                        (shown == i || std::get<0>(ranks_[shown]) > *hints->start_timestamp);
      if (!fits) return fmt::format("{} does not see that much", name(history_, claim_.order[i]));
    }
    return std::nullopt;
  }

  // Both wrote the key, and neither started after the other had committed.
  Flaw flaw_of_overlap() const {
    const TransactionId first = claim_.predecessor, second = claim_.transaction;
    if (!facts_.has(first) || first == second || history_.outcome(first) != Outcome::Committed)
      return "cites another transaction that did not commit";
    for (const TransactionId t : {first, second})
      if (!keys_written(history_, t).contains(claim_.key))
        return fmt::format("{} did not write the key", name(history_, t));
    if (start(second) >= placed_at(first) || start(first) >= placed_at(second))
      return "one of the two may have seen the other";
    return flaw_of_deletes();
  }

  // A row that is inserted after a delete is a different object.
  Flaw flaw_of_deletes() const {
    for (const TransactionId t : history_.transactions()) {
      if (history_.outcome(t) == Outcome::Aborted) continue;
      for (const OperationId op : history_.operations(t)) {
        const bool deletes = history_.kind(op) == OperationKind::Delete && concerns(history_.key(op));
        const auto rows = history_.rows(op);
        const bool deletes_rows =
            history_.kind(op) == OperationKind::PredicateDelete &&
            std::ranges::any_of(rows, [&](const Row& row) { return concerns(row.key); });
        if (deletes || deletes_rows) return "rows of the key may be different objects";
      }
    }
    return std::nullopt;
  }

  // Whether a commit at the start of another transaction is visible to it is not certain.
  Flaw flaw_of_equal_starts() const {
    std::set<std::int64_t> commits;
    for (const TransactionId t : claim_.order)
      for (const KeyId key : keys_written(history_, t))
        if (concerns(key)) commits.insert(placed_at(t));
    for (const TransactionId t : claim_.order) {
      const auto& commit = history_.hints(t)->commit_timestamp;
      if (commits.contains(start(t)) && !(commit && *commit == start(t)))
        return "a commit has the timestamp of a start";
    }
    return std::nullopt;
  }

  Flaw flaw_of_break(AnomalyKind kind) const {
    const TransactionId late = claim_.predecessor, early = claim_.transaction;
    if (!facts_.has(late) || history_.outcome(late) != Outcome::Committed)
      return "cites a predecessor that did not commit";
    if (!(ranks_[position_[early.index]] < ranks_[position_[late.index]]))
      return fmt::format("the order does not place {} first", name(history_, early));
    const bool in_session = history_.session(late) == history_.session(early) &&
                            facts_.session_position(late) < facts_.session_position(early);
    const bool in_time = history_.interval(late).end < history_.interval(early).begin;
    const bool breaks = kind == AnomalyKind::BrokenOrderSession    ? in_session
                        : kind == AnomalyKind::BrokenOrderRealTime ? in_time
                                                                   : false;
    return breaks ? std::nullopt : Flaw("the cited transactions do not contradict the order");
  }

  // Whether something other than the order may have changed the key, or any key for an aggregate.
  Flaw flaw_of_content() const {
    for (const TransactionId t : history_.transactions())
      for (const OperationId op : history_.operations(t)) {
        const Outcome outcome = history_.outcome(t);
        const Operation all = writes_rows(history_.kind(op)) ? history_.operation(op) : Operation{};
        if (writes_rows(history_.kind(op)) &&
            (outcome == Outcome::Indeterminate ||
             (outcome == Outcome::Committed &&
              all.rows_changed.value_or(0) > static_cast<std::int64_t>(all.rows.size()))))
          return fmt::format("{} may have changed any row", print_in_transaction(history_, op));
        const bool writes = !is_predicate(history_.kind(op)) && value_written(history_, op);
        if (outcome == Outcome::Indeterminate && writes && concerns(history_.key(op)))
          return fmt::format("{} may have taken effect at any time", print_in_transaction(history_, op));
      }
    for (std::size_t first = 0, end; first < ranks_.size(); first = end) {
      for (end = first + 1; end < ranks_.size() && ranks_[end] == ranks_[first];) ++end;
      if (end - first > 1)
        if (Flaw flaw = flaw_of_equals(first, end)) return flaw;
    }
    return std::nullopt;
  }
  bool concerns(KeyId key) const { return claim_.key.is_none() || claim_.key == key; }

  // Equal ranks: the order of two transactions matters if one writes what the other uses.
  Flaw flaw_of_equals(std::size_t first, std::size_t end) const {
    std::set<KeyId> written, used, shared;
    bool ranges = false;
    for (std::size_t i = first; i < end; ++i) {
      std::set<KeyId> own = keys_written(history_, claim_.order[i]);
      written.insert(own.begin(), own.end());
      for (const OperationId op : history_.operations(claim_.order[i])) {
        ranges = ranges || is_predicate(history_.kind(op));
        if (!is_predicate(history_.kind(op))) own.insert(history_.key(op));
      }
      for (const KeyId key : own)
        if (!used.insert(key).second) shared.insert(key);
    }
    for (const KeyId key : written)
      if (concerns(key) && (ranges || shared.contains(key)))
        return fmt::format("the order of the transactions with the rank of {} is arbitrary",
                           name(history_, claim_.order[first]));
    return std::nullopt;
  }

  Flaw flaw_of_answer() const {
    const KeyId key = claim_.key;
    if (!key.is_none() && key.index >= history_.key_count()) return "cites a key that does not exist";
    if (is_mixed()) return "the key is both a list and a register";
    Replay replay(history_, claim_.order);
    OperationId last = OperationId::none();
    const auto note = [&](TransactionId t, OperationId end) {
      replay.apply_writes(t, end);
      for (const OperationId op : history_.operations(t)) {
        if (op == end) break;
        if (writes(op)) last = op;
      }
    };
    const std::uint32_t place = position_[claim_.transaction.index];
    if (by_snapshots()) {
      const OperationKind kind = history_.kind(claim_.operation);
      if (kind != OperationKind::Read && kind != OperationKind::ReadList &&
          kind != OperationKind::PredicateRead)
        return "the operation may have used rows that are newer than its snapshot";
      if (Flaw flaw = flaw_of_deletes()) return flaw;
      if (Flaw flaw = flaw_of_equal_starts()) return flaw;
    }
    for (std::uint32_t i = 0; i < (by_snapshots() ? claim_.visible[place] : place); ++i)
      note(claim_.order[i], OperationId::none());
    note(claim_.transaction, claim_.operation);
    if (last != claim_.write) return "the state holds the version of another write";
    return replay.flaw_of_disagreement(claim_.operation, key, claim_.expected);
  }
  bool is_mixed() const {
    std::set<KeyId> lists, registers;
    for (std::uint32_t i = 0; i < history_.operation_count(); ++i) {
      const OperationId op{i};
      const OperationKind kind = history_.kind(op);
      const bool is_list = kind == OperationKind::Append || kind == OperationKind::ReadList;
      if (is_predicate(kind))
        for (const Row& row : history_.rows(op)) registers.insert(row.key);
      else
        (is_list ? lists : registers).insert(history_.key(op));
    }
    return std::ranges::any_of(lists, [&](KeyId key) { return concerns(key) && registers.contains(key); });
  }
  bool writes(OperationId op) const {
    if (!is_predicate(history_.kind(op)))
      return history_.key(op) == claim_.key && value_written(history_, op).has_value();
    return writes_rows(history_.kind(op)) &&
           std::ranges::find(history_.rows(op), claim_.key, &Row::key) != history_.rows(op).end();
  }

  const Facts& facts_;
  const History& history_;
  const BrokenOrder& claim_;
  std::vector<std::uint32_t> position_;
  std::vector<Rank> ranks_;  // By position.
};

}  // namespace

Flaw flaw_of(const Facts& facts, AnomalyKind kind, const BrokenOrder& claim) {
  return OrderProof(facts, claim).flaw(kind);
}

}  // namespace serval::verify
