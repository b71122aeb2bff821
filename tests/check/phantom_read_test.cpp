// Phantoms that need no certificate: one predicate, asked twice in a transaction, with different rows.

#include <map>

#include <gtest/gtest.h>

#include "oracle/certified_reference.h"
#include "sample.h"
#include "serval/check/check.h"
#include "serval/database/simulated/simulate.h"
#include "serval/formats/format.h"
#include "serval/history/history_builder.h"
#include "serval/inference/changed_answers.h"
#include "serval/predicate/parse_predicate.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

History transactions(const std::string& lines) {
  ByteStream stream = ByteStream::from_memory("test.jsonl", R"({"serval":"history","version":1})"
                                                            "\n" +
                                                                lines);
  return read_history(stream);
}

// By the reads alone.
CheckResult judged(const History& history, Level level) {
  CheckResult result = check(history, level, {.use_certificate = false});
  EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level);
  return result;
}
bool shows_phantom_read(const CheckResult& result) {
  const auto* found = std::get_if<Violated>(&result.verdict);
  return found != nullptr && found->counts.contains(AnomalyKind::PhantomRead);
}

// Emme, Fig. 1.
const std::string kWriters = R"({"s":1,"t":1,"ops":[["w","x",1]]}
{"s":2,"t":2,"ops":[["w","y",2]]}
)";
const std::string kFirst = R"(["pr",["sql","value < 5"],[["x",1]]])";
const std::string kSecond = R"(["pr",["sql","value < 5"],[["x",1],["y",2]]])";

std::string reader(const std::string& operations, const std::string& more = "") {
  return R"({"s":3,"t":3,"ops":[)" + operations + "]" + more + "}\n";
}
bool is_phantom(const std::string& operations, const std::string& more = "") {
  return shows_phantom_read(
      judged(transactions(kWriters + reader(operations, more)), Level::SnapshotIsolation));
}

TEST(PhantomRead, OfTheFirstFigureIsAViolationExactlyWhereTheTableSaysSo) {
  const History history = transactions(kWriters + reader(kFirst + "," + kSecond));
  for (const LevelInfo& row : all_levels()) {
    const CheckResult result = judged(history, row.level);
    EXPECT_EQ(violated(result.verdict), forbids(row.level, AnomalyKind::PhantomRead)) << row.name;
    EXPECT_EQ(shows_phantom_read(result), forbids(row.level, AnomalyKind::PhantomRead)) << row.name;
  }
  EXPECT_TRUE(forbids(Level::SnapshotIsolation, AnomalyKind::PhantomRead));
  EXPECT_FALSE(forbids(Level::RepeatableRead, AnomalyKind::PhantomRead));
}

TEST(PhantomRead, MayBeARowThatDisappears) { EXPECT_TRUE(is_phantom(kSecond + "," + kFirst)); }

TEST(PhantomRead, IsNoAnswerOfAnotherPredicate) {
  EXPECT_FALSE(is_phantom(kFirst + "," + R"(["pr",["sql","value < 6"],[["x",1],["y",2]]])"));
  EXPECT_FALSE(is_phantom(kFirst + "," + kFirst));
}

TEST(PhantomRead, IsNotWhatTheTransactionWroteItself) {
  EXPECT_FALSE(is_phantom(kFirst + R"(,["w","y",2],)" + kSecond));
  EXPECT_FALSE(
      is_phantom(kSecond + R"(,["pu",["sql","SET value = 7 WHERE value = 2"],[["y",7]]],)" + kFirst));
  EXPECT_FALSE(is_phantom(kSecond + R"(,["pd",["sql","value = 2"],[["y",null]]],)" + kFirst));
  EXPECT_TRUE(is_phantom(kFirst + R"(,["w","z",9],)" + kSecond));
}

TEST(PhantomRead, IsNotClaimedIfChangedRowsWereNotRecorded) {
  EXPECT_FALSE(is_phantom(kSecond + R"(,["pd",["sql","value = 2"],[],{"changed":1}],)" + kFirst));
}

// The key is deleted and inserted again, so it is left out in the second opinion about new objects.
TEST(PhantomRead, IsNotWhatTheTransactionWroteToARenewedKey) {
  const History history = transactions(kWriters + R"({"s":4,"t":4,"ops":[["d","y"]]})" + "\n" +
                                       reader(kFirst + R"(,["w","y",2],)" + kSecond + R"(,["r","x",9])"));
  EXPECT_FALSE(shows_phantom_read(judged(history, Level::SnapshotIsolation)));
}

TEST(PhantomRead, OfATransactionThatDidNotCommitDoesNotCount) {
  for (const char* outcome : {"aborted", "indeterminate"})
    EXPECT_FALSE(is_phantom(kFirst + "," + kSecond, std::string(R"(,"outcome":")") + outcome + "\""));
}

TEST(PhantomRead, IncludesCountsButNoSums) {
  const auto result = [](const std::string& query, int value) {
    return R"(["pr",["sql",")" + query + R"( WHERE value < 5"],[],{"result":)" + std::to_string(value) + "}]";
  };
  EXPECT_TRUE(is_phantom(result("COUNT(*)", 1) + "," + result("COUNT(*)", 2)));
  EXPECT_FALSE(is_phantom(result("COUNT(*)", 1) + R"(,["w","z",1],)" + result("COUNT(*)", 2)));
  EXPECT_FALSE(is_phantom(result("SUM(value)", 1) + "," + result("SUM(value)", 3)));
}

TEST(PhantomRead, CannotBeClaimedOfEqualAnswers) {
  const History history = transactions(kWriters + reader(kFirst + "," + kFirst));
  for (const std::uint32_t first : {2u, 3u})
    for (const std::uint32_t second : {2u, 3u}) {
      Violated claim{
          {{AnomalyKind::PhantomRead, BadRead{TransactionId{2}, OperationId{second}, OperationId{first}}}},
          {{AnomalyKind::PhantomRead, 1}}};
      EXPECT_NE(verify_witness(history, Level::Serializable, claim), std::nullopt);
    }
}

// Serial transactions that sometimes forget that they read from a snapshot.
History careless_history(Random& random) {
  HistoryBuilder builder;
  std::map<int, int> now;  // By key, the values of all transactions so far.
  int next = 0;
  for (int t = 0; t < 4; ++t) {
    const TransactionId id = builder.begin_transaction(builder.session(Value::integer(t)), Value::integer(t));
    std::map<int, int> seen = random.chance(0.5) ? now : std::map<int, int>();
    for (int i = 0; i < 3; ++i) {
      const KeyId key = builder.key(Value::integer(static_cast<int>(random.below(3))));
      const int name = static_cast<int>(key.index);
      if (random.chance(0.3)) {
        seen[name] = now[name] = ++next + (random.chance(0.5) ? 100 : 0);
        builder.add(id, OperationKind::Write, key, Value::integer(seen[name]));
        continue;
      }
      if (random.chance(0.2)) seen = now;
      Operation asked{.kind = OperationKind::PredicateRead};
      asked.predicate = builder.predicate(parse_query("value < 100", builder.values()));
      for (const auto& [row, value] : seen)
        if (value < 100)
          asked.rows.push_back({KeyId{static_cast<std::uint32_t>(row)}, Value::integer(value)});
      builder.add(id, asked);
    }
  }
  return std::move(builder).freeze();
}

// No serial order explains a phantom read.
TEST(PhantomRead, AgreesWithAnOracleThatTriesEveryOrder) {
  int found = 0;
  for (const std::uint64_t seed : fresh_seeds(sample_of(5'000, 500))) {
    Random random(seed);
    const History history = careless_history(random);
    Budget budget = Budget::unlimited();
    if (changed_answers(history, budget).empty()) continue;
    ++found;
    ASSERT_TRUE(shows_phantom_read(judged(history, Level::Serializable))) << seed;
    ASSERT_FALSE(oracle::some_serial_order_exists(history, false)) << seed;
  }
  EXPECT_GT(found, 20);
}

std::size_t phantoms_in_simulations(std::string_view level, std::uint64_t first) {
  std::size_t count = 0;
  for (std::uint64_t seed = first; seed < first + sample_of(40, 15); ++seed) {
    const History history = simulate({.workload = "predicate-mix:places=3,width=2,overlap=1,deletes=0.1",
                                      .sessions = 4,
                                      .transactions = 200,
                                      .keys = 12,
                                      .level = parse_row_level(level),
                                      .seed = seed});
    Budget budget = Budget::unlimited();
    const std::vector<FaultyRead> found = changed_answers(history, budget);
    for (const FaultyRead& read : found) {
      const Violated claim{{{AnomalyKind::PhantomRead, BadRead{read.reader, read.read, read.source}}},
                           {{AnomalyKind::PhantomRead, 1}}};
      EXPECT_EQ(verify_witness(history, Level::SnapshotIsolation, claim), std::nullopt) << seed;
    }
    count += found.size();
  }
  return count;
}

TEST(PhantomRead, IsFoundInSimulationsWithoutSnapshotsOnly) {
  EXPECT_EQ(phantoms_in_simulations("snapshot-isolation", first_seed()), 0u);
  EXPECT_EQ(phantoms_in_simulations("strict-serializable", first_seed()), 0u);
  EXPECT_GT(phantoms_in_simulations("read-committed", 1), 0u);
}

}  // namespace
}  // namespace serval
