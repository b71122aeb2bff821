// Real histories: those of Elle, elle-cli, jepsen.history.sim and Knossos. Skipped if they are absent.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/jepsen_text.h"
#include "history_equality.h"
#include "skip_without.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class JepsenData : public testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_CORPORA();
    ASSERT_TRUE(fs::exists(root_)) << root_;
  }
  // Files under `folder` that end in .edn, .json or .jsonl, sorted.
  std::vector<fs::path> histories(const std::string& folder) const {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root_ / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".edn" || extension == ".json" || extension == ".jsonl") found.push_back(entry.path());
    }
    std::ranges::sort(found);
    return found;
  }
  const fs::path root_ = fs::path(SERVAL_DATA_DIR) / "elle";
};

TEST_F(JepsenData, EveryTransactionalHistoryIsReadAndDetected) {
  for (const std::string folder :
       {"elle", "elle-inline/list-append", "elle-inline/rw-register", "elle-cli/histories/elle",
        "history.sim", "knossos/data/cas-register", "knossos/data/multi-register",
        "elle-cli/histories/knossos/cas-register"}) {
    const std::vector<fs::path> paths = histories(folder);
    EXPECT_FALSE(paths.empty()) << folder;
    for (const fs::path& path : paths) {
      SCOPED_TRACE(path.string());
      History history;
      EXPECT_NO_THROW(history = read_history(path.string()));
      // It contains nemesis operations only.
      const bool no_clients = path.filename() == "mongodb-v0-ack-rollback-.edn";
      EXPECT_EQ(history.operation_count() == 0, no_clients);
    }
  }
}

TEST_F(JepsenData, JsonTwinsOfEdnFilesAreTheSameHistories) {
  std::size_t twins = 0;
  for (const std::string folder :
       {"elle-inline/list-append", "elle-inline/rw-register", "elle-cli/histories/elle",
        "elle-cli/histories/knossos/cas-register", "history.sim"}) {
    for (fs::path path : histories(folder)) {
      if (path.extension() != ".edn") continue;
      const History edn = read_history(path.string());
      for (const char* extension : {".json", ".jsonl"}) {
        if (!fs::exists(path.replace_extension(extension))) continue;
        EXPECT_EQ(difference(edn, read_history(path.string())), "") << path;
        ++twins;
      }
    }
  }
  EXPECT_GE(twins, 30u);
}

TEST_F(JepsenData, OtherWorkloadsAreRefusedByName) {
  const std::map<std::string, std::string> expected{
      {"elle-cli/histories/jepsen/counter.edn", ":f :add is not a transaction over keys"},
      {"elle-cli/histories/jepsen/bank-tidb.edn", ":f :transfer is not a transaction over keys"},
      {"elle-cli/histories/jepsen/bank.edn", "this is a map"},
      {"elle-cli/histories/jepsen/bank.json", "this is a map"},
      {"elle-cli/histories/jepsen/set.edn", ":f :add is not a transaction over keys"},
      {"elle-cli/histories/knossos/mutex/bad/etcd.edn", ":f :release is not a transaction over keys"}};
  for (const auto& [path, problem] : expected) {
    SCOPED_TRACE(path);
    try {
      read_history((root_ / path).string());
      ADD_FAILURE() << "no error";
    } catch (const InputError& error) {
      EXPECT_NE(error.problem().find(problem), std::string::npos) << error.what();
      EXPECT_GT(error.position().column, 1u);
    }
  }
}

TEST_F(JepsenData, ClosedPredicateHistoriesHavePredicateReads) {
  std::size_t files = 0, reads = 0, rows = 0;
  for (const fs::path& path : histories("elle-inline/closed-predicate")) {
    const History history = read_history(path.string());
    ++files;
    for (const TransactionId t : history.transactions())
      for (const OperationId op : history.operations(t)) {
        if (history.kind(op) != OperationKind::PredicateRead) continue;
        EXPECT_FALSE(history.predicate_id(op).is_none());
        ++reads;
        rows += history.rows(op).size();
      }
  }
  EXPECT_GE(files, 8u);
  EXPECT_EQ(reads, files / 8 * 11);  // Eight files as EDN, or as EDN and JSON.
  EXPECT_EQ(rows, files / 8 * 4);
  const History miss =
      read_history((root_ / "elle-inline/closed-predicate/predicate-read-miss.json").string());
  const Predicate& mod = miss.predicate(miss.predicate_id(OperationId{1}));
  EXPECT_EQ(mod.node, Predicate::Node::Compare);  // value % 2 = 1
  EXPECT_EQ(mod.children[0].name, "%");
  EXPECT_EQ(miss.key_value(KeyId{0}), Value::integer(5));  // Not "5", the name of the member.
}

TEST_F(JepsenData, EveryHistorySurvivesEachOfTheThreeFormats) {
  for (const std::string folder :
       {"elle", "elle-inline/list-append", "elle-inline/rw-register", "history.sim",
        "elle-cli/histories/elle", "knossos/data/cas-register/bad"}) {
    for (const fs::path& path : histories(folder)) {
      const History history = read_history(path.string());
      for (const Format format : {Format::JepsenEdn, Format::JepsenJson, Format::JepsenJsonl}) {
        WriteReport report;
        const std::string text = write_to_string(history, format, &report);
        EXPECT_TRUE(report.lossy_steps.empty()) << path << ": " << report.lossy_steps[0];
        EXPECT_EQ(difference(history, read_jepsen(format, text)), "") << path << " as " << info(format).name;
      }
    }
  }
}

TEST_F(JepsenData, LogsOfJepsenUtilAreReadCompletely) {
  std::size_t logs = 0;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(root_ / "porcupine/test_data/jepsen")) {
    if (entry.path().extension() != ".log") continue;
    SCOPED_TRACE(entry.path().string());
    const std::string text = content_of(entry.path());
    ASSERT_EQ(detect_format(text)->format, Format::JepsenText);
    const History history = read_history(entry.path().string());
    std::size_t invocations = 0;
    for (std::size_t at = text.find(":invoke"); at != std::string::npos; at = text.find(":invoke", at + 1))
      ++invocations;
    EXPECT_EQ(history.transaction_count(), invocations);
    EXPECT_EQ(
        difference(history, read_jepsen(Format::JepsenText, write_to_string(history, Format::JepsenText))),
        "");
    ++logs;
  }
  EXPECT_GE(logs, 50u);
}

TEST_F(JepsenData, HugeSccHasItsTransactions) {
  const History history = read_history((root_ / "elle/histories/huge-scc.edn").string());
  const std::string text = content_of(root_ / "elle/histories/huge-scc.edn");
  std::size_t invocations = 0;
  for (std::size_t at = text.find(":type :invoke"); at != std::string::npos;
       at = text.find(":type :invoke", at + 1))
    ++invocations;
  EXPECT_EQ(history.transaction_count(), invocations);
  EXPECT_TRUE(history.has_times());
}

}  // namespace
}  // namespace serval
