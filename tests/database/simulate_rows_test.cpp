// The simulated table of rows keeps the promises of its levels and of its certificates. The predicate
// library matches the rows here; the simulation does not use it.

#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "history_equality.h"
#include "sample.h"
#include "serval/base/error.h"
#include "serval/database/simulated/simulate.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/query.h"
#include "serval/predicate/row_columns.h"

namespace serval {
namespace {

using Certificate = SimulationOptions::Certificate;
using State = std::map<KeyId, Value>;  // The rows that exist.

SimulationOptions small(std::string_view level, std::uint64_t seed) {
  return {.workload = "predicate-mix:places=20,width=6,overlap=4,increments=0.1,deletes=0.1,nulls=0.1",
          .sessions = 4,
          .transactions = 300,
          .keys = 12,
          .level = parse_row_level(level),
          .seed = seed};
}

std::int64_t commit_number(const History& history, TransactionId t) {
  return history.hints(t)->commit_timestamp.value_or(0);
}

// What the operation would have seen and left, had it run on this state alone. run() returns a message
// if the operation saw something else.
class RowReplay {
 public:
  RowReplay(const History& history, State state) : history_(history), state_(std::move(state)) {}

  const State& state() const { return state_; }
  std::string run(OperationId op) {
    const Operation operation = history_.operation(op);
    if (is_predicate(operation.kind)) return run_range(operation);
    const Value before = at(operation.key);
    switch (operation.kind) {
      case OperationKind::Write:
        break;
      case OperationKind::Insert:
        if (!before.is_nil()) return "inserted over a row";
        break;
      case OperationKind::Delete:
        if (before.is_nil()) return "deleted no row";
        break;
      default:
        return before == operation.value ? "" : "read another row";
    }
    set(operation.key, operation.value);
    return "";
  }

 private:
  Value at(KeyId key) const {
    const auto found = state_.find(key);
    return found == state_.end() ? Value::nil() : found->second;
  }
  void set(KeyId key, Value value) {
    if (value.is_nil())
      state_.erase(key);
    else
      state_[key] = value;
  }
  std::vector<Scalar> columns(const Condition& condition, KeyId key, Value value) const {
    std::vector<Scalar> row;
    read_columns(condition.columns(), history_.key_value(key), value, history_.values(), row);
    return row;
  }

  std::string run_range(const Operation& operation) {
    const Query query = query_of(history_.predicate(operation.predicate), history_.values());
    State matched;
    for (const auto& [key, value] : state_)
      if (evaluate(query.where, columns(query.where, key, value)) == Truth::True) matched[key] = value;
    if (query.function != Query::Function::None) {
      Aggregation aggregation(query.function);
      for (const auto& [key, value] : matched)
        aggregation.add(value_of(query.argument, columns(query.argument, key, value)));
      const bool right = same(aggregation.result(), Scalar::of(operation.value, history_.values()));
      return right ? "" : "another aggregate";
    }
    if (matched.size() != operation.rows.size()) return "another number of rows";
    for (const Row& row : operation.rows)
      if (const std::string wrong = run_row(operation, query, row, matched); !wrong.empty()) return wrong;
    return "";
  }

  std::string run_row(const Operation& operation, const Query& query, const Row& row, const State& matched) {
    if (!matched.contains(row.key)) return "a row that does not match";
    const Value before = matched.at(row.key);
    if (operation.kind == OperationKind::PredicateRead) return before == row.value ? "" : "another row";
    for (const Query::Assignment& assignment : query.assignments) {
      const Condition after(Predicate{.node = Predicate::Node::Column, .name = assignment.column}, {});
      const Scalar wanted = value_of(assignment.value, columns(assignment.value, row.key, before));
      if (!same(wanted, value_of(after, columns(after, row.key, row.value)))) return "a wrong update";
    }
    set(row.key, row.value);
    return "";
  }

  const History& history_;
  State state_;
};

// The rows after each commit.
std::vector<State> states_of(const History& history) {
  std::map<std::int64_t, TransactionId> commits;
  for (const TransactionId t : history.transactions())
    if (commit_number(history, t) > 0) commits[commit_number(history, t)] = t;
  std::vector<State> states(1);
  for (const auto& [number, t] : commits) {
    EXPECT_EQ(number, static_cast<std::int64_t>(states.size()));
    State next = states.back();
    for (const OperationId op : history.operations(t)) {
      const auto set = [&](KeyId key, Value value) {
        if (value.is_nil())
          next.erase(key);
        else
          next[key] = value;
      };
      const Operation operation = history.operation(op);
      if (operation.kind == OperationKind::PredicateUpdate ||
          operation.kind == OperationKind::PredicateDelete)
        for (const Row& row : operation.rows) set(row.key, row.value);
      if (operation.kind == OperationKind::Write || operation.kind == OperationKind::Insert ||
          operation.kind == OperationKind::Delete)
        set(operation.key, operation.value);
    }
    states.push_back(std::move(next));
  }
  return states;
}

// Runs each committed transaction on the state that it should have seen if its level is serializable.
std::string first_anomaly(const History& history) {
  const std::vector<State> states = states_of(history);
  for (const TransactionId t : history.transactions()) {
    if (history.outcome(t) != Outcome::Committed) continue;
    const std::int64_t commit = commit_number(history, t);
    RowReplay replay(
        history,
        states[static_cast<std::size_t>(commit > 0 ? commit - 1 : *history.hints(t)->start_timestamp)]);
    for (const OperationId op : history.operations(t))
      if (const std::string wrong = replay.run(op); !wrong.empty())
        return fmt::format("transaction {}: {}", t.index + 1, wrong);
  }
  return "";
}

TEST(SimulateRows, SerializableLevelsAreSerializableInCommitOrder) {
  for (const char* level : {"serializable", "strong-session-serializable", "strict-serializable"})
    for (const std::uint64_t seed : fresh_seeds(10))
      EXPECT_EQ(first_anomaly(simulate(small(level, seed))), "") << level << " seed " << seed;
}

TEST(SimulateRows, WeakerLevelsAreNot) {
  for (const char* level : {"read-committed", "repeatable-read", "snapshot-isolation"}) {
    bool found = false;
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      found = found || !first_anomaly(simulate(small(level, seed))).empty();
    EXPECT_TRUE(found) << level;
  }
}

TEST(SimulateRows, RangesSawWhatTheirVersionSetsSay) {
  for (const SimulatedLevelInfo& level : all_row_levels()) {
    const History history = simulate(small(level.name, 7));
    const std::vector<State> states = states_of(history);
    for (const TransactionId t : history.transactions()) {
      if (history.outcome(t) != Outcome::Committed) continue;
      std::set<KeyId> written;  // What the transaction itself wrote is added.
      for (const OperationId op : history.operations(t)) {
        const Operation operation = history.operation(op);
        if (is_predicate(operation.kind) && written.empty()) {
          const VersionSet* seen = history.certificate().version_set(op);
          ASSERT_NE(seen, nullptr);
          RowReplay replay(history, states[static_cast<std::size_t>(std::get<std::int64_t>(seen->seen))]);
          EXPECT_EQ(replay.run(op), "") << level.name << " operation " << op.index;
        }
        if (operation.kind != OperationKind::Read && operation.kind != OperationKind::PredicateRead)
          written.insert(operation.key);
      }
    }
  }
}

TEST(SimulateRows, ListedVersionsMatchTheTimestamps) {
  SimulationOptions options = small("snapshot-isolation", 3);
  const History by_time = simulate(options);
  options.certificate = Certificate::Full;
  const History listed = simulate(options);
  ASSERT_EQ(by_time.operation_count(), listed.operation_count());
  ASSERT_FALSE(listed.certificate().orders.empty());
  for (const auto& [op, set] : by_time.certificate().version_sets) {
    const std::int64_t until = std::get<std::int64_t>(set.seen);
    std::map<KeyId, TransactionId> last, seen;
    for (const KeyOrder& order : listed.certificate().orders) {
      EXPECT_TRUE(order.complete);
      for (const TransactionId t : order.installers)
        if (commit_number(listed, t) <= until) last[order.key] = t;
    }
    for (const SeenVersion& version :
         std::get<std::vector<SeenVersion>>(listed.certificate().version_set(op)->seen))
      seen[version.key] = version.installer;
    EXPECT_EQ(seen, last);
  }
}

TEST(SimulateRows, TheSameSeedGivesTheSameHistoryWithOrWithoutACertificate) {
  SimulationOptions options = small("repeatable-read", 5);
  const History history = simulate(options);
  EXPECT_EQ(difference(history, simulate(options)), "");
  options.certificate = Certificate::None;
  const History bare = simulate(options);
  EXPECT_TRUE(bare.certificate().empty());
  EXPECT_FALSE(bare.has_hints());
  EXPECT_EQ(bare.operation_count(), history.operation_count());
}

TEST(SimulateRows, PlantedAnomaliesAreNotSerializable) {
  for (const PlantedAnomaly& planted : all_planted_rows()) {
    SimulationOptions options = small("strict-serializable", 2);
    options.plant = planted.name;
    const History history = simulate(options);
    EXPECT_EQ(history.transaction_count(), options.transactions + 2);
    EXPECT_NE(first_anomaly(history), "") << planted.name;
  }
}

TEST(SimulateRows, ABugBreaksALevelThatHoldsWithoutIt) {
  SimulationOptions options = small("strict-serializable", 4);
  options.bugs = {parse_simulated_bug("write-skew:probability=0.5")};
  EXPECT_NE(first_anomaly(simulate(options)), "");
}

TEST(SimulateRows, RefusesUnknownNames) {
  const auto refuses = [](auto change) {
    SimulationOptions options = small("serializable", 1);
    change(options);
    EXPECT_THROW(static_cast<void>(simulate(options)), InputError);
  };
  refuses([](auto& options) { options.level = SimulatedLevel::PrefixConsistency; });
  refuses([](auto& options) { options.plant = "long-fork"; });
  refuses([](auto& options) { options.bugs = {parse_simulated_bug("long-fork")}; });
  refuses([](auto& options) { options.sessions = 1; });
}

}  // namespace
}  // namespace serval
