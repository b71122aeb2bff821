#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "database/conversation.h"
#include "database/every_request.h"
#include "serval/base/error.h"
#include "serval/database/drivers.h"
#include "serval/database/exec/exec_protocol.h"

namespace serval {
namespace {

class Exec : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "serval-exec-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override {
    unsetenv("SERVAL_EXEC_TIMEOUT_MS");
    std::filesystem::remove_all(folder);
  }

  std::unique_ptr<Database> open_example() {
    const std::string program = std::string(SERVAL_TEST_DIR) + "/../examples/exec_driver.py";
    return open_exec("exec:python3 '" + program + "' '" + folder + "/x.db'", {.isolation = "default"});
  }

  // A program that sends the greeting and then runs `rest`, part of a shell script.
  std::unique_ptr<Client> connect_to(const std::string& rest) {
    std::ofstream(folder + "/program.sh") << "read line; echo '{\"ok\":true}'\n" << rest << "\n";
    database = open_exec("exec:exec sh '" + folder + "/program.sh'", {.isolation = "default"});
    return database->connect(0);
  }

  std::string folder;
  std::unique_ptr<Database> database;
};

TEST_F(Exec, ExampleAnswersEveryKindOfRequest) {
  const auto example = open_example();
  EXPECT_EQ(example->facts()["database"], "sqlite");
  example->create(three_tables());
  const auto client = example->connect(0);
  expect_registers_work(*client);
  expect_conditions_work(*client);
  expect_lists_work(*client);
}

TEST_F(Exec, ExampleAnswersRanges) {
  using Kind = Request::Kind;
  const auto example = open_example();
  example->create(three_tables());
  const auto client = example->connect(0);
  client->begin();
  for (std::uint64_t key = 0; key < 5; ++key)
    client->perform({.kind = Kind::Insert,
                     .table = 2,
                     .key = key,
                     .tag = 40 + static_cast<std::int64_t>(key),
                     .columns = {static_cast<std::int64_t>(key) * 10, 1}});
  const Answer by_key = client->perform({.kind = Kind::Scan, .table = 2, .low = 1, .high = 2});
  ASSERT_EQ(by_key.rows.size(), 2u);
  EXPECT_EQ(by_key.rows[0].tag, 41);
  const Answer updated =
      client->perform({.kind = Kind::UpdateRange, .table = 2, .tag = 50, .column = 0, .low = 20, .high = 30});
  EXPECT_EQ(updated.rows.size(), 2u);
  EXPECT_EQ(read(*client, 3, 2), 50);
  const Answer deleted =
      client->perform({.kind = Kind::DeleteRange, .table = 2, .column = 0, .low = 15, .high = 99});
  EXPECT_EQ(deleted.rows.size(), 3u);
  const Answer left = client->perform({.kind = Kind::Scan, .table = 2, .low = 0, .high = 99});
  ASSERT_EQ(left.rows.size(), 2u);
  EXPECT_EQ(left.rows[1].columns, (std::vector<std::int64_t>{10, 1}));
  EXPECT_EQ(client->commit(), Outcome::Committed);
}

TEST_F(Exec, TwoSessionsOfTheExampleWaitForEachOther) {
  const auto example = open_example();
  example->create(three_tables());
  const auto one = example->connect(0), other = example->connect(1);
  one->begin();
  EXPECT_EQ(ending_of([&] {
              other->begin();
              return other->commit();
            }),
            (Ending{Outcome::Aborted, FailureCause::LockTimeout}));
  write(*one, 0, 5);
  EXPECT_EQ(one->commit(), Outcome::Committed);
  other->begin();
  EXPECT_EQ(read(*other, 0), 5);
  EXPECT_EQ(other->commit(), Outcome::Committed);
}

TEST_F(Exec, ADeadProgramIsALostConnection) {
  const auto client = connect_to("read begin; echo '{\"ok\":true}'; exit 0");
  client->begin();
  EXPECT_EQ(commit(*client), (Ending{Outcome::Indeterminate, FailureCause::ConnectionLost}));
  EXPECT_EQ(ending_of([&] {
              client->begin();
              return Outcome::Committed;
            }),
            (Ending{Outcome::Aborted, FailureCause::ConnectionLost}));
  client->roll_back();
}

TEST_F(Exec, AKilledProgramAbortsWhatIsNotBeingCommitted) {
  std::ofstream(folder + "/program.sh") << "echo $$ > '" << folder << "/pid'\n"
                                        << "while read line; do echo '{\"ok\":true}'; done\n";
  database = open_exec("exec:exec sh '" + folder + "/program.sh'", {.isolation = "default"});
  database->create(three_tables());
  const auto client = database->connect(0);
  client->begin();
  pid_t pid = 0;
  std::ifstream(folder + "/pid") >> pid;
  ASSERT_GT(pid, 0);
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  EXPECT_EQ(ending_of([&] {
              read(*client, 1);
              return Outcome::Committed;
            }),
            (Ending{Outcome::Aborted, FailureCause::ConnectionLost}));
}

TEST_F(Exec, ASilentProgramIsLostAfterATimeout) {
  setenv("SERVAL_EXEC_TIMEOUT_MS", "300", 1);
  const auto client = connect_to("read begin; echo '{\"ok\":true}'; read commit; read more");
  client->begin();
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(commit(*client), (Ending{Outcome::Indeterminate, FailureCause::ConnectionLost}));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
}

TEST_F(Exec, AProgramThatClosesItsOutputIsLost) {
  const auto client = connect_to("exec 1>&-; read begin; read more");
  EXPECT_EQ(ending_of([&] {
              client->begin();
              return Outcome::Committed;
            }),
            (Ending{Outcome::Aborted, FailureCause::ConnectionLost}));
}

TEST_F(Exec, GarbageIsQuoted) {
  const auto client = connect_to("echo 'Traceback: oops'; read more");
  try {
    client->begin();
    FAIL() << "accepted garbage";
  } catch (const DatabaseError& error) {
    EXPECT_NE(std::string(error.what()).find("Traceback: oops"), std::string::npos) << error.what();
  }
}

TEST_F(Exec, ErrorsKeepTheirCauseAndOutcome) {
  const auto client = connect_to(
      "read a; echo '{\"error\":\"deadlock\",\"message\":\"victim\"}'\n"
      "read b; echo '{\"error\":\"serialization\",\"outcome\":\"aborted\"}'\n"
      "read c; echo '{\"error\":\"unavailable\"}'\n"
      "read d; echo '{\"outcome\":\"aborted\",\"transaction\":\"t9\",\"node\":\"n2\"}'\n"
      "read e; echo '{\"outcome\":\"perhaps\"}'\n"
      "read f; echo '{\"error\":\"unsupported\"}'; read g");
  const auto begin = [&] {
    client->begin();
    return Outcome::Committed;
  };
  EXPECT_EQ(ending_of(begin), (Ending{Outcome::Aborted, FailureCause::Deadlock}));
  EXPECT_EQ(commit(*client), (Ending{Outcome::Aborted, FailureCause::Serialization}));
  EXPECT_EQ(commit(*client), (Ending{Outcome::Indeterminate, FailureCause::Unavailable}))
      << "safe by default";
  EXPECT_EQ(client->commit(), Outcome::Aborted);
  EXPECT_EQ(client->hints().server_transaction, "t9");
  EXPECT_EQ(client->hints().node, "n2");
  EXPECT_THROW(client->commit(), DatabaseError);
  EXPECT_THROW(client->begin(), DatabaseError);
}

TEST_F(Exec, ACommandThatCannotRunIsADatabaseError) {
  EXPECT_THROW(open_exec("exec:exit 1", {}), DatabaseError);
  EXPECT_THROW(open_exec("exec:", {}), InputError);
}

TEST(ExecProtocol, SpellsRequests) {
  const Schema schema = three_tables();
  EXPECT_EQ(format_request({.kind = Request::Kind::Write, .key = 7, .tag = 3}, schema),
            R"({"do":"write","table":"serval_registers","key":7,"tag":3})");
  EXPECT_EQ(
      format_request({.kind = Request::Kind::UpdateRange,
                      .table = 2,
                      .tag = 4,
                      .columns = {1, 2},
                      .column = 1,
                      .low = -5,
                      .high = 6},
                     schema),
      R"({"do":"update-range","table":"serval_rows","column":"size","low":-5,"high":6,"tag":4,"columns":[1,2]})");
  EXPECT_EQ(format_request({.kind = Request::Kind::Read, .key = 1, .locks = true}, schema),
            R"({"do":"read","table":"serval_registers","key":1,"locks":true})");
}

TEST(ExecProtocol, RefusesAnswersOfTheWrongKind) {
  for (const char* line : {R"({"rows":7})", R"({"rows":[7]})", R"({"rows":[["7",1]]})", R"({"list":["a"]})",
                           R"({"applied":1})", R"({"version":1.5})"})
    EXPECT_THROW(answer_of(read_exec_answer(line)), DatabaseError) << line;
  for (const char* line : {"", "7", "[]", "{", R"({"a":1} 2)", R"({"a":1,})", "{\"a\":\"\n\"}"})
    EXPECT_THROW(read_exec_answer(line), DatabaseError) << line;
}

}  // namespace
}  // namespace serval
