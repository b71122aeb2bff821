// Cobra's logs: what the records mean, which versions are the same, folders of logs, and damage.

#include "serval/formats/cobra/cobra_log.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "history_equality.h"
#include "register_histories.h"
#include "sample.h"
#include "serval/base/byte_order.h"
#include "serval/formats/byte_reader.h"
#include "serval/formats/cobra/cobra_record.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

std::string record(char tag, std::initializer_list<std::int64_t> numbers) {
  std::string bytes(1, tag);
  for (const std::int64_t number : numbers) append_big_endian(bytes, static_cast<std::uint64_t>(number));
  return bytes;
}
std::string start(std::int64_t id) { return record('S', {id}); }
std::string commit(std::int64_t id) { return record('C', {id}); }
std::string write(std::int64_t id, std::int64_t key, std::int64_t value) {
  return record('W', {id, key, value});
}
std::string read(std::int64_t transaction, std::int64_t id, std::int64_t key, std::int64_t value) {
  return record('R', {transaction, id, key, value});
}

// The problem of reading the bytes as one log; "" if there is none.
std::string problem_in(const std::string& bytes) {
  try {
    read_as(Format::CobraLog, bytes);
  } catch (const InputError& error) {
    return error.problem();
  }
  return "";
}

class CobraFolder : public testing::Test {
 protected:
  CobraFolder() : folder_(fs::path(testing::TempDir()) / ("serval-cobra-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~CobraFolder() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void put(const std::string& name, const std::string& bytes) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  fs::path folder_;
};

TEST(CobraLog, RecordsBecomeTransactions) {
  const History history =
      read_as(Format::CobraLog, start(7) + read(cobra::kInitial, cobra::kInitial, 1, 99) + write(5, 1, 42) +
                                    commit(7) + start(8) + read(7, 5, 1, 42) +
                                    read(cobra::kNull, cobra::kNull, 2, 0) + commit(8));
  EXPECT_EQ(print_history(history), "0: [r(1,_) w(1,5)] [r(1,5) r(2,_)]\n");
  EXPECT_EQ(history.label(TransactionId{1}), Value::integer(8));
  EXPECT_FALSE(history.has_times());
}

TEST(CobraLog, TimesAreDetected) {
  const History history =
      read_as(Format::CobraLog, record('S', {7, 100}) + write(5, 1, 42) + record('C', {7, 200}) +
                                    record('S', {8, 300}) + record('C', {8, 301}));
  ASSERT_EQ(history.transaction_count(), 2u);
  EXPECT_EQ(history.interval(TransactionId{0}), (Interval{100, 200}));
  EXPECT_EQ(history.interval(TransactionId{1}), (Interval{300, 301}));
}

TEST(CobraLog, AReadOfAMissingWriteStaysThinAir) {
  const History history = read_as(
      Format::CobraLog, start(7) + write(5, 1, 42) + commit(7) + start(8) + read(6, 4, 1, 41) + commit(8));
  EXPECT_EQ(print_history(history), "0: [w(1,5)] [r(1,4)]\n");
}

TEST(CobraLog, VersionsThatShareAWriteIdAreDistinguished) {
  const History history =
      read_as(Format::CobraLog, start(7) + write(5, 1, 42) + commit(7) + start(8) + write(5, 1, 43) +
                                    commit(8) + start(9) + read(8, 5, 1, 43) + read(7, 5, 1, 40) + commit(9));
  const auto value = [&](std::uint32_t op) { return history.format(history.value(OperationId{op})); };
  EXPECT_EQ(value(0), "5");
  EXPECT_EQ(value(1), "\"5/8/43\"");
  EXPECT_EQ(value(2), value(1)) << "the same version";
  EXPECT_EQ(value(3), "\"5/7/40\"") << "that write wrote another value";
}

TEST(CobraLog, MarksOfTheGarbageCollectorAreInitial) {
  std::vector<std::string> notices;
  ReadOptions options;
  options.on_notice = [&](const std::string& notice) { notices.push_back(notice); };
  const History history = read_as(
      Format::CobraLog, start(7) + read(cobra::kInitial, cobra::kCollectedTrue, 1, 9) + commit(7), options);
  EXPECT_TRUE(history.value(OperationId{0}).is_nil());
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_EQ(notices[0].substr(0, 16), "1 reads of marks");
}

TEST(CobraLog, IsDetectedByItsRecords) {
  const std::string log = start(7) + write(5, 1, 42) + commit(7);
  EXPECT_EQ(detect_format(log)->format, Format::CobraLog);
  EXPECT_EQ(detect_format(log.substr(0, log.size() - 3))->format, Format::CobraLog);
  EXPECT_FALSE(looks_like_cobra("S1: [w(x,1)]"));
  EXPECT_FALSE(looks_like_cobra("S"));
}

TEST(CobraLog, ProblemsNameTheByte) {
  EXPECT_EQ(problem_in(start(7) + "x"),
            "at byte 9: expected a record, one of S, W, R and C, but got byte 0x78");
  EXPECT_EQ(problem_in(start(7) + start(8)), "at byte 9: S before the commit of transaction 7");
  EXPECT_EQ(problem_in(write(1, 2, 3)), "at byte 0: W outside of a transaction");
  EXPECT_EQ(problem_in(start(7) + commit(8)),
            "at byte 9: expected the commit of transaction 7, but it is that of 8");
  EXPECT_EQ(problem_in(start(7) + write(1, 2, 3)), "at byte 34: the file ends inside transaction 7");
  EXPECT_EQ(problem_in(start(7) + write(1, 2, 3).substr(0, 20)), "at byte 29: the file ends inside a record");
}

TEST(CobraLog, EveryTruncationIsRefusedOrLeavesTheLastTransactionOpen) {
  const std::string log = start(7) + write(5, 1, 42) + commit(7) + start(8) + read(7, 5, 1, 42) + commit(8);
  ReadOptions truncated;
  truncated.accept_truncated = true;
  for (std::size_t size = 1; size < log.size(); ++size) {
    SCOPED_TRACE(size);
    const std::string cut = log.substr(0, size);
    if (size != 43) {
      EXPECT_NE(problem_in(cut), "");
    }
    const History history = read_as(Format::CobraLog, cut, truncated);
    const std::size_t started = (size >= 9) + (size >= 52), committed = (size >= 43);
    ASSERT_EQ(history.transaction_count(), started);
    if (started == committed) continue;
    EXPECT_EQ(history.outcome(TransactionId{static_cast<std::uint32_t>(started - 1)}),
              Outcome::Indeterminate);
  }
}

TEST(CobraLog, FlippedBytesAreReadOrRefused) {
  Random random = fresh_random();
  for (int round = 0; round < 2000; ++round) {
    std::string log = start(7) + write(5, 1, 42) + commit(7) + start(8) + read(7, 5, 1, 42) + commit(8);
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips)
      log[random.below(log.size())] ^= static_cast<char>(1 << random.below(8));
    try {
      EXPECT_LE(read_as(Format::CobraLog, log).operation_count(), log.size());
    } catch (const InputError& error) {
      EXPECT_TRUE(error.problem().starts_with("at byte ")) << error.what();
    }
  }
}

TEST_F(CobraFolder, EachLogIsASessionOrderedByNumber) {
  put("h/T10.log", start(3) + read(1, 5, 1, 42) + commit(3));
  put("h/T2.log", start(1) + write(5, 1, 42) + commit(1));
  put("h/empty.log", "");
  put("h/notes.txt", "not a log");
  std::string format;
  ReadOptions options;
  options.on_format = [&](const FormatInfo& row) { format = row.name; };
  const History history = read_history(path("h"), options);
  EXPECT_EQ(format, "cobra");
  EXPECT_EQ(print_history(history), "2: [w(1,5)]\n10: [r(1,5)]\nempty:\n");
  EXPECT_EQ(difference(read_history(folder_.string() + "/h/"), history), "");
}

TEST_F(CobraFolder, LogsOneLevelDownAreFound) {
  put("run/history/0.log", start(1) + write(5, 1, 42) + commit(1));
  put("run/notes.vo.txt", "x");
  EXPECT_EQ(read_history(path("run")).transaction_count(), 1u);
}

TEST_F(CobraFolder, FolderWithoutAHistoryIsRefused) {
  put("odd/readme.txt", "nothing");
  put("odd/some.log", "nothing");
  EXPECT_THROW(read_history(path("odd")), InputError);
}

TEST_F(CobraFolder, DamagedLogIsNamed) {
  put("h/0.log", start(1) + write(5, 1, 42) + commit(1));
  put("h/1.log", start(1) + "??");
  try {
    read_history(path("h"));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_TRUE(error.position().file.ends_with("h/1.log")) << error.what();
  }
}

TEST_F(CobraFolder, WrittenFoldersReadBackTheSame) {
  Random random = fresh_random();
  for (int round = 0; round < 50; ++round) {
    HistoryBuilder builder;
    for (std::int64_t s = 0; s < 3; ++s) builder.session(Value::integer(s));
    std::int64_t next = 1;
    std::vector<std::pair<KeyId, Value>> written;
    for (int i = 0; i < 12; ++i) {
      const TransactionId t = builder.begin_transaction(
          builder.session(Value::integer(static_cast<std::int64_t>(random.below(3)))),
          Value::integer(100 + i));
      for (int step = 0; step < 3; ++step) {
        const KeyId key = builder.key(Value::integer(static_cast<std::int64_t>(random.below(4)) - 2));
        if (random.below(2) == 0) {
          builder.add(t, OperationKind::Write, key, Value::integer(next));
          written.emplace_back(key, Value::integer(next++));
        } else if (!written.empty() && random.below(3) > 0) {
          const auto& [seen, value] = written[random.below(written.size())];
          builder.add(t, OperationKind::Read, seen, value);
        } else {
          builder.add(t, OperationKind::Read, key,
                      random.below(2) == 0 ? Value::nil() : Value::integer(900 + 10 * i + step));
        }
      }
    }
    const History history = std::move(builder).freeze();
    const std::string folder = path("round" + std::to_string(round));
    EXPECT_TRUE(write_history(history, Format::CobraLog, folder).lossy_steps.empty());
    EXPECT_EQ(meaning_of(read_history(folder)), meaning_of(history));
  }
}

TEST_F(CobraFolder, LossesAreReportedAndNothingIsOverwritten) {
  const History history = parse_history("s1: [w(x,1) w(y,1)]  s2: [r(x,1) r(y,_)]  s3: [w(x,9)]!");
  const WriteReport report = write_history(history, Format::CobraLog, path("out.cobra"));
  EXPECT_EQ(report.lossy_steps,
            (std::vector<std::string>{"aborted transactions left out: 1", "keys replaced by numbers: 2",
                                      "labels of sessions dropped: 3",
                                      "values replaced by the numbers of their writes: 2"}));
  EXPECT_EQ(print_history(read_history(path("out.cobra"))), "0: [w(0,1) w(1,2)]\n1: [r(0,1) r(1,_)]\n2:\n");
  EXPECT_THROW(write_history(history, Format::CobraLog, path("out.cobra")), OutputError);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);  // No temporary file remains.
}

TEST_F(CobraFolder, LeftoversOfAKilledProcessDoNoHarm) {
  const std::string name = path("out.cobra.partial-" + std::to_string(::getpid()));
  fs::create_directories(name);
  write_history(parse_history("s1: [w(x,1)]"), Format::CobraLog, path("out.cobra"));
  EXPECT_EQ(print_history(read_history(path("out.cobra"))), "0: [w(0,1)]\n");
  EXPECT_TRUE(fs::exists(name));
}

TEST_F(CobraFolder, ReadsThatCannotNameTheirWriteAreRefused) {
  const History history = parse_history("s1: [w(x,1)]  s2: [w(x,1)]  s3: [r(x,1)]");
  EXPECT_THROW(write_history(history, Format::CobraLog, path("out.cobra")), OutputError);
  EXPECT_FALSE(fs::exists(path("out.cobra")));
  EXPECT_THROW(write_to_string(history, Format::CobraLog), OutputError) << "three sessions are three files";
}

}  // namespace
}  // namespace serval
