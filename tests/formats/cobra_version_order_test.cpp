// King Cobra's version orders: which writes they number, where they are found, and damage.

#include "serval/formats/cobra/cobra_version_order.h"

#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <unistd.h>

#include "history_equality.h"
#include "register_histories.h"
#include "sample.h"
#include "serval/base/byte_order.h"
#include "serval/formats/byte_reader.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

std::string order_numbers(std::initializer_list<std::int64_t> list) {
  std::string bytes;
  for (const std::int64_t number : list) append_big_endian(bytes, static_cast<std::uint64_t>(number));
  return bytes;
}
std::string order_record(char tag, std::initializer_list<std::int64_t> list) {
  return std::string(1, tag) + order_numbers(list);
}

// Transactions 1, 2 and 3 write 41, 42 and 43 to key 7. The ids of their writes are 11, 12 and 13.
std::string three_writes() {
  std::string log;
  for (std::int64_t i = 1; i <= 3; ++i)
    log += order_record('S', {i}) + order_record('W', {10 + i, 7, 40 + i}) + order_record('C', {i});
  return log;
}

// "- 1 2": the versions of the operations.
std::string versions_of(const History& history) {
  std::string text;
  for (std::uint32_t op = 0; op < history.operation_count(); ++op) {
    const auto version = history.operation(OperationId{op}).version;
    text += (text.empty() ? "" : " ") + (version ? std::to_string(*version) : "-");
  }
  return text;
}

class CobraVersionOrder : public testing::Test {
 protected:
  CobraVersionOrder()
      : folder_(fs::path(testing::TempDir()) / ("serval-version-order-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~CobraVersionOrder() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void put(const std::string& name, const std::string& bytes) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary | std::ios::trunc) << bytes;
  }
  // The history of three_writes() with this version order next to it.
  History with_order(const std::string& bytes, ReadOptions options = {}) const {
    put("h/0.log", three_writes());
    put("h/version_order.vo", bytes);
    return read_history(path("h"), options);
  }
  std::string problem_in(const std::string& bytes) const {
    try {
      with_order(bytes);
    } catch (const InputError& error) {
      EXPECT_TRUE(error.position().file.ends_with("h/version_order.vo")) << error.what();
      return error.problem();
    }
    return "";
  }
  fs::path folder_;
};

TEST_F(CobraVersionOrder, NumbersTheWritesItLists) {
  EXPECT_EQ(versions_of(with_order(order_numbers({1, 7, 3, 42, 41, 43}))), "2 1 3");
  EXPECT_EQ(versions_of(with_order(order_numbers({1, 7, 2, 43, 41}))), "2 - 1") << "partial";
  EXPECT_EQ(versions_of(with_order(order_numbers({2, 6, 0, 7, 1, 42}))), "- 1 -");
  EXPECT_EQ(versions_of(with_order(order_numbers({0}))), "- - -");
}

TEST_F(CobraVersionOrder, IsFoundNextToTheLogsOrTheirFolder) {
  put("run/history/0.log", three_writes());
  put("run/version_order.vo", order_numbers({1, 7, 2, 42, 41}));
  EXPECT_EQ(versions_of(read_history(path("run"))), "2 1 -");
  EXPECT_EQ(versions_of(read_history(path("run/history"))), "2 1 -");
  EXPECT_EQ(versions_of(read_history(path("run/history/"))), "2 1 -");
  put("run/history/near.vo", order_numbers({1, 7, 2, 41, 42}));
  EXPECT_EQ(versions_of(read_history(path("run"))), "1 2 -") << "the nearest counts";
}

TEST_F(CobraVersionOrder, IsNotSoughtNextToAnyOtherFolder) {
  put("run/logs/0.log", three_writes());
  put("run/version_order.vo", order_numbers({1, 7, 2, 42, 41}));
  EXPECT_EQ(versions_of(read_history(path("run/logs"))), "- - -");
}

TEST_F(CobraVersionOrder, ASecondOneIsRefused) {
  put("h/other.vo", order_numbers({0}));
  EXPECT_EQ(problem_in(order_numbers({0})), "a second version order, beside " + path("h/other.vo"));
}

TEST_F(CobraVersionOrder, VersionsThatNobodyWroteAreSkipped) {
  std::vector<std::string> notices;
  ReadOptions options;
  options.on_notice = [&](const std::string& notice) { notices.push_back(notice); };
  EXPECT_EQ(versions_of(with_order(order_numbers({2, 7, 3, 0, 41, 99, 8, 1, 42}), options)), "2 - -");
  EXPECT_EQ(notices,
            (std::vector<std::string>{"3 versions in the version order that no log writes: passed over"}));
}

TEST_F(CobraVersionOrder, AValueWrittenTwiceIdentifiesNoWrite) {
  std::vector<std::string> notices;
  ReadOptions options;
  options.on_notice = [&](const std::string& notice) { notices.push_back(notice); };
  put("h/1.log", order_record('S', {4}) + order_record('W', {14, 7, 41}) + order_record('C', {4}));
  EXPECT_EQ(versions_of(with_order(order_numbers({1, 7, 3, 41, 42, 43}), options)), "- 2 3 -");
  EXPECT_EQ(notices, (std::vector<std::string>{
                         "1 versions in the version order that were written more than once: passed over"}));
}

TEST_F(CobraVersionOrder, ProblemsNameTheByte) {
  EXPECT_EQ(problem_in(""), "at byte 0: the file ends inside the number of keys");
  EXPECT_EQ(problem_in(order_numbers({-1})), "at byte 0: the number of keys is negative: -1");
  EXPECT_EQ(problem_in(order_numbers({1, 7, -2})), "at byte 16: a number of versions is negative: -2");
  EXPECT_EQ(problem_in(order_numbers({1, 7, 2, 41})), "at byte 32: the file ends inside a version");
  EXPECT_EQ(problem_in(order_numbers({2, 7, 0, 7, 0})), "at byte 24: key 7 for the second time");
  EXPECT_EQ(problem_in(order_numbers({1, 7, 2, 41, 41})),
            "at byte 32: version 41 of key 7 for the second time");
  EXPECT_EQ(problem_in(order_numbers({0, 5})), "at byte 8: expected the end of the file after the last key");
}

TEST_F(CobraVersionOrder, EveryTruncationIsRefusedOrLeavesThePartBefore) {
  const std::string whole = order_numbers({1, 7, 3, 42, 41, 43});
  ReadOptions truncated;
  truncated.accept_truncated = true;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    EXPECT_TRUE(problem_in(whole.substr(0, size)).starts_with("at byte "));
    const std::string versions = versions_of(with_order(whole.substr(0, size), truncated));
    EXPECT_EQ(versions, size < 32 ? "- - -" : size < 40 ? "- 1 -" : "2 1 -");
  }
}

TEST_F(CobraVersionOrder, FlippedBytesAreReadOrRefused) {
  Random random = fresh_random();
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string bytes = order_numbers({1, 7, 3, 42, 41, 43});
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips)
      bytes[random.below(bytes.size())] ^= static_cast<char>(1 << random.below(8));
    try {
      EXPECT_EQ(with_order(bytes).operation_count(), 3u);
    } catch (const InputError& error) {
      EXPECT_TRUE(error.problem().starts_with("at byte ")) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 30);
}

// Random histories in which all or some of the writes have versions 1, 2, ... of their key.
TEST_F(CobraVersionOrder, WrittenFoldersReadBackTheSame) {
  Random random = fresh_random();
  for (int round = 0; round < 40; ++round) {
    HistoryBuilder builder;
    for (std::int64_t s = 0; s < 3; ++s) builder.session(Value::integer(s));
    std::vector<std::int64_t> next(3, 1);
    for (std::int64_t i = 0; i < 30; ++i) {
      const TransactionId t = builder.begin_transaction(
          builder.session(Value::integer(static_cast<std::int64_t>(random.below(3)))), Value::integer(i));
      const std::size_t key = random.below(3);
      Operation write{.kind = OperationKind::Write,
                      .key = builder.key(Value::integer(static_cast<std::int64_t>(key))),
                      .value = Value::integer(100 + i)};
      if (random.chance(0.7)) write.version = next[key]++;
      builder.add(t, write);
    }
    const History history = std::move(builder).freeze();
    const std::string folder = path("round" + std::to_string(round));
    EXPECT_EQ(write_history(history, Format::CobraLog, folder).lossy_steps, std::vector<std::string>{});
    const History again = read_history(folder);
    std::map<std::pair<std::string, std::string>, std::optional<std::int64_t>> before, after;
    const auto note = [](const History& from, auto& into) {
      for (std::uint32_t op = 0; op < from.operation_count(); ++op)
        into[{from.format_key(from.key(OperationId{op})), from.format(from.value(OperationId{op}))}] =
            from.operation(OperationId{op}).version;
    };
    note(history, before);
    note(again, after);
    EXPECT_EQ(before, after);
    EXPECT_EQ(meaning_of(again), meaning_of(history));
  }
}

TEST_F(CobraVersionOrder, LossesAreReported) {
  HistoryBuilder builder;
  const SessionId s = builder.session(Value::integer(0));
  const KeyId key = builder.key(Value::integer(1));
  const auto add = [&](OperationKind kind, std::int64_t value, std::int64_t version) {
    builder.add(builder.begin_transaction(s, Value::integer(value + version)),
                {.kind = kind, .key = key, .value = Value::integer(value), .version = version});
  };
  add(OperationKind::Write, 101, 8);
  add(OperationKind::Write, 202, 9);
  add(OperationKind::Write, 303, 9);
  add(OperationKind::Write, 404, 5);
  add(OperationKind::Read, 505, 9);
  const History history = std::move(builder).freeze();
  const WriteReport report = write_history(history, Format::CobraLog, path("out.cobra"));
  EXPECT_EQ(report.lossy_steps,
            (std::vector<std::string>{"versions and row counts dropped: 1",
                                      "versions of equal values or with equal numbers dropped: 2",
                                      "versions replaced by their places in the version order: 2"}));
  EXPECT_EQ(versions_of(read_history(path("out.cobra"))), "2 - - 1 -");
  EXPECT_EQ(losses_of(history, Format::CobraLog).back(),
            "versions replaced by their places in the version order: 2");
}

}  // namespace
}  // namespace serval
