#include "oracle/certified_reference.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "serval/predicate/evaluate.h"
#include "serval/predicate/query.h"
#include "serval/predicate/row_columns.h"

namespace serval::oracle {
namespace {

using State = std::map<KeyId, Value>;  // The rows that exist.

bool matches(const History& history, const Condition& condition, KeyId key, Value value) {
  if (value.is_nil()) return false;
  std::vector<Scalar> row;
  read_columns(condition.columns(), history.key_value(key), value, history.values(), row);
  return evaluate(condition, row) == Truth::True;
}

Scalar compute(const History& history, const Condition& expression, KeyId key, Value value) {
  std::vector<Scalar> row;
  read_columns(expression.columns(), history.key_value(key), value, history.values(), row);
  return value_of(expression, row);
}

std::map<KeyId, Value> writes_of(const History& history, OperationId op) {
  std::map<KeyId, Value> out;
  switch (history.kind(op)) {
    case OperationKind::Write:
      out[history.key(op)] = history.value(op);
      break;
    case OperationKind::Delete:
      out[history.key(op)] = Value::nil();
      break;
    case OperationKind::PredicateUpdate:
      for (const Row& row : history.rows(op)) out[row.key] = row.value;
      break;
    case OperationKind::PredicateDelete:
      for (const Row& row : history.rows(op)) out[row.key] = Value::nil();
      break;
    default:
      break;
  }
  return out;
}

// Whether the operation's answer is right in a state.
bool answers(const History& history, OperationId op, const State& state) {
  const auto held = [&](KeyId key) {
    const auto found = state.find(key);
    return found == state.end() ? Value::nil() : found->second;
  };
  if (history.kind(op) == OperationKind::Read) return held(history.key(op)) == history.value(op);
  if (!is_predicate(history.kind(op))) return true;
  const Query query = *query_of(history, op);
  std::map<KeyId, Value> returned;
  for (const Row& row : history.rows(op)) returned[row.key] = row.value;
  Aggregation aggregation(query.function);
  std::size_t count = 0;
  for (const auto& [key, value] : state) {
    if (!matches(history, query.where, key, value)) continue;
    ++count;
    if (query.function != Query::Function::None) {
      aggregation.add(compute(history, query.argument, key, value));
      continue;
    }
    if (!returned.contains(key)) return false;
    if (history.kind(op) == OperationKind::PredicateRead && returned[key] != value) return false;
    if (history.kind(op) == OperationKind::PredicateUpdate)
      for (const Query::Assignment& assignment : query.assignments) {
        std::vector<Scalar> after;
        const std::vector<std::string> column{assignment.column};
        read_columns(column, history.key_value(key), returned[key], history.values(), after);
        if (!same(after[0], compute(history, assignment.value, key, value))) return false;
      }
  }
  if (query.function != Query::Function::None)
    return same(aggregation.result(), Scalar::of(history.value(op), history.values()));
  return returned.size() == count;
}

void apply(const History& history, OperationId op, State& state) {
  for (const auto& [key, value] : writes_of(history, op)) {
    if (value.is_nil())
      state.erase(key);
    else
      state[key] = value;
  }
}

// The dependency graph of a history according to its certificate.
class Reference {
 public:
  Reference(const History& history, Level level) : history_(history) {
    writes_ = true;
    reads_ = implies(level, Level::ReadCommitted);
    anti_ = implies(level, Level::RepeatableRead) || implies(level, Level::SnapshotIsolation);
    phantoms_ = implies(level, Level::SnapshotIsolation);
    snapshots_ = implies(level, Level::SnapshotIsolation) && !implies(level, Level::Serializable);
    sessions_ = uses_session_order(level);
    find_orders();
  }

  bool holds() {
    const std::size_t n = history_.transaction_count();
    edges_.assign(2 * n, {});
    for (const TransactionId t : history_.transactions()) {
      if (!takes_part(t)) continue;
      edges_[2 * t.index].insert(2 * t.index + 1);  // The begin precedes the commit.
      if (reads_ && !answers_fit(t)) return false;
      if (snapshots_ && !keeps_snapshot(t)) return false;
      add_dependencies(t);
    }
    if (sessions_)
      for (const TransactionId a : history_.transactions())
        for (const TransactionId b : history_.transactions())
          if (a < b && takes_part(a) && takes_part(b) && history_.session(a) == history_.session(b))
            depends(a, b);
    return !has_cycle();
  }

 private:
  bool takes_part(TransactionId t) const { return history_.outcome(t) == Outcome::Committed; }

  void find_orders() {
    for (const KeyId key : history_.key_ids()) orders_[key] = {TransactionId::none()};
    for (const KeyOrder& order : history_.certificate().orders)
      for (const TransactionId t : order.installers) orders_[order.key].push_back(t);
    std::vector<TransactionId> by_commit;
    for (const TransactionId t : history_.transactions()) by_commit.push_back(t);
    if (history_.certificate().ordered_by_commit)
      std::ranges::sort(by_commit, {}, [&](TransactionId t) { return *history_.hints(t)->commit_timestamp; });
    for (const TransactionId t : by_commit)
      if (takes_part(t))
        for (const OperationId op : history_.operations(t))
          for (const auto& [key, value] : writes_of(history_, op))
            if (std::ranges::find(orders_[key], t) == orders_[key].end()) orders_[key].push_back(t);
  }

  Value version(KeyId key, std::size_t position) const {
    const TransactionId t = orders_.at(key)[position];
    Value last = history_.initial_value();
    if (t.is_none()) return last;
    for (const OperationId op : history_.operations(t)) {
      const auto writes = writes_of(history_, op);
      if (writes.contains(key)) last = writes.at(key);
    }
    return last;
  }

  bool shows(const VersionSet& set, KeyId key, TransactionId t) const {
    const TransactionHints* hints = history_.hints(t);
    if (const auto* timestamp = std::get_if<std::int64_t>(&set.seen))
      return *hints->commit_timestamp <= *timestamp;
    if (const auto* snapshot = std::get_if<TransactionSnapshot>(&set.seen))
      return snapshot->shows(std::stoull(hints->server_transaction));
    for (const SeenVersion& seen : std::get<std::vector<SeenVersion>>(set.seen))
      if (seen.key == key && seen.installer == t) return true;
    return false;
  }

  std::size_t shown(const VersionSet& set, TransactionId t, KeyId key) const {
    std::size_t last = 0;
    for (std::size_t i = 1; i < orders_.at(key).size(); ++i)
      if (orders_.at(key)[i] != t && shows(set, key, orders_.at(key)[i])) last = i;
    return last;
  }

  // Includes the locks of updates and deletes.
  std::size_t seen(TransactionId t, OperationId op, KeyId key) const {
    const VersionSet& set = *history_.certificate().version_set(op);
    const std::size_t at = shown(set, t, key);
    const bool listed = std::holds_alternative<std::vector<SeenVersion>>(set.seen);
    if (history_.kind(op) == OperationKind::PredicateRead || !is_predicate(history_.kind(op)) || listed)
      return at;
    const std::vector<TransactionId>& order = orders_.at(key);
    if (writes_of(history_, op).contains(key)) {
      const auto own = static_cast<std::size_t>(std::ranges::find(order, t) - order.begin());
      return own > at && own < order.size() ? own - 1 : at;
    }
    const Condition where = query_of(history_, op)->where;
    if (!matches(history_, where, key, version(key, at))) return at;
    for (std::size_t i = at + 1; i < order.size(); ++i)
      if (!matches(history_, where, key, version(key, i))) return order[i] == t ? at : i;
    return at;
  }

  std::set<KeyId> written_before(TransactionId t, OperationId op) const {
    std::set<KeyId> keys;
    for (const OperationId before : history_.operations(t)) {
      if (before == op) break;
      for (const auto& [key, value] : writes_of(history_, before)) keys.insert(key);
    }
    return keys;
  }

  std::optional<std::size_t> item_seen(TransactionId t, OperationId op, KeyId key) const {
    if (history_.kind(op) == OperationKind::Read) {
      if (history_.key(op) != key) return std::nullopt;
      if (const VersionSet* set = history_.certificate().version_set(op)) {
        const std::size_t at = shown(*set, t, key);
        return version(key, at) == history_.value(op) ? std::optional(at) : std::nullopt;
      }
      for (std::size_t i = 0; i < orders_.at(key).size(); ++i)
        if (orders_.at(key)[i] != t && version(key, i) == history_.value(op)) return i;
      return std::nullopt;
    }
    if (!is_predicate(history_.kind(op))) return std::nullopt;
    const Query query = *query_of(history_, op);
    const std::size_t at = seen(t, op, key);
    const bool counts = query.function != Query::Function::None && query.argument == Condition();
    if (counts || !matches(history_, query.where, key, version(key, at))) return std::nullopt;
    return at;
  }

  bool answers_fit(TransactionId t) const {
    State own;
    std::set<KeyId> touched;
    for (const OperationId op : history_.operations(t)) {
      State state;
      if (history_.kind(op) == OperationKind::Read) {
        const KeyId key = history_.key(op);
        if (touched.contains(key)) {
          if (!answers(history_, op, own)) return false;
        } else if (!item_seen(t, op, key)) {
          return false;
        }
      } else if (is_predicate(history_.kind(op))) {
        for (const KeyId key : history_.key_ids()) {
          const bool mine = touched.contains(key);
          const Value value =
              mine ? (own.contains(key) ? own.at(key) : Value::nil()) : version(key, seen(t, op, key));
          if (!value.is_nil()) state[key] = value;
        }
        if (!answers(history_, op, state)) return false;
      }
      for (const auto& [key, value] : writes_of(history_, op)) touched.insert(key);
      apply(history_, op, own);
    }
    return true;
  }

  bool keeps_snapshot(TransactionId t) const {
    const VersionSet* common = nullptr;
    for (const OperationId op : history_.operations(t)) {
      const VersionSet* set = history_.certificate().version_set(op);
      if (set == nullptr) continue;
      if (common != nullptr && !(*common == *set)) return true;
      common = set;
    }
    if (common == nullptr || std::holds_alternative<std::vector<SeenVersion>>(common->seen)) return true;
    for (const KeyId key : history_.key_ids()) {
      const std::size_t at = shown(*common, t, key);
      const std::vector<TransactionId>& order = orders_.at(key);
      const auto own = std::ranges::find(order, t);
      const auto place = static_cast<std::size_t>(own - order.begin());
      if (own != order.end() && place != at + 1 && !version(key, place - 1).is_nil()) return false;
      for (const OperationId op : history_.operations(t))
        if (!written_before(t, op).contains(key))
          if (const auto read = item_seen(t, op, key); read && *read != at) return false;
    }
    return true;
  }

  void depends(TransactionId from, TransactionId to) {  // The later sees the earlier.
    if (!from.is_none() && from != to) edges_[2 * from.index + 1].insert(2 * to.index);
  }
  // The next version of a key. After a delete, the row is a new object, and the delete need not be seen.
  void follows(KeyId key, std::size_t from, std::size_t to) {
    const std::vector<TransactionId>& order = orders_.at(key);
    std::optional<OperationKind> first;
    for (const OperationId op : history_.operations(order[to]))
      if (!first && writes_of(history_, op).contains(key)) first = history_.kind(op);
    const bool makes = first == OperationKind::Insert || first == OperationKind::Write;
    if (!snapshots_ || !makes || !version(key, to - 1).is_nil()) return depends(order[from], order[to]);
    if (order[from] != order[to]) edges_[2 * order[from].index + 1].insert(2 * order[to].index + 1);
  }
  void precedes(TransactionId from, TransactionId to) {  // The earlier does not see the later.
    if (from != to)
      edges_[snapshots_ ? 2 * from.index : 2 * from.index + 1].insert(snapshots_ ? 2 * to.index + 1
                                                                                 : 2 * to.index);
  }

  void add_dependencies(TransactionId t) {
    for (const auto& [key, order] : orders_)
      for (std::size_t i = 2; i < order.size(); ++i)
        if (order[i] == t)
          for (std::size_t j = 1; j < i; ++j) follows(key, j, i);
    if (!reads_) return;
    for (const OperationId op : history_.operations(t)) {
      const std::set<KeyId> mine = written_before(t, op);
      for (const KeyId key : history_.key_ids()) {
        if (mine.contains(key)) continue;
        const std::vector<TransactionId>& order = orders_.at(key);
        if (const auto read = item_seen(t, op, key)) {
          depends(order[*read], t);
          if (anti_ && *read + 1 < order.size()) precedes(t, order[*read + 1]);
        }
        if (is_predicate(history_.kind(op))) add_predicate(t, op, key);
      }
    }
  }

  void add_predicate(TransactionId t, OperationId op, KeyId key) {
    const Condition where = query_of(history_, op)->where;
    const std::vector<TransactionId>& order = orders_.at(key);
    const std::size_t at = seen(t, op, key);
    for (std::size_t i = 1; i < order.size(); ++i) {
      const bool changes = matches(history_, where, key, version(key, i)) !=
                           matches(history_, where, key, version(key, i - 1));
      if (!changes) continue;
      if (i <= at) depends(order[i], t);
      if (i > at && phantoms_) precedes(t, order[i]);
    }
  }

  // Uses the transitive closure.
  bool has_cycle() const {
    std::vector<std::set<std::size_t>> reach = edges_;
    for (std::size_t k = 0; k < reach.size(); ++k)
      for (std::size_t i = 0; i < reach.size(); ++i)
        if (reach[i].contains(k)) reach[i].insert(reach[k].begin(), reach[k].end());
    for (std::size_t i = 0; i < reach.size(); ++i)
      if (reach[i].contains(i)) return true;
    return false;
  }

  const History& history_;
  bool writes_, reads_, anti_, phantoms_, snapshots_, sessions_;
  std::map<KeyId, std::vector<TransactionId>> orders_;
  std::vector<std::set<std::size_t>> edges_;
};

}  // namespace

bool holds_by_certificate(const History& history, Level level) { return Reference(history, level).holds(); }

bool some_serial_order_exists(const History& history, bool sessions) {
  std::vector<TransactionId> order;
  for (const TransactionId t : history.transactions())
    if (history.outcome(t) == Outcome::Committed) order.push_back(t);
  do {
    State state;
    bool fine = true;
    for (std::size_t i = 0; i < order.size() && fine; ++i) {
      for (std::size_t j = 0; j < i && sessions; ++j)
        fine = fine && !(history.session(order[i]) == history.session(order[j]) && order[i] < order[j]);
      for (const OperationId op : history.operations(order[i])) {
        fine = fine && answers(history, op, state);
        apply(history, op, state);
      }
    }
    if (fine) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

}  // namespace serval::oracle
