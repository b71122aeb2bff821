#include "serval/stream/record_batch.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace serval {
namespace {

TEST(RecordBatch, KeepsTextAndValuesWhenMovedAndReused) {
  ValuePool pool;
  RecordBatch batch;
  for (int round = 0; round < 3; ++round) {
    const std::string large(10'000, static_cast<char>('a' + round));
    const Value list = pool.list({Value::integer(1), pool.text("a\"b"), Value::nil()});
    Record& record = batch.add();
    batch.set_rows(record, {{.key = batch.text("x"), .value = batch.text(large), .column = batch.keep("c")},
                            {.key = batch.value(pool.number("9223372036854775807"), pool),
                             .value = batch.value(list, pool),
                             .column = {}}});
    RecordBatch moved = std::move(batch);
    const std::span<const RecordRow> rows = moved.records().front().cells();
    EXPECT_EQ(rows[0].value.text(), large);
    EXPECT_EQ(rows[0].column, "c");
    EXPECT_EQ(rows[1].key, TraceValue::of(std::int64_t{9223372036854775807}));
    EXPECT_EQ(rows[1].value.text(), R"([1,"a\"b",null])");
    EXPECT_GT(moved.bytes(), large.size());
    moved.clear();
    EXPECT_EQ(moved.bytes(), 0u);
    batch = std::move(moved);
  }
}

TEST(RecordBatch, ValuesOfDifferentKindsDiffer) {
  RecordBatch batch;
  EXPECT_NE(batch.text("1"), TraceValue::of(std::int64_t{1}));
  EXPECT_NE(TraceValue(), TraceValue::unknown());
  EXPECT_NE(TraceValue::of(true), TraceValue::of(std::int64_t{1}));
  EXPECT_EQ(batch.text("abc"), batch.text("abc"));
}

}  // namespace
}  // namespace serval
