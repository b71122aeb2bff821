#include "serval/recording/table_text.h"

#include <gtest/gtest.h>

namespace serval {
namespace {

using Kind = Request::Kind;
using Function = Request::Function;

// The first table is the default and has no name. The columns of the second are recorded, those of the
// third are not.
Schema three_tables() {
  return {{.name = "registers"},
          {.name = "pieces",
           .initial = TableInfo::Initial::Absent,
           .columns = {{.name = "weight", .initial = 4}, {.name = "place", .indexed = true}}},
          {.name = "stock", .columns = {{.name = "count", .indexed = true}}}};
}

const TableText kText(three_tables());

std::string key(std::uint32_t table, std::uint64_t number) {
  std::string out;
  kText.put_key(out, table, number);
  return out;
}
std::string value(std::uint32_t table, std::int64_t tag, std::vector<std::int64_t> columns) {
  std::string out;
  kText.put_value(out, table, tag, columns);
  return out;
}
std::string written(const Request& request) {
  std::string out;
  kText.put_written(out, request);
  return out;
}
std::string predicate(Request request, std::uint32_t column, std::int64_t low, std::int64_t high) {
  request.column = column;
  request.low = low;
  request.high = high;
  std::string out;
  kText.put_predicate(out, request);
  return out;
}

TEST(TableText, OnlyKeysOfLaterTablesIncludeTheTableName) {
  EXPECT_EQ(key(0, 7), "7");
  EXPECT_EQ(key(1, 7), "\"pieces/7\"");
  EXPECT_EQ(key(2, 0), "\"stock/0\"");
}

TEST(TableText, AppendsToTheLine) {
  std::string line = "[";
  kText.put_key(line, 0, 1);
  kText.put_value(line, 2, -5, {});
  EXPECT_EQ(line, "[1-5");
}

TEST(TableText, RecordedColumnsAreWrittenByNameIncludingTheTag) {
  EXPECT_EQ(value(1, 17, {8, 3}), R"({"place":3,"tag":17,"weight":8})");
  EXPECT_EQ(value(1, -1, {-9223372036854775807 - 1, 0}),
            R"({"place":0,"tag":-1,"weight":-9223372036854775808})");
}

TEST(TableText, WithoutRecordedColumnsTheTagIsTheValue) {
  EXPECT_EQ(value(0, 17, {}), "17");
  EXPECT_EQ(value(2, 17, {5}), "17");
}

TEST(TableText, AnInsertWithoutColumnsHasTheirInitialValues) {
  EXPECT_EQ(written({.kind = Kind::Insert, .table = 1, .tag = 2}), R"({"place":0,"tag":2,"weight":4})");
  EXPECT_EQ(written({.kind = Kind::Insert, .table = 1, .tag = 2, .columns = {5, 6}}),
            R"({"place":6,"tag":2,"weight":5})");
  EXPECT_EQ(written({.kind = Kind::Update, .table = 1, .tag = 2, .columns = {5, 6}}),
            R"({"place":6,"tag":2,"weight":5})");
  EXPECT_EQ(written({.kind = Kind::Write, .table = 0, .tag = 2}), "2");
}

TEST(TableText, RangesAreOverTheKeyOrAColumn) {
  const Request scan{.kind = Kind::Scan, .table = 1};
  EXPECT_EQ(predicate(scan, Request::kKey, 3, 5), R"(["between",["col","pieces.k"],3,5])");
  EXPECT_EQ(predicate(scan, 0, 3, 5), R"(["between",["col","pieces.weight"],3,5])");
  EXPECT_EQ(predicate(scan, 1, -3, 5), R"(["between",["col","pieces.place"],-3,5])");
  EXPECT_EQ(predicate({.kind = Kind::DeleteRange}, Request::kKey, 1, 1),
            R"(["between",["col","registers.k"],1,1])");
}

TEST(TableText, AggregatesNameTheirFunctionAndArgument) {
  Request scan{.kind = Kind::Scan, .table = 1};
  scan.argument = 1;
  const std::string argument = R"(["col","pieces.place"],)",
                    range = R"(["between",["col","pieces.weight"],3,5]])";
  for (const auto& [function, text] : {std::pair<Function, std::string>{Function::Count, "\"count\","},
                                       {Function::Min, "\"min\"," + argument},
                                       {Function::Max, "\"max\"," + argument},
                                       {Function::Sum, "\"sum\"," + argument}}) {
    scan.function = function;
    EXPECT_EQ(predicate(scan, 0, 3, 5), "[\"aggregate\"," + text + range);
  }
  scan.function = Function::Sum;
  scan.argument = Request::kKey;
  EXPECT_EQ(predicate(scan, 0, 3, 5), R"(["aggregate","sum",["col","pieces.k"],)" + range);
}

TEST(TableText, UpdatesAssignTheTagAndTheColumns) {
  const std::string range = R"(["between",["col","pieces.place"],3,5])";
  Request update{.kind = Kind::UpdateRange, .table = 1, .tag = 9, .columns = {1, 2}};
  EXPECT_EQ(predicate(update, 1, 3, 5),
            "[\"update\"," + range + R"(,["set","tag",9],["set","weight",1],["set","place",2]])");
  EXPECT_EQ(predicate({.kind = Kind::UpdateRange, .tag = 9}, Request::kKey, 0, 8),
            R"(["update",["between",["col","registers.k"],0,8],["set","value",9]])");
}

TEST(TableText, NamesAreQuotedAsJson) {
  const TableText text({{.name = "a\"b", .columns = {{.name = "c\\d"}}}});
  Request scan{.kind = Kind::Scan};
  scan.column = 0;
  std::string out;
  text.put_predicate(out, scan);
  EXPECT_EQ(out, R"(["between",["col","a\"b.c\\d"],0,0])");
}

}  // namespace
}  // namespace serval
