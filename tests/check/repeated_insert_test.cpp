// Two inserts of one key that nobody deletes: an update is lost, also where predicates write the key.

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "sample.h"
#include "serval/check/check.h"
#include "serval/formats/format.h"
#include "serval/history/history_builder.h"
#include "serval/predicate/parse_predicate.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

const std::string kTwoInserts = R"({"s":1,"t":1,"ops":[["i","x",1]]}
{"s":2,"t":2,"ops":[["i","x",2]]}
)";
const std::string kUpdate = R"({"s":3,"t":3,"ops":[["pu",["sql","SET value = 9 WHERE value = 1"],[["x",9]]]]}
)";

CheckResult result_of(const History& history, Level level) {
  CheckResult result = check(history, level, {.use_certificate = false});
  EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level);
  return result;
}
bool is_lost(const History& history, Level level) {
  const CheckResult result = result_of(history, level);
  const auto* found = std::get_if<Violated>(&result.verdict);
  return found != nullptr && found->counts.contains(AnomalyKind::LostUpdate);
}
bool is_lost(const std::string& lines) {
  ByteStream stream = ByteStream::from_memory("test.jsonl", R"({"serval":"history","version":1})"
                                                            "\n" +
                                                                lines);
  return is_lost(read_history(stream), Level::Serializable);
}

TEST(RepeatedInsert, IsALostUpdateWhereALevelForbidsThat) {
  ByteStream stream = ByteStream::from_memory("test.jsonl", R"({"serval":"history","version":1})"
                                                            "\n" +
                                                                kTwoInserts + kUpdate);
  const History history = read_history(stream);
  for (const Level level : {Level::CursorStability, Level::RepeatableRead, Level::SnapshotIsolation,
                            Level::Serializable, Level::StrongSessionSerializable})
    EXPECT_TRUE(is_lost(history, level)) << name_of(level);
  for (const Level level : {Level::ReadUncommitted, Level::ReadCommitted, Level::Causal})
    EXPECT_FALSE(violated(result_of(history, level).verdict)) << name_of(level);
}

TEST(RepeatedInsert, IsFineIfTheKeyMayHaveBeenDeleted) {
  EXPECT_TRUE(is_lost(kTwoInserts + kUpdate));
  EXPECT_FALSE(is_lost(kTwoInserts + kUpdate + R"({"s":4,"t":4,"ops":[["d","x"]]})"));
  EXPECT_FALSE(
      is_lost(kTwoInserts + kUpdate + R"({"s":4,"t":4,"ops":[["pd",["sql","value = 1"],[["x",null]]]]})"));
  EXPECT_FALSE(is_lost(kTwoInserts + kUpdate +
                       R"({"s":4,"t":4,"ops":[["pd",["sql","value = 1"],[]]],"outcome":"indeterminate"})"));
  EXPECT_FALSE(is_lost(kTwoInserts + kUpdate +
                       R"({"s":4,"t":4,"ops":[["pd",["sql","value = 1"],[],{"changed":1}]]})"));
  EXPECT_TRUE(is_lost(kTwoInserts + kUpdate + R"({"s":4,"t":4,"ops":[["d","x"]],"outcome":"aborted"})"));
  EXPECT_TRUE(is_lost(kTwoInserts + kUpdate + R"({"s":4,"t":4,"ops":[["d","y"]]})"));
}

TEST(RepeatedInsert, NeedsTwoCommittedTransactions) {
  const std::string first = R"({"s":1,"t":1,"ops":[["i","x",1]]})"
                            "\n";
  for (const char* outcome : {"aborted", "indeterminate"})
    EXPECT_FALSE(
        is_lost(first + R"({"s":2,"t":2,"ops":[["i","x",2]],"outcome":")" + outcome + "\"}\n" + kUpdate));
}

TEST(RepeatedInsert, CannotBeClaimedIfTheKeyWasDeleted) {
  ByteStream stream =
      ByteStream::from_memory("test.jsonl", R"({"serval":"history","version":1})"
                                            "\n" +
                                                kTwoInserts + kUpdate + R"({"s":4,"t":4,"ops":[["d","x"]]})");
  const History history = read_history(stream);
  const Divergence claim{.key = KeyId{0},
                         .first = {TransactionId{0}, OperationId{0}, OperationId{0}},
                         .second = {TransactionId{1}, OperationId{1}, OperationId{1}}};
  const Violated lie{{{AnomalyKind::LostUpdate, claim}}, {{AnomalyKind::LostUpdate, 1}}};
  EXPECT_NE(verify_witness(history, Level::Serializable, lie), std::nullopt);
}

// Inserts into a table that transactions sometimes see too late.
History careless_inserts(Random& random) {
  HistoryBuilder builder;
  std::set<std::uint32_t> rows;
  int next = 0;
  for (int t = 0; t < 4; ++t) {
    const TransactionId id = builder.begin_transaction(builder.session(Value::integer(t)), Value::integer(t));
    const bool late = random.chance(0.2);
    for (int i = 0; i < 2; ++i) {
      const KeyId key = builder.key(Value::integer(static_cast<int>(random.below(2))));
      const bool exists = rows.contains(key.index) && !late;
      if (exists && random.chance(0.2)) {
        builder.add(id, OperationKind::Delete, key, Value::nil());
        rows.erase(key.index);
      } else if (exists) {
        Operation update{.kind = OperationKind::PredicateUpdate, .rows = {{key, Value::integer(++next)}}};
        update.predicate = builder.predicate(
            parse_query("SET value = " + std::to_string(next) + " WHERE key = " + std::to_string(key.index),
                        builder.values()));
        builder.add(id, update);
      } else if (!exists) {
        builder.add(id, OperationKind::Insert, key, Value::integer(++next));
        rows.insert(key.index);
      }
    }
  }
  return std::move(builder).freeze();
}

// Whether an insert finds no row, and an update or a delete one.
bool is_right(const History& history, OperationId op, std::set<KeyId>& rows) {
  if (history.kind(op) == OperationKind::PredicateUpdate) return rows.contains(history.rows(op).front().key);
  if (history.kind(op) == OperationKind::Insert) return rows.insert(history.key(op)).second;
  return rows.erase(history.key(op)) == 1;
}

bool some_order_is_right(const History& history) {
  std::vector<TransactionId> order;
  for (const TransactionId t : history.transactions()) order.push_back(t);
  do {
    std::set<KeyId> rows;
    bool fine = true;
    for (const TransactionId t : order)
      for (const OperationId op : history.operations(t)) fine = fine && is_right(history, op, rows);
    if (fine) return true;
  } while (std::ranges::next_permutation(order).found);
  return false;
}

TEST(RepeatedInsert, AgreesWithAnOracleThatTriesEveryOrder) {
  int found = 0, possible = 0;
  for (const std::uint64_t seed : fresh_seeds(sample_of(5'000, 500))) {
    Random random(seed);
    const History history = careless_inserts(random);
    const bool lost = is_lost(history, Level::Serializable);
    if (lost) {
      ASSERT_FALSE(some_order_is_right(history)) << seed;
    }
    found += lost ? 1 : 0;
    possible += lost || !some_order_is_right(history) ? 0 : 1;
  }
  EXPECT_GT(found, 20);
  EXPECT_GT(possible, 20);
}

}  // namespace
}  // namespace serval
