#include "serval/check/replay/row_state.h"

#include <gtest/gtest.h>

#include "serval/history/history_builder.h"
#include "serval/history/notation.h"

namespace serval::replay {
namespace {

// A history of one session, replayed in its own order. The keys initially hold 0.
struct Replayed {
  explicit Replayed(const std::string& text) : Replayed(parse_history(text)) {}
  explicit Replayed(History given)
      : history(std::move(given)), order(in_order(history)), state(history, order) {}

  static std::vector<TransactionId> in_order(const History& history) {
    std::vector<TransactionId> out;
    for (const TransactionId t : history.transactions()) out.push_back(t);
    return out;
  }

  KeyId key(const char* name) const {
    for (const KeyId k : history.key_ids())
      if (history.format_key(k) == name) return k;
    ADD_FAILURE() << "no key " << name;
    return KeyId{0};
  }

  History history;
  std::vector<TransactionId> order;
  RowState state;
};

TEST(RowState, KeysThatAreInsertedFirstHaveNoInitialRow) {
  const Replayed run("s1: [i(a,1) w(b,1) d(c) cas(d,0,1)] [w(a,2) i(b,2) i(c,2) i(d,2)]");
  EXPECT_FALSE(run.state.is_row(run.key("a")));
  for (const char* name : {"b", "c", "d"})
    EXPECT_EQ(run.state.value(run.key(name)), Value::integer(0)) << name;
}

TEST(RowState, KeysThatAreOnlyReadHaveARowIfAReadFoundOne) {
  const Replayed run("s1: [r(a,0) r(b,_)] [r(b,_)]");
  EXPECT_TRUE(run.state.is_row(run.key("a")));
  EXPECT_FALSE(run.state.is_row(run.key("b")));
}

TEST(RowState, RowsChangedByAPredicateExistedInitially) {
  HistoryBuilder builder;
  builder.set_initial_value(Value::integer(0));
  const KeyId updated = builder.key(Value::integer(1)), deleted = builder.key(Value::integer(2));
  const TransactionId t = builder.begin_transaction(builder.session(Value::integer(1)), Value::integer(1));
  Operation operation{.kind = OperationKind::PredicateUpdate};
  operation.rows = {{updated, Value::integer(5)}};
  builder.add(t, operation);
  operation = {.kind = OperationKind::PredicateDelete};
  operation.rows = {{deleted, Value::nil()}};
  builder.add(t, operation);
  builder.add(t, OperationKind::Insert, updated, Value::integer(6));
  builder.add(t, OperationKind::Insert, deleted, Value::integer(6));
  const Replayed run(std::move(builder).freeze());
  EXPECT_TRUE(run.state.is_row(updated));
  EXPECT_TRUE(run.state.is_row(deleted));
}

TEST(RowState, UnwrittenKeysMayAlsoBeSeenAsAbsent) {
  Replayed run("s1: [r(a,0) r(b,0) l(a,[]) l(b,[1])]");
  const KeyId a = run.key("a"), b = run.key("b");
  const Value none = run.history.value(OperationId{2}), one = run.history.value(OperationId{3});
  for (const Value seen : {Value::integer(0), Value::nil(), none}) EXPECT_TRUE(run.state.shows(a, seen));
  EXPECT_FALSE(run.state.shows(a, Value::integer(1)));
  EXPECT_FALSE(run.state.shows(a, one));
  run.state.set(a, Value::integer(7), TransactionId{0});
  EXPECT_TRUE(run.state.shows(a, Value::integer(7)));
  for (const Value seen : {Value::integer(0), Value::nil(), none}) EXPECT_FALSE(run.state.shows(a, seen));
  run.state.set(a, Value::nil(), TransactionId{0});
  EXPECT_TRUE(run.state.shows(a, Value::nil()));
  EXPECT_TRUE(run.state.shows(a, none)) << "an empty list is not a row";
  run.state.append(b, Value::integer(1), TransactionId{0});
  EXPECT_TRUE(run.state.shows(b, one));
  EXPECT_FALSE(run.state.shows(b, none));
  EXPECT_FALSE(run.state.shows(b, Value::nil()));
}

TEST(RowState, FormatsLists) {
  Replayed run("s1: [l(a,[])]");
  const KeyId a = run.key("a");
  run.state.append(a, Value::integer(1), TransactionId{0});
  EXPECT_EQ(run.state.format(a), "[1]");
  run.state.append(a, Value::integer(2), TransactionId{0});
  EXPECT_EQ(run.state.format(a), "[1 2]");
}

}  // namespace
}  // namespace serval::replay
