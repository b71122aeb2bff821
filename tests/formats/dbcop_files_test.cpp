// dbcop's older files: bincode, JSON and YAML. What they mean, what is refused, and that what is written
// is read back.

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "formats/every_format.h"
#include "register_histories.h"
#include "sample.h"
#include "serval/base/byte_order.h"
#include "serval/formats/byte_reader.h"
#include "serval/formats/dbcop/dbcop.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

std::string numbers(std::initializer_list<std::uint64_t> list) {
  std::string bytes;
  for (const std::uint64_t number : list) append_little_endian(bytes, number);
  return bytes;
}
std::string text(std::string_view characters) {
  return numbers({characters.size()}) + std::string(characters);
}
std::string event(char write, std::uint64_t variable, std::uint64_t value, char success) {
  return std::string(1, write) + numbers({variable, value}) + std::string(1, success);
}
const std::string kHeader = numbers({1, 2, 3, 4, 5}) + text("info") + text("2019-03-30T12:00:00Z") + text("");

// Two sessions. The second transaction of the first did not commit, and its failed event is omitted.
const std::string kBincode = kHeader + numbers({2, 2, 2}) + event(1, 7, 11, 1) + event(0, 8, 0, 1) + '\1' +
                             numbers({2}) + event(1, 8, 12, 1) + event(0, 7, 3, 0) + '\0' + numbers({1, 1}) +
                             event(0, 7, 11, 1) + '\1';
const char* const kMeaning = "0: [w(7,11) r(8,0)] [w(8,12)]!\n1: [r(7,11)]\n";

std::string dbcop_problem(Format format, const std::string& bytes) {
  try {
    read_as(format, bytes);
  } catch (const InputError& error) {
    return error.problem();
  }
  return "";
}

TEST(DbcopBincode, EventsBecomeOperations) {
  const History history = read_as(Format::DbcopBincode, kBincode);
  EXPECT_EQ(print_history(history), kMeaning);
  EXPECT_EQ(history.initial_value(), Value::integer(0));
  EXPECT_EQ(history.facts().at("dbcop.start"), "2019-03-30T12:00:00Z");
  EXPECT_EQ(detect_format(kBincode)->format, Format::DbcopBincode);
}

TEST(DbcopBincode, ProblemsNameTheByte) {
  EXPECT_EQ(dbcop_problem(Format::DbcopBincode, kHeader + numbers({1, 1, 1}) + event(2, 7, 1, 1) + '\1'),
            "at byte 112: expected 0 or 1 for whether this event writes, but got 2");
  EXPECT_EQ(
      dbcop_problem(Format::DbcopBincode, kBincode + "x"),
      "at byte " + std::to_string(kBincode.size()) + ": expected the end of the file after the last session");
  EXPECT_EQ(dbcop_problem(Format::DbcopBincode, numbers({1, 2, 3, 4, 5, 1u << 30})),
            "at byte 40: expected the length of a text, but got 1073741824");
}

TEST(DbcopBincode, EveryTruncationIsRefusedOrEndsInAnOpenTransaction) {
  ReadOptions truncated;
  truncated.accept_truncated = true;
  for (std::size_t size = 1; size < kBincode.size(); ++size) {
    const std::string cut = kBincode.substr(0, size);
    EXPECT_NE(dbcop_problem(Format::DbcopBincode, cut), "") << size;
    if (size < kHeader.size() + 8) continue;
    const History history = read_as(Format::DbcopBincode, cut, truncated);
    EXPECT_LE(history.transaction_count(), 3u) << size;
  }
}

TEST(DbcopBincode, FlippedBytesAreReadOrRefused) {
  Random random = fresh_random();
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = kBincode;
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips)
      bytes[random.below(bytes.size())] ^= static_cast<char>(1 << random.below(8));
    try {
      EXPECT_LE(read_as(Format::DbcopBincode, bytes).operation_count(), bytes.size());
    } catch (const InputError& error) {
      EXPECT_TRUE(error.problem().starts_with("at byte ")) << error.what();
    }
  }
}

TEST(DbcopBincode, AFolderWithTheFileIsReadAsTheFile) {
  const fs::path folder = fs::path(testing::TempDir()) / ("serval-dbcop-" + std::to_string(::getpid()));
  const History history = read_as(Format::DbcopBincode, kBincode);
  write_history(history, Format::DbcopBincode, folder.string() + "/");
  EXPECT_TRUE(fs::exists(folder / "history.bincode"));
  EXPECT_EQ(print_history(read_history(folder.string())), kMeaning);
  fs::remove_all(folder);
}

const std::string kSessions =
    "[[{\"events\":[{\"Write\":{\"variable\":7,\"version\":11}},{\"Read\":{\"variable\":8,\"version\":null}}]"
    ","
    "\"committed\":true},{\"events\":[{\"Write\":{\"variable\":8,\"version\":12}}],\"committed\":false}],\n"
    "[{\"committed\":true,\"events\":[{\"Read\":{\"variable\":7,\"version\":11}}]}], []]";

TEST(DbcopJson, BareAndWrappedSessionsAreTheSameHistory) {
  const std::string meaning = "0: [w(7,11) r(8,_)] [w(8,12)]!\n1: [r(7,11)]\n2:\n";
  const std::string wrapped =
      "{\"params\":{\"id\":0},\"info\":\"\\u0041\",\"start\":\"x\",\"data\":" + kSessions +
      ",\"end\":\"y\"}\n";
  EXPECT_EQ(print_history(read_as(Format::DbcopJson, kSessions)), meaning);
  EXPECT_EQ(print_history(read_as(Format::DbcopJson, wrapped)), meaning);
  EXPECT_EQ(read_as(Format::DbcopJson, wrapped).facts().at("dbcop.info"), "A");
  EXPECT_EQ(detect_format(kSessions)->format, Format::DbcopJson);
  EXPECT_EQ(detect_format(wrapped)->format, Format::DbcopJson);
}

TEST(DbcopJson, ProblemsHaveLineAndColumn) {
  const auto error = [](const std::string& bytes) { return error_in(Format::DbcopJson, bytes); };
  EXPECT_EQ(error("[[\n{\"events\":[{\"Swap\":{}}]}]]"), "2:13: expected \"Write\" or \"Read\"");
  EXPECT_EQ(error("[[{\"events\":[{\"Write\":{\"variable\":1}}]}]]"), "1:36: a write needs a version");
  EXPECT_EQ(error("[[{\"events\":[{\"Read\":{}}]}]]"), "1:23: expected a variable");
  EXPECT_EQ(error("[[{\"events\":[],\"committed\":1}]]"), "1:28: expected true or false");
  EXPECT_EQ(error("[[]] x"), "1:6: expected the end of the file");
  EXPECT_EQ(error("[[] []]"), "1:5: expected ',', or ']' after a session");
}

TEST(DbcopJson, TransactionsHaveEventsAndAnOutcome) {
  const auto error = [](const std::string& bytes) { return error_in(Format::DbcopJson, bytes); };
  EXPECT_EQ(error("[[{\"events\":[]}]]"), "1:15: expected \"committed\", true or false");
  EXPECT_EQ(error("[[{\"committed\":true}]]"), "1:20: expected the events of the transaction");
  EXPECT_EQ(error("[[{\"events\":[{\"Read\":{\"variable\":1},\"Write\":{\"variable\":1,\"version\":2}}]}]]"),
            "1:37: expected '}' after the read or write of the event");
}

TEST(DbcopJson, EveryTruncationIsRefusedOrKeepsCompleteTransactions) {
  ReadOptions truncated;
  truncated.accept_truncated = true;
  for (std::size_t size = 1; size < kSessions.size(); ++size) {
    const std::string cut = kSessions.substr(0, size);
    EXPECT_NE(error_in(Format::DbcopJson, cut), "") << size;
    EXPECT_LE(read_as(Format::DbcopJson, cut, truncated).transaction_count(), 3u) << size;
  }
}

TEST(DbcopYaml, LinesBecomeTransactions) {
  const std::string yaml =
      "---\n- - events:\n      - write: true\n        variable: 7\n        value: 11\n        success: true\n"
      "      - write: false\n        variable: 8\n        value: 0\n        success: true\n    success: "
      "true\n"
      "  - events:\n      - write: true\n        variable: 8\n        value: 12\n        success: true\n"
      "      - write: false\n        variable: 7\n        value: 3\n        success: false\n    success: "
      "false\n"
      "- - events:\n      - write:    false\n        variable: 7\n        value: 11\n        success: true\n"
      "    success: true\n";
  EXPECT_EQ(print_history(read_as(Format::DbcopYaml, yaml)), kMeaning);
  EXPECT_EQ(detect_format(yaml)->format, Format::DbcopYaml);
}

TEST(DbcopYaml, ProblemsHaveLineAndColumn) {
  const auto error = [](const std::string& yaml) { return error_in(Format::DbcopYaml, yaml); };
  EXPECT_EQ(error("- - events:\n    - write: maybe\n"), "2:14: expected true or false, but got 'm'");
  EXPECT_EQ(error("- - events:\n    - weight: 3\n"),
            "2:15: expected write, variable, value or success before the value, but got '3'");
  EXPECT_EQ(error("  - events:\n"),
            "1:12: expected two dashes before the first events, but got the end of the line");
  EXPECT_EQ(error("- - events:\n- - events:\n"),
            "2:12: expected the success of the transaction before, but got the end of the line");
}

constexpr std::string_view kYaml =
    "- - events:\n    - write: true\n      variable: 0\n      value: 70\n      success: true\n"
    "    success: true\n"
    "  - events:\n    - write: false\n      variable: 0\n      value: 70\n      success: true\n"
    "    success: true\n";

std::string without_line(std::string_view text, int number) {
  std::string kept;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t size = text.find('\n') + 1;
    if (line != number) kept += text.substr(0, size);
    text.remove_prefix(size);
  }
  return kept;
}

TEST(DbcopYaml, EveryMemberOfAnEventIsNeeded) {
  const auto error = [](int line) { return error_in(Format::DbcopYaml, without_line(kYaml, line)); };
  EXPECT_EQ(error(3), "5:7: the event before this line has no variable");
  EXPECT_EQ(error(4), "5:7: the event before this line has no value");
  EXPECT_EQ(error(5), "5:7: the event before this line has no success");
  EXPECT_EQ(error_in(Format::DbcopYaml, "- - events:\n    - variable: 0\n      variable: 1\n"),
            "3:17: expected no second variable in the event, but got '1'");
}

TEST(DbcopYaml, EveryTruncationIsRefusedOrEndsATransaction) {
  for (std::size_t size = 1; size < kYaml.size(); ++size) {
    const std::string_view cut = kYaml.substr(0, size);
    const std::string_view text = cut.substr(0, cut.find_last_not_of(" \n") + 1);
    const bool whole = text.ends_with("\n    success: true");
    EXPECT_EQ(error_in(Format::DbcopYaml, std::string(cut)) == "", whole) << cut;
  }
}

TEST(DbcopYaml, TruncatedTransactionsAreOmittedOnRequest) {
  ReadOptions truncated;
  truncated.accept_truncated = true;
  for (std::size_t size = 1; size < kYaml.size(); ++size) {
    const History history = read_as(Format::DbcopYaml, std::string(kYaml.substr(0, size)), truncated);
    for (std::uint32_t op = 0; op < history.operation_count(); ++op)
      EXPECT_EQ(history.value(OperationId{op}), Value::integer(70)) << size;
    if (history.transaction_count() == 2) {
      EXPECT_EQ(history.outcome(TransactionId{1}), Outcome::Indeterminate) << size;
    }
  }
}

class DbcopFiles : public testing::TestWithParam<Format> {};

TEST_P(DbcopFiles, WrittenHistoriesReadBackTheSame) {
  Random random = fresh_random();
  for (int round = 0; round < 100; ++round) {
    const History history = register_history(
        random.next(), {.transactions = 12, .least_value = 1, .aborted = RegisterShape::Aborted::Some});
    for (const std::string& loss : losses_of(history, GetParam()))
      EXPECT_TRUE(loss.starts_with("labels of transactions dropped")) << loss;
    const std::string bytes = write_to_string(history, GetParam());
    EXPECT_EQ(meaning_of(read_as(GetParam(), bytes)), meaning_of(history));
    ASSERT_NE(detect_format(bytes), nullptr);
    EXPECT_EQ(detect_format(bytes)->format, GetParam());
  }
}

TEST_P(DbcopFiles, HistoryWithoutSessionsReadsBack) {
  const History history = std::move(HistoryBuilder()).freeze();
  EXPECT_EQ(read_as(GetParam(), write_to_string(history, GetParam())).transaction_count(), 0u);
}

TEST_P(DbcopFiles, LossesAreReported) {
  const History history = parse_history("s1: [w(x,\"a\") d(y)]  s2: [r(x,\"a\")]?");
  EXPECT_EQ(
      losses_of(history, GetParam()),
      (std::vector<std::string>{"deletes left out: 1",
                                "indeterminate transactions left out, since no write of theirs was read: 1",
                                "keys replaced by numbers: 2", "labels of sessions dropped: 2",
                                "labels of transactions dropped: 1", "values replaced by numbers: 1"}));
}

TEST_P(DbcopFiles, AWrittenZeroIsNotTheInitialVersion) {
  const History history = parse_history("s1: [w(x,0)]  s2: [r(x,_)]");
  const History back = read_as(GetParam(), write_to_string(history, GetParam()));
  EXPECT_TRUE(back.value(OperationId{0}) != back.value(OperationId{1}));
}

INSTANTIATE_TEST_SUITE_P(EveryDbcopFile, DbcopFiles,
                         testing::Values(Format::DbcopBincode, Format::DbcopJson, Format::DbcopYaml),
                         test_name_of);

}  // namespace
}  // namespace serval
