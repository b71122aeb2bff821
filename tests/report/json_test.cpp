#include <gtest/gtest.h>

#include "report/reports.h"
#include "serval/base/json_writer.h"
#include "serval/report/report.h"

namespace serval {
namespace {

TEST(JsonWriter, NestsAndSeparates) {
  JsonWriter json;
  json.begin_object().key("a").begin_array().number(1).text("b").null().end().key("c").boolean(true).end();
  EXPECT_EQ(json.take(), R"({"a":[1,"b",null],"c":true})");
}

TEST(JsonWriter, EscapesWhatJsonForbids) {
  JsonWriter json;
  json.text("a\"\\\n\x01z");
  EXPECT_EQ(json.take(), R"("a\"\\\n\u0001z")");
}

TEST(JsonWriter, ReplacesBytesThatAreNotUtf8) {
  JsonWriter json;
  json.text("\xFFok\xC3\xA4\xED\xA0\x80");
  EXPECT_EQ(json.take(), "\"\xEF\xBF\xBDok\xC3\xA4\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonWriter, NumbersAreShortAndFinite) {
  JsonWriter json;
  json.begin_array().number(0.5).number(3.0).number(1.0 / 0.0).end();
  EXPECT_EQ(json.take(), "[0.5,3,null]");
}

TEST(JsonReport, AnomalyCarriesEdgesWithReasons) {
  const CheckedHistory made = checked(kWriteSkew, Level::Serializable);
  const std::string json = json_report(report_of(made));
  EXPECT_NE(json.find(R"("verdict":"violation")"), std::string::npos);
  EXPECT_NE(json.find(R"("kind":"rw","key":"x")"), std::string::npos);
  EXPECT_NE(json.find(R"("fingerprint":"write-skew:rw,rw")"), std::string::npos);
}

TEST(JsonReport, WithoutAHistoryItIsStillComplete) {
  Report report;
  report.path = "big.txt";
  report.result = {.level = Level::ReadUncommitted,
                   .verdict = Undecided{Undecided::Cause::MemoryBudget, "memory", {}},
                   .engine = "",
                   .complete = false,
                   .phases = {}};
  const std::string json = json_report(report);
  EXPECT_NE(json.find(R"("counts":null)"), std::string::npos);
  EXPECT_NE(json.find(R"("hit":"memory")"), std::string::npos);
  EXPECT_TRUE(json.ends_with("}"));
}

}  // namespace
}  // namespace serval
