#include "serval/verify/holds.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "serval/history/changed_history.h"
#include "serval/verify/certificate.h"
#include "serval/verify/ordered_reads.h"
#include "serval/verify/replay.h"

namespace serval::verify {
namespace {

struct Rules {
  enum class ObservedRead {
    Nothing,
    Committed,
    Prefix,
    Snapshot,
    EverythingBefore
  } observed = ObservedRead::EverythingBefore;
  bool sessions = false;
  bool real_time = false;
};

std::optional<Rules> rules_of(Level level) {
  using enum Rules::ObservedRead;
  switch (level) {
    case Level::ReadUncommitted:
      return Rules{Nothing, false, false};
    case Level::StrongSessionReadUncommitted:
      return Rules{Nothing, true, false};
    case Level::StrongReadUncommitted:
      return Rules{Nothing, true, true};
    case Level::ReadCommitted:
    case Level::RepeatableRead:
      return Rules{Committed, false, false};
    case Level::StrongSessionReadCommitted:
      return Rules{Committed, true, false};
    case Level::StrongReadCommitted:
      return Rules{Committed, true, true};
    case Level::PrefixConsistency:
      return Rules{Prefix, true, false};
    case Level::Serializable:
      return Rules{EverythingBefore, false, false};
    case Level::StrongSessionSerializable:
      return Rules{EverythingBefore, true, false};
    case Level::StrictSerializable:
      return Rules{EverythingBefore, true, true};
    case Level::Linearizable:
      return Rules{EverythingBefore, false, true};
    case Level::SnapshotIsolation:
      return Rules{Snapshot, false, false};
    case Level::StrongSessionSnapshotIsolation:
      return Rules{Snapshot, true, false};
    case Level::StrongSnapshotIsolation:
      return Rules{Snapshot, true, true};
    default:
      return std::nullopt;
  }
}

class Execution {
 public:
  Execution(const History& history, const Holds& claim, const Rules& rules)
      : history_(history),
        order_(claim.commit_order),
        snapshot_(claim.snapshot),
        by_certificate_(claim.basis == Holds::Basis::Certificate),
        rules_(rules) {}

  // About the order alone, without reads.
  Flaw flaw_of_order() {
    if (Flaw flaw = flaw_of_attendance(history_, order_, position_)) return flaw;
    if (rules_.sessions)
      if (Flaw flaw = flaw_of_sessions()) return flaw;
    return rules_.real_time ? flaw_of_real_time() : std::nullopt;
  }

  Flaw flaw() {
    if (Flaw flaw = flaw_of_attendance(history_, order_, position_)) return flaw;
    if (Flaw flaw = flaw_of_snapshots()) return flaw;
    if (Flaw flaw = flaw_of_reads()) return flaw;
    if (rules_.observed == Rules::ObservedRead::Snapshot)
      if (Flaw flaw = flaw_of_conflicts()) return flaw;
    if (rules_.sessions)
      if (Flaw flaw = flaw_of_sessions()) return flaw;
    return rules_.real_time ? flaw_of_real_time() : std::nullopt;
  }

 private:
  bool snapshots() const {
    return rules_.observed == Rules::ObservedRead::Snapshot || rules_.observed == Rules::ObservedRead::Prefix;
  }
  // The first `visible(i)` transactions of the order are visible at position i.
  std::uint32_t visible(std::uint32_t i) const { return snapshots() ? snapshot_[i] : i; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(order_.size()); }
  std::string name_at(std::uint32_t i) const { return name(history_, order_[i]); }

  Flaw flaw_of_snapshots() const {
    if (!snapshots())
      return snapshot_.empty() ? std::nullopt : Flaw("a serial execution has no snapshot positions");
    if (snapshot_.size() != order_.size())
      return fmt::format("{} transactions but {} snapshot positions", order_.size(), snapshot_.size());
    for (std::uint32_t i = 0; i < size(); ++i)
      if (snapshot_[i] > i) return fmt::format("the snapshot of {} is later than its commit", name_at(i));
    return std::nullopt;
  }

  Flaw flaw_of_reads() const {
    switch (rules_.observed) {
      case Rules::ObservedRead::Nothing:
        return flaw_of_shown_lists(history_, order_);
      case Rules::ObservedRead::Committed:
        return flaw_of_committed_reads(history_, order_);
      case Rules::ObservedRead::Prefix:
        return flaw_of_prefix_reads(history_, order_, snapshot_);
      case Rules::ObservedRead::Snapshot:
        return flaw_of_snapshot_reads();
      case Rules::ObservedRead::EverythingBefore:
        break;
    }
    Replay replay(history_, order_);
    for (const TransactionId t : order_)
      if (Flaw flaw = replay.run(t)) return flaw;
    return std::nullopt;
  }

  // visit(position, key): an insert of a key whose last row was deleted by a transaction that is not
  // visible to the inserter. The new row is a different object (Adya), and only a certificate
  // distinguishes objects.
  template <class Visit>
  void for_each_reinserted(Visit&& visit) const {
    struct Last {
      std::uint32_t position = kNowhere;
      bool deleted = false;
    };
    if (!by_certificate_) return;
    std::vector<Last> last(history_.key_count());
    for (std::uint32_t i = 0; i < size(); ++i)
      for (const OperationId op : history_.operations(order_[i]))
        for (const KeyId key : keys_written(op)) {
          const OperationKind kind = history_.kind(op);
          const bool makes = kind == OperationKind::Insert || kind == OperationKind::Write;
          const Last before = last[key.index];
          if (makes && before.deleted && before.position != i && before.position >= snapshot_[i])
            visit(i, key);
          last[key.index] = {i, kind == OperationKind::Delete || kind == OperationKind::PredicateDelete};
        }
  }

  Flaw flaw_of_snapshot_reads() const {
    Replay replay(history_, order_);
    for_each_reinserted([&](std::uint32_t i, KeyId key) { replay.expect_reinserted(order_[i], key); });
    const std::vector<std::uint32_t> by_snapshot = positions_by_snapshot();
    std::size_t next = 0;
    for (std::uint32_t committed = 0; committed < size(); ++committed) {
      for (; next < by_snapshot.size() && snapshot_[by_snapshot[next]] == committed; ++next)
        if (Flaw flaw = replay.run_and_undo(order_[by_snapshot[next]])) return flaw;
      replay.apply_writes(order_[committed]);
    }
    return std::nullopt;
  }

  // Counting sort; snapshots are below size() because each is at most its own position.
  std::vector<std::uint32_t> positions_by_snapshot() const {
    std::vector<std::uint32_t> slot(order_.size() + 1, 0);
    for (const std::uint32_t count : snapshot_) ++slot[count + 1];
    for (std::size_t i = 1; i < slot.size(); ++i) slot[i] += slot[i - 1];
    std::vector<std::uint32_t> sorted(order_.size());
    for (std::uint32_t i = 0; i < size(); ++i) sorted[slot[snapshot_[i]]++] = i;
    return sorted;
  }

  Flaw flaw_of_conflicts() const {
    std::set<std::pair<std::uint32_t, KeyId>> reinserted;
    for_each_reinserted([&](std::uint32_t i, KeyId key) { reinserted.insert({i, key}); });
    std::vector<std::uint32_t> writers(history_.key_count(), 0);  // One past the last writer's position.
    for (std::uint32_t i = 0; i < size(); ++i)
      for (const OperationId op : history_.operations(order_[i]))
        for (const KeyId key : keys_written(op)) {
          std::uint32_t& last = writers[key.index];
          if (last > snapshot_[i] && last != i + 1 && !reinserted.contains({i, key}))
            return fmt::format("{} and {} both write {} and neither sees the other", name_at(last - 1),
                               name_at(i), history_.format_key(key));
          last = i + 1;
        }
    return std::nullopt;
  }

  std::vector<KeyId> keys_written(OperationId op) const {
    if (!is_predicate(history_.kind(op)))
      return value_written(history_, op) ? std::vector{history_.key(op)} : std::vector<KeyId>{};
    std::vector<KeyId> keys;
    if (history_.kind(op) != OperationKind::PredicateRead)
      for (const Row& row : history_.rows(op)) keys.push_back(row.key);
    return keys;
  }

  // Checking neighbours suffices: what is visible to a transaction is also visible to its successor in
  // the session.
  Flaw flaw_of_sessions() const {
    for (const SessionId s : history_.sessions()) {
      std::uint32_t before = kNowhere;
      for (const TransactionId t : history_.session_transactions(s)) {
        const std::uint32_t now = position_[t.index];
        if (now == kNowhere) continue;
        if (before != kNowhere && before >= visible(now))
          return fmt::format("{} does not see {}, which precedes it in session {}", name_at(now),
                             name_at(before), history_.format(history_.session_label(s)));
        before = now;
      }
    }
    return std::nullopt;
  }

  // An indeterminate transaction may take effect at any time after its begin, so it never ends before another
  // begins, whatever end its file gives.
  Time end_at(std::uint32_t i) const {
    const bool committed = history_.outcome(order_[i]) == Outcome::Committed;
    return committed ? history_.interval(order_[i]).end : kUnknownEnd;
  }

  // earliest[i]: the two positions with the earliest ends among positions i and later. Two, because a
  // transaction at a snapshot level is itself among those not visible to it.
  std::vector<std::array<std::uint32_t, 2>> earliest_ends() const {
    std::vector<std::array<std::uint32_t, 2>> earliest(order_.size() + 1, {kNowhere, kNowhere});
    const auto end_of = [this](std::uint32_t i) { return i == kNowhere ? kUnknownEnd : end_at(i); };
    for (std::uint32_t i = size(); i-- > 0;) {
      earliest[i] = earliest[i + 1];
      auto& [first, second] = earliest[i];
      if (first == kNowhere || end_of(i) < end_of(first))
        second = std::exchange(first, i);
      else if (second == kNowhere || end_of(i) < end_of(second))
        second = i;
    }
    return earliest;
  }

  Flaw flaw_of_real_time() const {
    const auto earliest = earliest_ends();
    for (std::uint32_t i = 0; i < size(); ++i) {
      const auto& [first, second] = earliest[visible(i)];
      const std::uint32_t unseen = first == i ? second : first;
      if (unseen != kNowhere && end_at(unseen) < history_.interval(order_[i]).begin)
        return fmt::format("{} does not see {}, which ended before it began", name_at(i), name_at(unseen));
    }
    return std::nullopt;
  }

  const History& history_;
  const std::vector<TransactionId>& order_;
  const std::vector<std::uint32_t>& snapshot_;
  bool by_certificate_;
  Rules rules_;
  std::vector<std::uint32_t> position_;
};

// For levels without an execution to replay, if predicates or a certificate determine the dependencies.
bool rests_on_certificate(const Holds& claim) {
  if (claim.basis != Holds::Basis::Certificate) return false;
  const bool weak = !implies(claim.proven, Level::SnapshotIsolation);
  return weak && rules_of(claim.proven) && rules_of(claim.proven)->observed != Rules::ObservedRead::Prefix;
}

Flaw flaw_of_certified(const History& history, const Holds& claim) {
  Rules rules = *rules_of(claim.proven);
  if (Flaw flaw = Execution(history, claim, rules).flaw_of_order()) return flaw;
  return flaw_of_certified_order(CertifiedFacts(history), claim.proven, claim.commit_order);
}

Flaw flaw_of_single_operations(const History& history, const Holds& claim) {
  for (const TransactionId t : claim.commit_order)
    if (t.index < history.transaction_count() && history.operations(t).size() > 1)
      return fmt::format("{} has several operations; linearizable requires single-operation transactions",
                         name(history, t));
  return std::nullopt;
}

}  // namespace

namespace {

bool is_unknown_write(const History& history, OperationId op) {
  return !is_predicate(history.kind(op)) && history.kind(op) != OperationKind::Append &&
         history.outcome(history.transaction_of(op)) != Outcome::Aborted &&
         value_written(history, op) == std::optional(Value::unknown());
}

// Whether a write of unknown value can have written what a read of its key saw.
Flaw flaw_of_taken(const History& history, OperationId write, OperationId read) {
  if (write.index >= history.operation_count() || read.index >= history.operation_count())
    return "cites an operation that does not exist";
  if (!is_unknown_write(history, write))
    return "assigns a value to an operation that is not a write of unknown value";
  if (is_predicate(history.kind(read)) || history.key(read) != history.key(write) ||
      !value_read(history, read))
    return "assigns a write a value that was not read from its key";
  return std::nullopt;
}

// Checks the claim on the history in which every write has its assigned value.
Flaw flaw_of_values(const History& history, Level asked, const Holds& claim) {
  std::map<OperationId, OperationId> taken;
  for (const auto& [write, read] : claim.taken_writes) {
    if (Flaw flaw = flaw_of_taken(history, write, read)) return flaw;
    if (!taken.emplace(write, read).second) return "assigns two values to a write";
  }
  std::vector<ChangedOperation> changes;
  for (std::uint32_t i = 0; i < history.operation_count(); ++i) {
    const OperationId op{i};
    if (is_unknown_write(history, op))
      changes.push_back({op, history.kind(op), Value::unknown(), history.expected(op)});
  }
  const std::vector<Value> unused = unused_values(history, changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto read = taken.find(changes[i].op);
    changes[i].value = read == taken.end() ? unused[i] : *value_read(history, read->second);
  }
  Holds about_values = claim;
  about_values.taken_writes.clear();
  return flaw_of(with_changes(history, changes), asked, about_values);
}

bool has_unknown_writes(const History& history) {
  const auto values = history.value_column();
  if (std::ranges::find(values, Value::unknown()) == values.end()) return false;
  for (std::uint32_t i = 0; i < history.operation_count(); ++i)
    if (is_unknown_write(history, OperationId{i})) return true;
  return false;
}

}  // namespace

Flaw flaw_of(const History& history, Level asked, const Holds& claim) {
  if (!claim.taken_writes.empty() || has_unknown_writes(history))
    return flaw_of_values(history, asked, claim);
  if (!implies(claim.proven, asked))
    return fmt::format("{} does not imply {}", name_of(claim.proven), name_of(asked));
  if (rests_on_certificate(claim)) return flaw_of_certified(history, claim);
  if (is_view_level(claim.proven)) return flaw_of_views(history, claim);
  if (shown_by_commit_order(claim.proven)) return flaw_of_commit_order(history, claim);
  if (shown_by_version_order(claim.proven)) return flaw_of_version_order(history, claim);
  const std::optional<Rules> rules = rules_of(claim.proven);
  if (!rules || claim.proven == Level::RepeatableRead)
    return fmt::format("a commit order does not prove {}", name_of(claim.proven));
  if (claim.proven == Level::Linearizable)
    if (Flaw flaw = flaw_of_single_operations(history, claim)) return flaw;
  return Execution(history, claim, *rules).flaw();
}

}  // namespace serval::verify
