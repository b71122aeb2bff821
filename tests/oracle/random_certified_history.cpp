#include "oracle/random_certified_history.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "serval/history/history_builder.h"
#include "serval/predicate/parse_predicate.h"

namespace serval::oracle {
namespace {

// A row has a unique number, so that values identify versions, and a column for the predicates.
struct Cell {
  int id = 0;
  int v = 0;
};
using State = std::map<std::uint32_t, Cell>;

struct Asked {
  const char* text;
  bool (*matches)(const Cell&);
};
constexpr std::array kConditions{
    Asked{"v < 2", [](const Cell& c) { return c.v < 2; }},
    Asked{"v = 1", [](const Cell& c) { return c.v == 1; }},
    Asked{"v BETWEEN 1 AND 2", [](const Cell& c) { return c.v >= 1 && c.v <= 2; }},
    Asked{"v IN (0, 3)", [](const Cell& c) { return c.v == 0 || c.v == 3; }},
    Asked{"v % 2 = 0", [](const Cell& c) { return c.v % 2 == 0; }},
    Asked{"NOT (v > 0)", [](const Cell& c) { return c.v <= 0; }}};

class Maker {
 public:
  Maker(Random& random, std::size_t transactions, bool forgets, std::optional<std::size_t> damaged)
      : random_(random),
        count_(transactions),
        keys_(1 + random.below(3)),
        forgets_(forgets),
        damaged_(damaged) {}

  History make() {
    const auto sets = random_.below(3);
    const double stale = random_.chance(0.4) ? 0.0 : 0.4;
    std::vector<std::size_t> order(count_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order);
    std::vector<std::uint64_t> numbers(count_);
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{100});
    shuffle(numbers);
    for (std::size_t i = 0; i < count_; ++i) {
      const auto session = static_cast<std::int64_t>(random_.below(3));
      transactions_.push_back(builder_.begin_transaction(builder_.session(Value::integer(session)),
                                                         Value::integer(static_cast<std::int64_t>(i))));
      keys();
    }
    states_.push_back({});
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t snapshot = random_.chance(stale) ? random_.below(i + 1) : i;
      const TransactionId t = transactions_[order[i]];
      run(t, snapshot, version_set(sets, snapshot, order, numbers));
      builder_.set_hints(t, {.commit_timestamp = static_cast<std::int64_t>(i) + 1,
                             .server_transaction = std::to_string(numbers[order[i]])});
    }
    certify(sets);
    return std::move(builder_).freeze();
  }

 private:
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random_.below(i)]);
  }
  void keys() {
    for (std::uint32_t k = 0; k < keys_; ++k) ids_[k] = builder_.key(Value::integer(k));
  }

  // What the first `snapshot` transactions of the order left: as a list, a timestamp, or a snapshot.
  VersionSet version_set(std::uint64_t kind, std::size_t snapshot, const std::vector<std::size_t>& order,
                         const std::vector<std::uint64_t>& numbers) const {
    if (kind == 0) return {static_cast<std::int64_t>(snapshot)};
    if (kind == 1) {
      std::vector<SeenVersion> seen;
      for (std::uint32_t k = 0; k < keys_; ++k) {
        SeenVersion one{ids_.at(k)};
        for (std::size_t i = 0; i < snapshot; ++i)
          if (const auto found = writers_.find(k); found != writers_.end())
            if (std::ranges::find(found->second, transactions_[order[i]]) != found->second.end())
              one.installer = transactions_[order[i]];
        seen.push_back(one);
      }
      return {seen};
    }
    TransactionSnapshot out{.first_future = 100};
    for (std::size_t i = 0; i < snapshot; ++i)
      out.first_future = std::max(out.first_future, numbers[order[i]] + 1);
    for (std::size_t i = snapshot; i < count_; ++i)
      if (numbers[order[i]] < out.first_future) out.running.push_back(numbers[order[i]]);
    std::ranges::sort(out.running);
    out.first_running = out.running.empty() ? out.first_future : out.running.front();
    return {out};
  }

  void run(TransactionId t, std::size_t snapshot, const VersionSet& set) {
    State state = states_[snapshot];
    State written;
    std::map<std::uint32_t, bool> touched;
    const std::size_t operations = 1 + random_.below(3);
    for (std::size_t i = 0; i < operations; ++i) step(t, set, state, touched);
    // Commits on top of the latest state.
    State latest = states_.back();
    for (const auto& [key, wrote] : touched) {
      writers_[key].push_back(t);
      if (state.contains(key))
        latest[key] = state[key];
      else
        latest.erase(key);
    }
    states_.push_back(latest);
  }

  void step(TransactionId t, const VersionSet& set, State& state, std::map<std::uint32_t, bool>& touched) {
    const auto key = static_cast<std::uint32_t>(random_.below(keys_));
    switch (random_.below(7)) {
      case 0:
      case 1:
        state[key] = {++last_id_, static_cast<int>(random_.below(4))};
        touched[key] = true;
        builder_.add(t, OperationKind::Write, ids_[key], value(state[key]));
        break;
      case 2:
        read(t, set, state, key);
        break;
      case 3:
        state.erase(key);
        touched[key] = true;
        builder_.add(t, OperationKind::Delete, ids_[key], Value::nil());
        break;
      case 4:
        update(t, set, state, touched);
        break;
      default:
        ask(t, set, state);
    }
  }

  // Nil may be several versions, so such a read says what it saw. Of other reads, some do.
  void read(TransactionId t, const VersionSet& set, const State& state, std::uint32_t key) {
    const Value seen = damaged_value(state, key);
    const Operation op{.kind = OperationKind::Read, .key = ids_[key], .value = seen};
    if (seen.is_nil() || random_.chance(0.3))
      add(t, op, set);
    else
      builder_.add(t, as_damaged(op));
  }

  void ask(TransactionId t, const VersionSet& set, const State& state) {
    const Asked& asked = kConditions[random_.below(kConditions.size())];
    Operation op{.kind = OperationKind::PredicateRead};
    std::vector<Cell> matching;
    for (const auto& [key, cell] : state)
      if (asked.matches(cell)) {
        matching.push_back(cell);
        op.rows.push_back({ids_[key], value(cell)});
      }
    const auto shape = random_.below(4);
    if (shape == 0) {
      op.predicate =
          builder_.predicate(parse_query(fmt::format("COUNT(*) WHERE {}", asked.text), builder_.values()));
      op.value = Value::integer(static_cast<std::int64_t>(matching.size()));
      op.rows.clear();
    } else if (shape == 1) {
      op.predicate =
          builder_.predicate(parse_query(fmt::format("MAX(v) WHERE {}", asked.text), builder_.values()));
      const auto most = std::ranges::max_element(matching, {}, &Cell::v);
      if (most != matching.end()) op.value = Value::integer(most->v);
      op.rows.clear();
    } else {
      op.predicate = builder_.predicate(parse_query(asked.text, builder_.values()));
      if (!op.rows.empty() && random_.chance(0.03)) op.rows.pop_back();
    }
    add(t, op, set);
  }

  void update(TransactionId t, const VersionSet& set, State& state, std::map<std::uint32_t, bool>& touched) {
    const Asked& asked = kConditions[random_.below(kConditions.size())];
    const bool deletes = random_.chance(0.4);
    Operation op{.kind = deletes ? OperationKind::PredicateDelete : OperationKind::PredicateUpdate};
    // New rows have new numbers, so the predicate does not say what they are set to.
    op.predicate = builder_.predicate(parse_query(asked.text, builder_.values()));
    for (auto cell = state.begin(); cell != state.end();) {
      if (!asked.matches(cell->second)) {
        ++cell;
        continue;
      }
      touched[cell->first] = true;
      if (deletes) {
        op.rows.push_back({ids_[cell->first], Value::nil()});
        cell = state.erase(cell);
      } else {
        cell->second = {++last_id_, cell->second.v + 1};
        op.rows.push_back({ids_[cell->first], value(cell->second)});
        ++cell;
      }
    }
    add(t, op, set);
  }

  Operation as_damaged(Operation op) const {
    if (damaged_ != builder_.operation_count()) return op;
    if (op.kind == OperationKind::Read && !op.value.is_nil()) op.value = Value::nil();
    if (op.kind != OperationKind::PredicateRead) return op;
    if (!op.rows.empty()) op.rows.pop_back();
    if (op.value.is_integer()) op.value = Value::integer(op.value.as_integer() + 1);
    return op;
  }
  void add(TransactionId t, const Operation& op, const VersionSet& set) {
    builder_.add(t, as_damaged(op));
    const bool forgotten = random_.chance(0.3);  // Drawn in any case, so that what follows is the same.
    if (forgets_ && forgotten && is_predicate(op.kind)) return;
    builder_.add_version_set(OperationId{static_cast<std::uint32_t>(builder_.operation_count() - 1)}, set);
  }

  Value value(const Cell& cell) {
    return builder_.values().row(fmt::format("{{\"id\":{},\"v\":{}}}", cell.id, cell.v));
  }
  Value damaged_value(const State& state, std::uint32_t key) {
    if (random_.chance(0.03))
      return value({static_cast<int>(random_.below(9)), static_cast<int>(random_.below(4))});
    return state.contains(key) ? value(state.at(key)) : Value::nil();
  }

  void certify(std::uint64_t sets) {
    if (sets == 0 && random_.chance(0.5)) return builder_.set_ordered_by_commit();
    for (auto& [key, writers] : writers_) {
      if (writers.size() > 1 && random_.chance(0.05)) shuffle(writers);
      if (damaged_ == builder_.operation_count() + key) std::ranges::reverse(writers);
      builder_.add_order({ids_[key], writers, true});
    }
  }

  Random& random_;
  std::size_t count_;
  std::uint64_t keys_;
  bool forgets_;
  std::optional<std::size_t> damaged_;
  HistoryBuilder builder_;
  std::vector<TransactionId> transactions_;
  std::map<std::uint32_t, KeyId> ids_;
  std::vector<State> states_;
  std::map<std::uint32_t, std::vector<TransactionId>> writers_;
  int last_id_ = 0;
};

}  // namespace

History random_certified_history(Random& random, std::size_t transactions, bool forgets,
                                 std::optional<std::size_t> damaged) {
  return Maker(random, transactions, forgets, damaged).make();
}

}  // namespace serval::oracle
