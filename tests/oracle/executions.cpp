#include "oracle/executions.h"

#include <algorithm>
#include <optional>

#include "serval/base/contract.h"

namespace serval::oracle {
namespace {

struct Rules {
  bool snapshots = false, sessions = false, real_time = false;
};

Rules rules_of(Level level) {
  switch (level) {
    case Level::Serializable:
    case Level::RepeatableRead:  // The same as serializable without predicates.
      return {};
    case Level::StrongSessionSerializable:
      return {.sessions = true};
    case Level::StrictSerializable:
      return {.sessions = true, .real_time = true};
    case Level::Linearizable:
      return {.real_time = true};
    case Level::SnapshotIsolation:
      return {.snapshots = true};
    case Level::StrongSessionSnapshotIsolation:
      return {.snapshots = true, .sessions = true};
    case Level::StrongSnapshotIsolation:
      return {.snapshots = true, .sessions = true, .real_time = true};
    default:
      expects(false, "a level that the oracle decides");
      return {};
  }
}

// What a key holds: the value of a register (nullopt if untouched) or a list.
struct Held {
  std::optional<Value> value;
  std::vector<Value> list;
};
using State = std::vector<Held>;  // By key.

class Search {
 public:
  Search(const History& history, const Rules& rules) : history_(history), rules_(rules) {
    const std::size_t count = history.transaction_count();
    takes_part_.assign(count, false);
    for (const TransactionId t : history.transactions())
      takes_part_[t.index] = history.outcome(t) == Outcome::Committed;
  }

  bool runs_in_order(std::span<const TransactionId> order) const {
    State state(history_.key_count());
    for (const TransactionId t : order) {
      std::optional<State> after = run(t, std::move(state));
      if (!after) return false;
      state = std::move(*after);
    }
    return true;
  }

  bool runs_on_snapshots(std::span<const TransactionId> order, std::span<const std::uint32_t> visible) const {
    std::vector<State> states{State(history_.key_count())};
    for (const TransactionId t : order) {
      states.push_back(states.back());
      for (const OperationId op : history_.operations(t))
        if (const std::optional<Value> written = value_written(op))
          put(states.back()[history_.key(op).index], op, *written);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!run(order[i], states[visible[i]])) return false;
      for (std::size_t other = visible[i]; other < i; ++other)
        if (both_write(order[i], order[other])) return false;
    }
    return true;
  }

  // Decides about the indeterminate transactions from `next` on, in both ways.
  bool some_subset_has_an_execution(std::uint32_t next = 0) {
    if (next == history_.transaction_count()) return has_execution();
    if (some_subset_has_an_execution(next + 1)) return true;
    if (history_.outcome(TransactionId{next}) != Outcome::Indeterminate) return false;
    takes_part_[next] = true;
    const bool found = some_subset_has_an_execution(next + 1);
    takes_part_[next] = false;
    return found;
  }

 private:
  enum class Phase { Waiting, Started, Committed };
  struct Progress {
    State state;               // After all commits so far.
    std::vector<Phase> phase;  // By transaction.
    std::vector<std::uint32_t>
        // By transaction, one bit per key: another transaction committed a write since it started.
        overwritten;
    std::uint32_t first_to_start = 0;  // See start().
  };

  bool has_execution() {
    Progress start;
    start.state.resize(history_.key_count());
    start.phase.assign(history_.transaction_count(), Phase::Waiting);
    start.overwritten.assign(history_.transaction_count(), 0);
    return rules_.snapshots ? finishes_interleaved(start) : finishes_serially(start);
  }

  bool done(const Progress& progress) const {
    for (const TransactionId t : history_.transactions())
      if (takes_part_[t.index] && progress.phase[t.index] != Phase::Committed) return false;
    return true;
  }

  // Whether everything that must be visible to `t` has committed.
  bool may_start(const Progress& progress, TransactionId t) const {
    for (const TransactionId before : history_.transactions())
      if (takes_part_[before.index] && must_precede(before, t) &&
          progress.phase[before.index] != Phase::Committed)
        return false;
    return true;
  }
  bool must_precede(TransactionId a, TransactionId b) const {
    if (a == b) return false;
    if (rules_.sessions && history_.session(a) == history_.session(b) && earlier_in_session(a, b))
      return true;
    return rules_.real_time && history_.outcome(a) == Outcome::Committed &&
           history_.interval(a).end < history_.interval(b).begin;
  }
  bool earlier_in_session(TransactionId a, TransactionId b) const {
    const auto order = history_.session_transactions(history_.session(a));
    return std::ranges::find(order, a) < std::ranges::find(order, b);
  }

  bool finishes_serially(const Progress& progress) const {
    if (done(progress)) return true;
    for (const TransactionId t : history_.transactions()) {
      if (!takes_part_[t.index] || progress.phase[t.index] != Phase::Waiting) continue;
      if (!may_start(progress, t)) continue;
      const std::optional<State> after = run(t, progress.state);
      if (!after) continue;
      Progress next = progress;
      next.state = *after;
      next.phase[t.index] = Phase::Committed;
      if (finishes_serially(next)) return true;
    }
    return false;
  }

  bool finishes_interleaved(const Progress& progress) const {
    if (done(progress)) return true;
    for (const TransactionId t : history_.transactions()) {
      if (!takes_part_[t.index]) continue;
      const std::optional<Progress> next = progress.phase[t.index] == Phase::Waiting   ? start(progress, t)
                                           : progress.phase[t.index] == Phase::Started ? commit(progress, t)
                                                                                       : std::nullopt;
      if (next && finishes_interleaved(*next)) return true;
    }
    return false;
  }

  // All reads of a transaction see the state at its start, so they can be judged there. Consecutive
  // starts do not affect each other, so one order of them is enough: ascending.
  std::optional<Progress> start(const Progress& progress, TransactionId t) const {
    if (t.index < progress.first_to_start) return std::nullopt;
    if (!may_start(progress, t) || !run(t, progress.state)) return std::nullopt;
    Progress next = progress;
    next.first_to_start = t.index + 1;
    next.phase[t.index] = Phase::Started;
    return next;
  }

  std::optional<Progress> commit(const Progress& progress, TransactionId t) const {
    Progress next = progress;
    next.phase[t.index] = Phase::Committed;
    next.first_to_start = 0;
    for (const OperationId op : history_.operations(t)) {
      const KeyId key = history_.key(op);
      const std::optional<Value> written = value_written(op);
      if (!written) continue;
      const std::uint32_t bit = std::uint32_t{1} << key.index;
      if ((progress.overwritten[t.index] & bit) != 0) return std::nullopt;
      put(next.state[key.index], op, *written);
      for (const TransactionId other : history_.transactions())
        if (other != t && progress.phase[other.index] == Phase::Started) next.overwritten[other.index] |= bit;
    }
    return next;
  }

  // The state after `t` ran alone on `state`; nullopt if a read does not match.
  std::optional<State> run(TransactionId t, State state) const {
    for (const OperationId op : history_.operations(t)) {
      Held& held = state[history_.key(op).index];
      const std::optional<Value> seen = value_read(op);
      if (seen && !matches(held.value, *seen)) return std::nullopt;
      if (history_.kind(op) == OperationKind::ReadList && !shows(op, held.list)) return std::nullopt;
      if (const std::optional<Value> written = value_written(op)) put(held, op, *written);
    }
    return state;
  }

  void put(Held& held, OperationId op, Value written) const {
    if (history_.kind(op) == OperationKind::Append)
      held.list.push_back(written);
    else
      held.value = written;
  }

  bool both_write(TransactionId a, TransactionId b) const {
    for (const OperationId one : history_.operations(a))
      for (const OperationId other : history_.operations(b))
        if (value_written(one) && value_written(other) && history_.key(one) == history_.key(other))
          return true;
    return false;
  }

  bool shows(OperationId op, const std::vector<Value>& list) const {
    const Value value = history_.value(op);
    if (value.is_unknown()) return true;
    return value.is_nil() ? list.empty() : std::ranges::equal(history_.values().elements(value), list);
  }

  bool matches(const std::optional<Value>& held, Value seen) const {
    if (seen.is_unknown()) return true;
    if (held) return *held == seen;
    return seen.is_nil() || seen == history_.initial_value();
  }

  std::optional<Value> value_read(OperationId op) const {
    switch (history_.kind(op)) {
      case OperationKind::Read:
      case OperationKind::InsertMiss:
      case OperationKind::CompareAndSetMiss:
        return history_.value(op);
      case OperationKind::CompareAndSet:
        return history_.expected(op);
      case OperationKind::Insert:
        return Value::nil();
      default:
        return std::nullopt;
    }
  }
  std::optional<Value> value_written(OperationId op) const {
    switch (history_.kind(op)) {
      case OperationKind::Write:
      case OperationKind::Insert:
      case OperationKind::CompareAndSet:
      case OperationKind::Append:
        return history_.value(op);
      case OperationKind::Delete:
        return Value::nil();
      default:
        return std::nullopt;
    }
  }

  const History& history_;
  Rules rules_;
  std::vector<bool> takes_part_;
};

}  // namespace

const std::vector<Level>& execution_levels() {
  static const std::vector<Level> levels{Level::RepeatableRead,
                                         Level::SnapshotIsolation,
                                         Level::StrongSessionSnapshotIsolation,
                                         Level::StrongSnapshotIsolation,
                                         Level::Serializable,
                                         Level::StrongSessionSerializable,
                                         Level::Linearizable,
                                         Level::StrictSerializable};
  return levels;
}

bool is_serial_order(const History& history, std::span<const TransactionId> order) {
  return Search(history, {}).runs_in_order(order);
}

bool is_snapshot_order(const History& history, std::span<const TransactionId> order,
                       std::span<const std::uint32_t> visible) {
  return Search(history, {}).runs_on_snapshots(order, visible);
}

bool has_execution(const History& history, Level level) {
  expects(history.key_count() <= 32, "a handful of keys");
  return Search(history, rules_of(level)).some_subset_has_an_execution();
}

}  // namespace serval::oracle
