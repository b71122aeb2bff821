#include "serval/report/names.h"

#include <gtest/gtest.h>

#include "serval/history/notation.h"
#include "serval/report/quantity.h"

namespace serval {
namespace {

TEST(Names, LongListsKeepTheirEnd) {
  const History history = parse_history("s1: [l(x,[1 2 3 4 5 6])] [l(x,[1 2])]");
  EXPECT_EQ(format_operation(history, OperationId{0}), "l(x,[… 2 more, 3 4 5 6])");
  EXPECT_EQ(format_operation(history, OperationId{1}), "l(x,[1 2])");
}

TEST(Names, LongTextIsTruncated) {
  const History history = parse_history("s1: [w(x,\"" + std::string(500, 'a') + " \")]");
  EXPECT_LT(format_operation(history, OperationId{0}).size(), 80u);
}

TEST(Names, TransactionsAreNamedAfterTheirLabel) {
  const History history = parse_history("s1: [r(x,0)] [r(x,0)]");
  const std::vector<TransactionId> named{TransactionId{1}};
  EXPECT_EQ(TransactionNames(history, named)(TransactionId{1}), "T2");
}

TEST(Quantity, NumbersAreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(41906), "41,906");
  EXPECT_EQ(format_count(1, "session"), "1 session");
  EXPECT_EQ(format_count(1000000, "txn"), "1,000,000 txns");
  EXPECT_EQ(format_bytes(223346688), "213 MiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_seconds(0.0000015), "1.5 µs");
  EXPECT_EQ(format_seconds(0.0004), "0.4 ms");
  EXPECT_EQ(format_seconds(725), "12 min 5 s");
}

TEST(Quantity, WidthCountsCodePoints) {
  EXPECT_EQ(display_width("T1 ─rw→ T2"), 10u);
  EXPECT_EQ(padded("…", 3), "…  ");
}

}  // namespace
}  // namespace serval
