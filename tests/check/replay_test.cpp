// The replay engine: expected orders that pass are proofs, the others are explained. The ordered indexes
// find what a naive replay finds.

#include "serval/check/replay/replay.h"

#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample.h"
#include "serval/base/random.h"
#include "serval/check/check.h"
#include "serval/database/simulated/simulate.h"
#include "serval/formats/format.h"
#include "serval/history/history_builder.h"
#include "serval/inference/expected_order.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/parse_predicate.h"
#include "serval/predicate/query.h"
#include "serval/predicate/row_columns.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

using testing::HasSubstr;

History lines(const std::string& text) {
  ByteStream stream = ByteStream::from_memory("test.jsonl", R"({"serval":"history","version":1})"
                                                            "\n" +
                                                                text);
  return read_history(stream);
}

CheckResult replayed(const History& history, Level level, ExpectedOrderChoice order = {}) {
  CheckResult result = check(history, level, {.engine = Engine::Replay, .expected_order = std::move(order)});
  EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt);
  return result;
}

std::string reason(const CheckResult& result) {
  const auto* open = std::get_if<Undecided>(&result.verdict);
  return open == nullptr ? "decided" : open->reason;
}

SimulationOptions small(std::string_view level, std::uint64_t seed) {
  return {.workload = "predicate-mix:places=20,width=6,overlap=4,increments=0.1,deletes=0.1,nulls=0.1",
          .sessions = 4,
          .transactions = 200,
          .keys = 12,
          .level = parse_row_level(level),
          .seed = seed};
}

bool passes_naively(const History& history, const std::vector<TransactionId>& order) {
  return !verify_witness(history, Level::Serializable,
                         Holds{.proven = Level::Serializable, .commit_order = order, .snapshot = {}});
}

// The replays with and without indexes agree.
bool passes(const History& history, const std::vector<TransactionId>& order) {
  Budget budget = Budget::unlimited();
  const bool found = replay_in_order(history, order, budget).passes();
  EXPECT_EQ(found, passes_naively(history, order));
  return found;
}

TEST(Replay, ProvesSerializableLevelsOfTheSimulatedTable) {
  for (const std::uint64_t seed : fresh_seeds(20)) {
    const History strict = simulate(small("strict-serializable", seed));
    for (const Level level : {Level::RepeatableRead, Level::Serializable, Level::StrongSessionSerializable,
                              Level::StrictSerializable}) {
      const CheckResult result = replayed(strict, level);
      EXPECT_TRUE(holds(result.verdict)) << name_of(level) << ": " << reason(result);
      EXPECT_EQ(result.engine, "replay");
    }
    EXPECT_TRUE(holds(replayed(simulate(small("serializable", seed)), Level::Serializable).verdict));
  }
}

TEST(Replay, IsChosenAutomaticallyIfTheTimestampOrderPasses) {
  ByteStream stream = ByteStream::from_memory(
      "test.jsonl",
      "{\"serval\":\"history\",\"version\":1}\n"
      "{\"s\":1,\"t\":1,\"ops\":[[\"w\",\"x\",1]],\"commit_ts\":1}\n"
      "{\"s\":2,\"t\":2,\"ops\":[[\"w\",\"x\",2]],\"commit_ts\":2}\n"
      "{\"s\":1,\"t\":3,\"ops\":[[\"pr\",[\"<\",[\"col\",\"value\"],5],[[\"x\",2]]]],\"commit_ts\":3}\n");
  const CheckResult result = check(read_history(stream), Level::Serializable);
  EXPECT_TRUE(holds(result.verdict));
  EXPECT_EQ(result.engine, "replay");
  // A certificate proves more.
  EXPECT_EQ(check(simulate(small("strict-serializable", 3)), Level::Serializable).engine, "certificate");
  const CheckResult weak = check(simulate(small("read-committed", 3)), Level::Serializable);
  EXPECT_NE(weak.engine, "replay");
}

// The timestamps put T2 before T1, although T1 had ended when T2 began; in one session or two.
History ordered_against_time(int second_session) {
  return lines(fmt::format(R"({{"s":1,"t":1,"ops":[["w","x",1]],"commit_ts":2,"begin":1,"end":2}}
{{"s":{},"t":2,"ops":[["w","x",2]],"commit_ts":1,"begin":3,"end":4}})",
                           second_session));
}

TEST(Replay, ExpectsEverySerializableLevelToRespectItsOrders) {
  const History one = ordered_against_time(1), two = ordered_against_time(2);
  const std::string strong = "the expected order is serial, but not strong-session-serializable: ";
  const std::string strict = "the expected order is serial, but not strict-serializable: ";
  const std::string session = "T2 comes before T1, which precedes it in its session";
  const std::string real_time = "T2 comes before T1, which had ended when it began";
  EXPECT_EQ(reason(replayed(one, Level::Serializable)), "decided");
  EXPECT_EQ(reason(replayed(one, Level::StrongSessionSerializable)), strong + session);
  EXPECT_EQ(reason(replayed(one, Level::StrictSerializable)), strict + session);
  EXPECT_EQ(reason(replayed(two, Level::StrongSessionSerializable)), "decided");
  EXPECT_EQ(reason(replayed(two, Level::StrictSerializable)), strict + real_time);
}

TEST(Replay, OverlappingTransactionsMayBeInEitherOrder) {
  const auto overlapping = [](int begin) {
    return lines(fmt::format(R"({{"s":1,"t":1,"ops":[["w","x",1]],"commit_ts":2,"begin":1,"end":5}}
{{"s":2,"t":2,"ops":[["w","x",2]],"commit_ts":1,"begin":{},"end":9}})",
                             begin));
  };
  EXPECT_EQ(reason(replayed(overlapping(5), Level::StrictSerializable)), "decided");
  EXPECT_THAT(reason(replayed(overlapping(6), Level::StrictSerializable)), HasSubstr("T2 comes before T1"));
}

TEST(Replay, AgreesWithANaiveReplayAtWeakLevels) {
  int failed = 0;
  for (const char* level : {"read-committed", "repeatable-read", "snapshot-isolation"})
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      SimulationOptions options = small(level, seed);
      options.transactions = 2 + seed;  // Some are too short for an anomaly.
      const History history = simulate(options);
      failed += passes(history, order_by_timestamps(history).transactions) ? 0 : 1;
    }
  EXPECT_GT(failed, 10);
  EXPECT_LT(failed, 80);
}

TEST(Replay, MissesNoPlantedAnomaly) {
  for (const PlantedAnomaly& planted : all_planted_rows()) {
    SimulationOptions options = small("strict-serializable", 5);
    options.plant = planted.name;
    const CheckResult result = replayed(simulate(options), Level::Serializable);
    EXPECT_THAT(reason(result), HasSubstr("expected order violated")) << planted.name;
  }
}

// Rows of all kinds, executed serially by the interpreter alone. Occasionally an answer is changed.

class RandomTable {
 public:
  explicit RandomTable(std::uint64_t seed, bool tampers) : random_(seed), tampers_(tampers) {
    const SessionId session = builder_.session(Value::integer(1));
    for (int t = 0; t < 30; ++t) {
      transaction_ = builder_.begin_transaction(session, Value::integer(t));
      for (int i = 0; i < 3; ++i) random_.chance(0.5) ? write() : ask();
      order_.push_back(transaction_);
    }
  }
  History history() && { return std::move(builder_).freeze(); }
  std::vector<TransactionId> order() const { return order_; }

 private:
  ValuePool& pool() { return builder_.values(); }
  std::string cell() {
    static const std::vector<std::string> kCells{"1", "2", "3", "7", "-4", "2.5", "null", "\"b\"", "true"};
    // Mostly of one kind; otherwise nearly every comparison would be undefined.
    return kCells[random_.chance(0.995) ? random_.below(7) : random_.below(kCells.size())];
  }
  void write() {
    const KeyId key = builder_.key(Value::integer(static_cast<std::int64_t>(random_.below(8))));
    const bool deletes = random_.chance(0.2);
    const Value row =
        deletes ? Value::nil() : pool().row(fmt::format(R"({{"a":{},"b":{}}})", cell(), cell()));
    builder_.add(transaction_, deletes ? OperationKind::Delete : OperationKind::Write, key, row);
    state_[key] = row;
  }

  std::vector<Scalar> columns(const Condition& condition, KeyId key, Value row) {
    std::vector<Scalar> out;
    read_columns(condition.columns(), Value::integer(key_name(key)), row, pool(), out);
    return out;
  }
  std::int64_t key_name(KeyId key) const { return names_.at(key); }

  void ask() {
    static const std::vector<std::string> kTexts{"a < 3",
                                                 "a BETWEEN 2 AND 7",
                                                 "a = 2.5 OR b = 1",
                                                 "a IN (1, 3) AND b > 0",
                                                 "NOT (a >= 2)",
                                                 "a IS NULL",
                                                 "b IS NOT NULL AND a <> 2",
                                                 "a + b > 4",
                                                 "a < b",
                                                 "key BETWEEN 2 AND 5",
                                                 "a > 1.5",
                                                 "MAX(b) WHERE a < 5",
                                                 "COUNT(*) WHERE key > 3",
                                                 "SUM(a) WHERE b <= 3",
                                                 "SET b = a + 1 WHERE a > 1",
                                                 "SET a = b WHERE key < 4",
                                                 "a < NULL",
                                                 "a > 9223372036854775806.5"};
    const std::string text = random_.chance(0.002) ? "a = 'b'" : kTexts[random_.below(kTexts.size())];
    const Predicate tree = parse_query(text, pool());
    const Query query = query_of(tree, pool());
    for (std::int64_t number = 0; number < 8; ++number) names_[builder_.key(Value::integer(number))] = number;
    Operation operation{.kind = OperationKind::PredicateRead};
    Aggregation aggregation(query.function);
    for (const auto& [key, row] : state_) {
      if (row.is_nil()) continue;
      const Truth truth = evaluate(query.where, columns(query.where, key, row));
      if (truth != Truth::True) continue;  // Undefined: no recorded answer is right or wrong.
      if (query.function != Query::Function::None)
        aggregation.add(value_of(query.argument, columns(query.argument, key, row)));
      else
        operation.rows.push_back({key, row});
    }
    operation.predicate = builder_.predicate(tree);
    if (!query.assignments.empty()) update(operation, query);
    if (query.function != Query::Function::None && !aggregation.result().is_undefined())
      operation.value =
          aggregation.result().is_null() ? Value::nil() : pool().number(aggregation.result().format());
    if (tampers_ && random_.chance(0.02)) tamper(operation);
    builder_.add(transaction_, operation);
  }

  void update(Operation& operation, const Query& query) {
    operation.kind = OperationKind::PredicateUpdate;
    for (Row& row : operation.rows) {
      const Scalar value =
          value_of(query.assignments[0].value, columns(query.assignments[0].value, row.key, row.value));
      std::vector<Scalar> old;
      const std::vector<std::string> names{"a", "b"};
      read_columns(names, Value::nil(), row.value, pool(), old);
      const auto json = [](const Scalar& scalar) {
        if (scalar.is_null() || scalar.is_undefined()) return std::string("null");
        if (scalar.kind() == Scalar::Kind::Boolean)
          return std::string(scalar.as_boolean() ? "true" : "false");
        return scalar.kind() == Scalar::Kind::Text ? "\"" + scalar.as_text() + "\"" : scalar.format();
      };
      old[query.assignments[0].column == "a" ? 0 : 1] = value;
      row.value = pool().row(fmt::format(R"({{"a":{},"b":{}}})", json(old[0]), json(old[1])));
      state_[row.key] = row.value;
    }
  }

  void tamper(Operation& operation) {
    if (operation.rows.empty()) {
      operation.value = Value::integer(99);
      operation.rows.push_back({builder_.key(Value::integer(0)), pool().row(R"({"a":1,"b":1})")});
    } else if (random_.chance(0.5)) {
      operation.rows.pop_back();
    } else {
      operation.rows.front().value = pool().row(R"({"a":5,"b":5})");
    }
  }

  Random random_;
  bool tampers_;
  HistoryBuilder builder_;
  TransactionId transaction_;
  std::vector<TransactionId> order_;
  std::map<KeyId, Value> state_;
  std::map<KeyId, std::int64_t> names_;
};

TEST(Replay, AgreesWithANaiveReplayOnRowsOfAllKinds) {
  int passed = 0, failed = 0;
  for (const std::uint64_t seed : fresh_seeds(sample_of(1000, 300))) {
    RandomTable table(seed, seed % 2 == 0);
    const std::vector<TransactionId> order = table.order();
    const History history = std::move(table).history();
    ++(passes(history, order) ? passed : failed);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(passed, 30);
  EXPECT_GT(failed, 30);
}

// Small histories.

const char* const kPhantom =
    R"({"s":1,"t":1,"ops":[["i","x",{"place":3}]],"commit_ts":1}
{"s":2,"t":2,"ops":[["pr",["sql","place < 5"],[]]],"start_ts":1}
)";

TEST(Replay, ExplainsTheFirstMismatchWithTheState) {
  EXPECT_EQ(
      reason(replayed(lines(kPhantom), Level::Serializable)),
      "expected order violated: T2 (2 of 2 in the order): predicate-read of place < 5 (0 rows) expects x to "
      "be {\"place\":3}, written by T1 (1 in the order), but saw no match");
}

TEST(Replay, AnotherOrderMayPass) {
  const History history = lines(kPhantom);
  const std::vector<TransactionId> other{TransactionId{1}, TransactionId{0}};
  EXPECT_TRUE(
      holds(replayed(history, Level::Serializable, {.source = ExpectedOrderSource::Given, .given = other})
                .verdict));
}

TEST(Replay, AGivenOrderContainsEveryCommittedTransactionOnce) {
  const History history = lines(kPhantom);
  const auto why = [&](std::vector<TransactionId> order) {
    return reason(replayed(history, Level::Serializable,
                           {.source = ExpectedOrderSource::Given, .given = std::move(order)}));
  };
  EXPECT_THAT(why({TransactionId{1}}), HasSubstr("lacks T1"));
  EXPECT_THAT(why({TransactionId{1}, TransactionId{1}, TransactionId{0}}), HasSubstr("names T2 twice"));
}

TEST(Replay, DoesNotDecideWhatIsUndefined) {
  const History history = lines(R"({"s":1,"t":1,"ops":[["i","x",7]],"commit_ts":1}
{"s":2,"t":2,"ops":[["pr",["sql","place < 5"],[]]],"start_ts":1})");
  EXPECT_THAT(reason(replayed(history, Level::Serializable)), HasSubstr("x = 7 matches is not defined"));
}

// An index over texts finds 'b', but cannot exclude the number.
TEST(Replay, DoesNotDecideComparisonsWithValuesOfTwoKinds) {
  const History history = lines(R"({"s":1,"t":1,"ops":[["i","x",{"place":"c"}]],"commit_ts":1}
{"s":2,"t":2,"ops":[["pr",["sql","place IN (1, 'b') "],[]]],"start_ts":1})");
  EXPECT_THAT(reason(replayed(history, Level::Serializable)), HasSubstr("matches is not defined"));
}

// Two rows are missed, and the index over places finds y first.
TEST(Replay, AnIndexFindsRowsInTheOrderOfTheirValues) {
  const History history =
      lines(R"({"s":1,"t":1,"ops":[["i","x",{"place":4}],["i","y",{"place":3}]],"commit_ts":1}
{"s":2,"t":2,"ops":[["pr",["sql","place < 5"],[]]],"start_ts":1})");
  EXPECT_THAT(reason(replayed(history, Level::Serializable)), HasSubstr("expects y to be {\"place\":3}"));
}

TEST(Replay, ComputesUpdatesAndKeepsOtherColumns) {
  const auto with_row = [](const std::string& row) {
    return lines(R"({"s":1,"t":1,"ops":[["i","x",{"place":3,"tag":1}]],"commit_ts":1}
{"s":2,"t":2,"ops":[["pu",["sql","SET place = place + 1 WHERE place < 5"],[["x",)" +
                 row + R"(]]]],"commit_ts":2})");
  };
  EXPECT_TRUE(holds(replayed(with_row(R"({"place":4,"tag":1})"), Level::Serializable).verdict));
  EXPECT_THAT(reason(replayed(with_row(R"({"place":5,"tag":1})"), Level::Serializable)),
              HasSubstr("expects x to be place = 4"));
  EXPECT_THAT(reason(replayed(with_row(R"({"place":4,"tag":2})"), Level::Serializable)),
              HasSubstr("expects x to be tag = 1"));
}

TEST(Replay, ComparesAggregates) {
  const auto with_result = [](int result) {
    return lines(fmt::format(
        R"({{"s":1,"t":1,"ops":[["i","x",{{"place":3}}],["i","y",{{"place":null}}]],"commit_ts":1}}
{{"s":2,"t":2,"ops":[["pr",["sql","COUNT(*) WHERE place IS NULL"],[],{{"result":{}}}]],"start_ts":1}})",
        result));
  };
  EXPECT_TRUE(holds(replayed(with_result(1), Level::Serializable).verdict));
  EXPECT_THAT(reason(replayed(with_result(2), Level::Serializable)), HasSubstr("should give 1, but gave 2"));
}

TEST(Replay, NeedsATimestampForEveryWriter) {
  const History history = lines(R"({"s":1,"t":1,"ops":[["w","x",1]],"start_ts":1})");
  EXPECT_THAT(reason(replayed(history, Level::Serializable)), HasSubstr("T1 committed without a timestamp"));
}

TEST(Replay, IncludesAnIndeterminateTransactionWhoseCommitIsKnown) {
  const History history = lines(
      R"({"s":1,"t":1,"ops":[["w","x",1]],"outcome":"indeterminate","commit_ts":1}
{"s":2,"t":2,"ops":[["r","x",1]],"start_ts":1})");
  EXPECT_TRUE(holds(replayed(history, Level::Serializable).verdict));
}

TEST(Replay, ReplaysListsAndConditionalWrites) {
  const History history = lines(
      R"({"s":1,"t":1,"ops":[["a","x",1],["a","x",2],["i","y",5]],"commit_ts":1}
{"s":2,"t":2,"ops":[["l","x",[1,2]],["cas","y",5,6],["i!","y",6],["d","y"],["r","y",null]],"commit_ts":2})");
  EXPECT_TRUE(holds(replayed(history, Level::Serializable).verdict));
}

TEST(Replay, CompletionOrderCanBeReplayed) {
  const History history = lines(R"({"s":1,"t":1,"ops":[["r","x",1]],"begin":5,"end":9}
{"s":2,"t":2,"ops":[["w","x",1]],"begin":1,"end":3})");
  EXPECT_TRUE(holds(
      replayed(history, Level::StrictSerializable, {.source = ExpectedOrderSource::Completion}).verdict));
}

}  // namespace
}  // namespace serval
