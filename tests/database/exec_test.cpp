#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "database/conversation.h"
#include "database/every_request.h"
#include "serval/base/error.h"
#include "serval/base/json_string.h"
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
  EXPECT_EQ(example->facts()["database"], "exec");
  EXPECT_EQ(example->facts()["engine"], "sqlite");
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

TEST_F(Exec, ASecondResponseIsNotTheNextOne) {
  const auto client = connect_to(
      "read a; printf '{\"ok\":true}\\n{\"outcome\":\"committed\"}\\n'; read b; echo "
      "'{\"outcome\":\"aborted\"}'");
  client->begin();
  try {
    client->commit();
    FAIL() << "took a second response to begin as the response to commit";
  } catch (const DatabaseError& error) {
    EXPECT_NE(std::string(error.what()).find("more than once"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("committed"), std::string::npos) << error.what();
  }
}

TEST_F(Exec, ALineThatIsStillInThePipeIsNotTheNextResponse) {
  const auto client = connect_to(
      "read a || exit; echo '{\"ok\":true}'; sleep 0.1; echo '{\"outcome\":\"committed\"}'; echo > '" +
      folder + "/late'; read b");
  client->begin();
  while (!std::filesystem::exists(folder + "/late"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_THROW(client->commit(), DatabaseError);
}

TEST_F(Exec, BeginCreateAndDropNeedOk) {
  const auto client = connect_to("read a; echo '{\"ok\":false}'; read b; echo '{}'; read c");
  EXPECT_THROW(client->begin(), DatabaseError);
  EXPECT_THROW(client->roll_back(), DatabaseError);
  connect_to("read a; echo '{\"ok\":null}'; read b; echo '{\"rows\":[]}'; read c");
  EXPECT_THROW(database->create(three_tables()), DatabaseError);
  EXPECT_THROW(database->drop(), DatabaseError);
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

// Why a line is refused as the response to a request; empty if it is accepted.
std::string refusal_of(const std::string& line, const Request& request) {
  try {
    const ExecAnswer answer = read_exec_answer(line);
    throw_if_error(answer, verb_of(request.kind), Outcome::Aborted);
    answer_of(answer, request, three_tables());
    return {};
  } catch (const DatabaseError& error) {
    return error.what();
  }
}

template <class Step>
std::string problem_of(const Step& step) {
  try {
    step();
    return {};
  } catch (const DatabaseError& error) {
    return error.what();
  }
}

TEST(ExecProtocol, RefusesLinesThatAreNotObjects) {
  for (const char* line : {"", "7", "[]", "{", R"({"a":1} 2)", R"({"a":1,})", "{\"a\":\"\n\"}"})
    EXPECT_THROW(read_exec_answer(line), DatabaseError) << line;
  EXPECT_EQ(problem_of([] { read_exec_answer("[7]"); }), R"(the program responded "[7]" (not an object))");
}

TEST(ExecProtocol, EachRequestHasItsOwnMembers) {
  using Kind = Request::Kind;
  const std::vector<std::pair<Kind, std::vector<const char*>>> accepted{
      {Kind::Read,
       {R"({"rows":[]})", R"({"rows":[[7,1]],"version":3})", R"({"ok":true,"rows":[],"version":null})"}},
      {Kind::Write, {R"({"ok":true})", R"({"ok":true,"version":4})"}},
      {Kind::Append, {R"({"ok":true})"}},
      {Kind::ReadList, {R"({"list":[]})", R"({"list":[1,-2]})"}},
      {Kind::Update, {R"({"rows":[[7,1]]})", R"({"applied":false})", R"({"applied":false,"rows":[]})"}},
      {Kind::Insert, {R"({"applied":true})", R"({"applied":false,"rows":[[7,1]]})"}},
      {Kind::CompareAndSet, {R"({"applied":true})", R"({"applied":false,"rows":[]})"}},
      {Kind::Delete, {R"({"applied":true})", R"({"applied":false})"}},
      {Kind::Scan, {R"({"rows":[]})", R"({"rows":[[7,1],[8,2]]})"}}};
  const std::vector<std::pair<Kind, std::vector<const char*>>> refused{
      {Kind::Read,
       {"{}", R"({"ok":true})", R"({"rows":null})", R"({"list":[1]})", R"({"rows":7})", R"({"rows":[7]})",
        R"({"rows":[["7",1]]})", R"({"rows":[],"applied":true})", R"({"ok":false,"rows":[]})",
        R"({"rows":[],"version":1.5})", R"({"outcome":"committed"})"}},
      {Kind::Write,
       {"{}", R"({"ok":false})", R"({"ok":"yes"})", R"({"ok":null})", R"({"ok":1})", R"({"rows":[]})",
        R"({"ok":true,"rows":[]})"}},
      {Kind::Append, {"{}", R"({"ok":false})", R"({"list":[]})"}},
      {Kind::ReadList, {"{}", R"({"list":null})", R"({"list":["a"]})", R"({"rows":[]})"}},
      {Kind::Update,
       {"{}", R"({"ok":true})", R"({"rows":[]})", R"({"applied":true})",
        R"({"applied":false,"rows":[[7,1]]})"}},
      {Kind::Insert,
       {"{}", R"({"ok":true})", R"({"rows":[]})", R"({"applied":1})", R"({"applied":null})",
        R"({"applied":false})", R"({"applied":true,"rows":[[7,1]]})"}},
      {Kind::CompareAndSet, {"{}", R"({"ok":true})", R"({"applied":false})"}},
      {Kind::Delete, {"{}", R"({"ok":true})", R"({"rows":[]})"}},
      {Kind::Scan, {"{}", R"({"ok":true})", R"({"list":[]})"}},
      {Kind::UpdateRange, {"{}", R"({"ok":true})"}},
      {Kind::DeleteRange, {"{}", R"({"applied":true})"}}};
  for (const auto& [kind, lines] : accepted)
    for (const char* line : lines)
      EXPECT_EQ(refusal_of(line, {.kind = kind, .key = 7, .low = 0, .high = 9}), "") << verb_of(kind) << line;
  for (const auto& [kind, lines] : refused)
    for (const std::string line : lines)
      EXPECT_NE(refusal_of(line, {.kind = kind, .key = 7, .low = 0, .high = 9}).find(json_string(line)),
                std::string::npos)
          << verb_of(kind) << line;
}

TEST(ExecProtocol, RefusesRowsThatWereNotRequested) {
  using Kind = Request::Kind;
  const Request read{.key = 9};
  EXPECT_EQ(refusal_of(R"({"rows":[[9,1]]})", read), "");
  for (const char* line : {R"({"rows":[[99,1]]})", R"({"rows":[[-9,1]]})", R"({"rows":[[9,1],[9,2]]})",
                           R"({"rows":[[9,1,2]]})", R"({"rows":[[9]]})", R"({"rows":[[9,1]],"rows":[]})"})
    EXPECT_NE(refusal_of(line, read), "") << line;
  const Request by_key{.kind = Kind::Scan, .table = 2, .low = 3, .high = 5};
  EXPECT_EQ(refusal_of(R"({"rows":[[3,1,7,8],[5,1,7,8]]})", by_key), "");
  for (const char* line : {R"({"rows":[[2,1,7,8]]})", R"({"rows":[[6,1,7,8]]})", R"({"rows":[[3,1,7]]})"})
    EXPECT_NE(refusal_of(line, by_key), "") << line;
  const Request by_colour{.kind = Kind::Scan, .table = 2, .column = 0, .low = 3, .high = 5};
  EXPECT_EQ(refusal_of(R"({"rows":[[100,1,9,8]]})", by_colour), "") << "for the checker to judge";
}

TEST(ExecProtocol, NumbersBeyond64BitsAreNamed) {
  for (const char* number : {"9223372036854775808", "-9223372036854775809", "18446744073709551616"})
    EXPECT_NE(refusal_of(fmt::format(R"({{"rows":[[9,{}]]}})", number), {.key = 9})
                  .find(fmt::format("{} in \"rows\" is outside the range of signed 64-bit integers", number)),
              std::string::npos);
  for (const char* number : {"1.5", "1e3", "\"7\"", "null"})
    EXPECT_NE(refusal_of(fmt::format(R"({{"rows":[[9,{}]]}})", number), {.key = 9}).find("not an integer"),
              std::string::npos);
}

TEST(ExecProtocol, RefusesErrorsThatItDoesNotKnow) {
  for (const char* line :
       {R"({"error":5})", R"({"error":null})", R"({"error":null,"rows":[]})", R"({"error":"weird"})",
        R"({"error":""})", R"({"error":"other","ok":true})", R"({"error":"other","message":[]})",
        R"({"error":"other","outcome":"committed"})", R"({"error":"other","outcome":7})"})
    EXPECT_NE(refusal_of(line, {}).find(json_string(line)), std::string::npos) << line;
  for (const char* line : {R"({"error":"other"})", R"({"error":"other","message":null})",
                           R"({"ok":false,"error":"deadlock","outcome":"aborted"})"})
    EXPECT_THROW(refusal_of(line, {}), TransactionFailure) << line;
}

TEST(ExecProtocol, NamesTheUnsupportedRequest) {
  const Request scan{.kind = Request::Kind::Scan};
  EXPECT_EQ(refusal_of(R"({"error":"unsupported"})", scan),
            R"(the program does not support the request "scan")");
  EXPECT_EQ(refusal_of(R"({"error":"unsupported","message":"no ranges"})", scan),
            R"(the program does not support the request "scan": no ranges)");
}

TEST(ExecProtocol, OutcomesAndHintsHaveTheirTypes) {
  for (const char* line : {"{}", R"({"ok":true})", R"({"outcome":null})", R"({"outcome":"maybe"})",
                           R"({"ok":false,"outcome":"committed"})", R"({"outcome":"committed","rows":[]})"})
    EXPECT_NE(problem_of([&] { outcome_of(read_exec_answer(line)); }), "") << line;
  EXPECT_NE(problem_of([&] { hints_of(read_exec_answer(R"({"transaction":[1]})")); }), "");
  EXPECT_EQ(hints_of(read_exec_answer(R"({"transaction":17,"node":null})")).server_transaction, "17");
}

TEST(ExecProtocol, FactsAreShortAndNotServalsOwn) {
  const auto facts =
      facts_of(read_exec_answer(R"({"ok":true,"facts":{"version":"3.40","shards":3,"tls":true}})"));
  EXPECT_EQ(facts,
            (std::map<std::string, std::string>{{"version", "3.40"}, {"shards", "3"}, {"tls", "true"}}));
  EXPECT_TRUE(facts_of(read_exec_answer(R"({"ok":true})")).empty());
  for (const std::string name :
       {"promises", "database", "isolation", "table", "workload", "seed", "clients", "certificate"}) {
    const std::string line = fmt::format(R"({{"ok":true,"facts":{{"{}":"x"}}}})", name);
    EXPECT_NE(problem_of([&] { facts_of(read_exec_answer(line)); }).find("the fact \"" + name + "\""),
              std::string::npos)
        << line;
  }
  for (const char* line :
       {"{}", R"({"ok":1})", R"({"ok":false})", R"({"facts":{}})", R"({"ok":true,"facts":[1]})",
        R"({"ok":true,"facts":null})", R"({"ok":true,"facts":{"a":{"b":1}}})",
        R"({"ok":true,"facts":{"a":[1]}})", R"({"ok":true,"facts":{"a":null}})",
        R"({"ok":true,"facts":{"a":1,"a":2}})", R"({"ok":true,"rows":[]})"})
    EXPECT_NE(problem_of([&] { facts_of(read_exec_answer(line)); }), "") << line;
}

}  // namespace
}  // namespace serval
