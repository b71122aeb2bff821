#include "serval/formats/leopard/leopard_json.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "serval/base/error.h"
#include "serval/history/notation.h"
#include "skip_without.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

std::string operation(const std::string& transaction, const std::string& type, int start,
                      const std::string& more = {}) {
  return R"({"threadID":"0","transactionID":")" + transaction + R"(","operationID":")" + transaction + "," +
         std::to_string(start) + R"(","operationTraceType":")" + type + R"(","startTimestamp":)" +
         std::to_string(start) + R"(,"finishTimestamp":)" + std::to_string(start + 5) + more + "}";
}
std::string rows(const std::string& list, const std::string& key, const std::string& cells) {
  return ",\"" + list + R"(":[{"table":"t","primaryKey":")" + key + R"(","valueMap":{)" + cells + "}}]";
}
const std::string kWrite = rows("writeTupleList", "1", R"("a":"2","b":"x")");
const std::string kRead = rows("readTupleList", "1", R"("a":"2")");

History read_leopard_text(const std::string& text, ReadOptions options = {}) {
  ByteStream stream = ByteStream::from_memory("loader-0.0.json", text);
  return read_history(stream, options);
}
std::string refusal(const std::string& text) {
  try {
    read_leopard_text(text, {.format = Format::LeopardJson});
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

class LeopardFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "serval-leopard-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directories(folder_ / "trace");
    fs::create_directories(folder_ / "init_data");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void file(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  fs::path folder_;
};

TEST(LeopardJson, IsDetectedByItsContent) {
  EXPECT_EQ(detect_format("[ " + operation("0,1", "START", 1) + "]")->format, Format::LeopardJson);
  EXPECT_NE(detect_format(R"([{"type":"invoke"}])"), &info(Format::LeopardJson));
}

TEST(LeopardJson, ASingleFileExplainsOnlyItsOwnWrites) {
  std::string notice;
  const History history = read_leopard_text(
      "[" + operation("0,1", "START", 1) + "," + operation("0,1", "SELECT", 10, kRead) + "," +
          operation("0,1", "UPDATE", 20, kWrite) + "," + operation("0,1", "SELECT", 30, kRead) + "," +
          operation("0,1", "COMMIT", 40) + "," + operation("0,2", "ROLLBACK", 50) + "]",
      {.on_notice = [&](const std::string& text) { notice = text; }});
  EXPECT_EQ(print_history(history),
            "\"0\": [r(t/1.a,?) w(t/1.a,2) w(t/1.b,x) r(t/1.a,2)]@1..45 []!@50..55\n");
  EXPECT_NE(notice.find("reads cannot be judged"), std::string::npos);
  EXPECT_EQ(history.operation(OperationId{0}).time, (Interval{10, 15}));
}

TEST(LeopardJson, OperationsUndoneByASavepointNeverHappened) {
  const History history =
      read_leopard_text("[" + operation("0,1", "UPDATE", 10, rows("writeTupleList", "1", R"("a":1)")) + "," +
                        operation("0,1", "UPDATE", 20, kWrite) + "," +
                        operation("0,1", "COMMIT", 30, R"(,"savepoint":"0,1,10")") + "]");
  EXPECT_EQ(history.operation_count(), 1u);
}

TEST(LeopardJson, ATransactionWithoutAnEndIsIndeterminate) {
  const History history = read_leopard_text("[" + operation("0,1", "UPDATE", 10, kWrite) + "]");
  EXPECT_EQ(history.outcome(TransactionId{0}), Outcome::Indeterminate);
}

TEST(LeopardJson, ErrorsAreReportedWithTheirPosition) {
  EXPECT_EQ(refusal("[\n" + operation("0,1", "FLY", 1) + "]"),
            "loader-0.0.json:2:82: expected START, SELECT, UPDATE, INSERT, DELETE, COMMIT, ...");
  EXPECT_EQ(refusal("[{}]"), "loader-0.0.json:1:2: expected \"operationTraceType\" in this operation");
  EXPECT_NE(
      refusal("[" + operation("0,1", "UPDATE", 1, R"(,"writeTupleList":[{"table":"t","valueMap":{"a":1}}])") +
              "]")
          .find("expected a \"primaryKey\" in this row"),
      std::string::npos);
  EXPECT_EQ(refusal("{"), "loader-0.0.json:1:1: expected '[', the operations");
  EXPECT_EQ(refusal("[" + operation("0,1", "START", 1) + " oops]"),
            "loader-0.0.json:1:131: expected ',' or ']' after an operation");
  EXPECT_NE(refusal("[" + operation("0,1", "START", 1) + "] more").find("expected the end of the file"),
            std::string::npos);
}

TEST(LeopardJson, EveryPrefixIsRefusedOrAccepted) {
  const std::string text =
      "[" + operation("0,1", "START", 1) + "," + operation("0,1", "UPDATE", 9, kWrite) + "]";
  for (std::size_t size = 1; size < text.size(); ++size) {
    EXPECT_NE(refusal(text.substr(0, size)), "") << size;
    EXPECT_NO_THROW(
        read_leopard_text(text.substr(0, size), {.format = Format::LeopardJson, .accept_truncated = true}))
        << size;
  }
}

TEST_F(LeopardFolderTest, ClientsSlicesAndInitialRowsAreOneHistory) {
  file("init_data/t.csv", "pkId,a,b\n'1','7',\"it''s\"\n2,8,y\n");
  file("trace/loader-0.0.json", "[" +
                                    operation("0,1", "SELECT", 10, rows("readTupleList", "1", R"("a":"7")")) +
                                    "," + operation("0,1", "COMMIT", 20) + "]");
  file("trace/loader-0.1.json", "[" + operation("0,2", "DELETE", 30, rows("writeTupleList", "2", "")) + "," +
                                    operation("0,2", "COMMIT", 40) + "]");
  const History history = read_history(folder_.string());
  EXPECT_EQ(print_history(history),
            "\"initial rows\": [w(t/1.a,7) w(t/1.b,\"it''s\") w(t/2.a,8) w(t/2.b,y)]@8..9\n"
            "\"0\": [r(t/1.a,7)]@10..25 [d(t/2.a) d(t/2.b)]@30..45\n");
}

TEST_F(LeopardFolderTest, ADamagedTableIsReportedWithItsPosition) {
  file("trace/loader-0.0.json", "[]");
  file("init_data/t.csv", "pkId,a\n'1','7\n");
  try {
    read_history(folder_.string());
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.position().line, 2u);
    EXPECT_EQ(error.problem(), "expected the closing quote");
  }
}

TEST(LeopardJson, TheSeedTracesAreRead) {
  const fs::path seeds = fs::path(SERVAL_DATA_DIR) / "seeds/DBHammer+Pisco";
  SKIP_WITHOUT_CORPORA();
  const std::vector<std::tuple<std::string, std::size_t, std::size_t>> folders{
      {"pg15/READ_COMMITTED", 481, 428},
      {"pg15/REPEATABLE_READ", 481, 264},
      {"pg15/SERIALIZABLE", 481, 154},
      {"pg15/RC_relabelled_RR", 481, 428},
      {"tidb_42487", 3901, 3695}};
  for (const auto& [name, transactions, committed] : folders) {
    const History history = read_history((seeds / name).string());
    EXPECT_EQ(history.transaction_count(), transactions) << name;
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(history.outcome_column(), Outcome::Committed)),
              committed)
        << name;
    EXPECT_TRUE(history.has_operation_times());
  }
}

}  // namespace
}  // namespace serval
