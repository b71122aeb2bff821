#include "serval/predicate/query.h"

#include <gtest/gtest.h>

#include "serval/history/history_builder.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/parse_predicate.h"

namespace serval {
namespace {

Query query(const std::string& text) {
  ValuePool pool;
  return query_of(parse_query(text, pool), pool);
}
Condition condition(const std::string& text) {
  ValuePool pool;
  return Condition(parse_predicate(text, pool), pool);
}

TEST(Query, SeparatesItsParts) {
  EXPECT_EQ(query("a < 5").where, condition("a < 5"));
  EXPECT_EQ(query("a < 5").function, Query::Function::None);

  const Query aggregate = query("MAX(a + 1) WHERE b = 2");
  EXPECT_EQ(aggregate.function, Query::Function::Max);
  EXPECT_EQ(aggregate.argument, condition("a + 1"));
  EXPECT_EQ(aggregate.where, condition("b = 2"));

  const Query update = query("SET a = a + 1, b = NULL WHERE c");
  ASSERT_EQ(update.assignments.size(), 2u);
  EXPECT_EQ(update.assignments[0], (Query::Assignment{"a", condition("a + 1")}));
  EXPECT_EQ(update.assignments[1].column, "b");
  EXPECT_EQ(update.where, condition("c"));

  EXPECT_EQ(evaluate(query("COUNT(*)").where, {}), Truth::True);
  EXPECT_EQ(query("COUNT(*)").argument, condition("TRUE"));
}

TEST(Query, OfAnOperationIsItsPredicate) {
  HistoryBuilder builder;
  const TransactionId t = builder.begin_transaction(builder.session(Value::integer(1)), Value::integer(1));
  Operation read{.kind = OperationKind::PredicateRead};
  read.predicate = builder.predicate(parse_query("MIN(a) WHERE a > 3", builder.values()));
  builder.add(t, read);
  builder.add(t, {.kind = OperationKind::PredicateRead});
  builder.add(t, {.kind = OperationKind::Read, .key = builder.key(Value::integer(7))});
  const History history = std::move(builder).freeze();
  EXPECT_EQ(query_of(history, OperationId{0}), query("MIN(a) WHERE a > 3"));
  EXPECT_EQ(predicate_of(history, OperationId{0})->name, "min");
  EXPECT_EQ(query_of(history, OperationId{1}), std::nullopt);
  EXPECT_EQ(predicate_of(history, OperationId{2}), nullptr);
}

std::string aggregated(Query::Function function, const std::vector<Scalar>& values) {
  Aggregation aggregation(function);
  for (const Scalar& value : values) aggregation.add(value);
  return aggregation.result().format();
}

TEST(Aggregation, SkipsNulls) {
  using F = Query::Function;
  const std::vector<Scalar> values{Scalar(3), Scalar(), Scalar(*Decimal::parse("-1.5")), Scalar(7)};
  EXPECT_EQ(aggregated(F::Count, values), "3");
  EXPECT_EQ(aggregated(F::Min, values), "-1.5");
  EXPECT_EQ(aggregated(F::Max, values), "7");
  EXPECT_EQ(aggregated(F::Sum, values), "8.5");
  EXPECT_EQ(aggregated(F::Max, {Scalar("b"), Scalar("a")}), "'b'");
}

TEST(Aggregation, OfNothingIsNullExceptACountOfZero) {
  using F = Query::Function;
  EXPECT_EQ(aggregated(F::Count, {Scalar()}), "0");
  for (const F function : {F::Min, F::Max, F::Sum}) EXPECT_EQ(aggregated(function, {Scalar()}), "NULL");
}

TEST(Aggregation, SumsBeyond64BitsAndRefusesMixedKinds) {
  using F = Query::Function;
  EXPECT_EQ(aggregated(F::Sum, {Scalar(INT64_MAX), Scalar(INT64_MAX)}), "18446744073709551614");
  EXPECT_EQ(aggregated(F::Sum, {Scalar(1), Scalar("a")}), "undefined");
  EXPECT_EQ(aggregated(F::Min, {Scalar(1), Scalar("a"), Scalar(0)}), "undefined");
  EXPECT_EQ(aggregated(F::Count, {Scalar::undefined()}), "undefined");
}

TEST(Aggregation, ResultsAreComparedByValue) {
  EXPECT_TRUE(same(Scalar(), Scalar()));
  EXPECT_TRUE(same(Scalar(1), Scalar(*Decimal::parse("1.00"))));
  EXPECT_FALSE(same(Scalar(), Scalar(0)));
  EXPECT_FALSE(same(Scalar("1"), Scalar(1)));
}

}  // namespace
}  // namespace serval
