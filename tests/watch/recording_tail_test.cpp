#include "serval/watch/recording_tail.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "sample.h"
#include "serval/base/error.h"
#include "serval/base/random.h"
#include "watch/temporary_folder.h"

namespace serval::watch {
namespace {

const std::string kHeader = R"({"serval":"history","version":1,"initial":0})"
                            "\n";
const std::string kSync = "{\"event\":\"sync\",\"at\":1}\n";

std::string transaction_line(int session, int label, const std::string& operations, int begin, int end) {
  return fmt::format(R"({{"s":{},"t":{},"ops":[{}],"begin":{},"end":{}}})"
                     "\n",
                     session, label, operations, begin, end);
}

std::string spelled(const ScreenedTransaction& transaction) {
  std::string out = fmt::format("s{}", transaction.session.as_integer());
  for (const ScreenedOperation& operation : transaction.operations) {
    out += fmt::format(" {} {}", name_of(operation.kind),
                       operation.value.is_integer() ? operation.value.as_integer() : -1);
    for (const Value element : operation.elements) out += fmt::format(" {}", element.as_integer());
  }
  return out;
}

// Everything that a tail reports when the text arrives in these pieces.
struct Told {
  std::vector<std::string> transactions;
  std::vector<std::string> open;
  std::string obstacle;
  friend bool operator==(const Told&, const Told&) = default;
};

Told told(const std::vector<std::string>& pieces) {
  RecordingTail tail("");
  RecordingTail::Batch batch;
  Budget budget = Budget::unlimited();
  Told all;
  for (const std::string& piece : pieces) {
    tail.take(piece);
    while (tail.parse(batch, budget)) {
      for (const ScreenedTransaction& transaction : batch.transactions)
        all.transactions.push_back(spelled(transaction));
      all.open.clear();
      for (const OpenWrite& write : batch.open)
        all.open.push_back(fmt::format("{}{}", write.appends ? "a" : "w", write.value.as_integer()));
    }
  }
  all.obstacle = tail.obstacle();
  std::ranges::sort(all.transactions);  // Batches differ, and each one is sorted separately.
  return all;
}

std::vector<std::string> by_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::vector<std::string> by_bytes(const std::string& text) {
  std::vector<std::string> bytes;
  for (const char byte : text) bytes.emplace_back(1, byte);
  return bytes;
}

const std::string kText = kHeader + kSync + R"({"event":"open","s":2,"t":2,"at":3,"ops":[["w","y",7]]})" +
                          "\n" + transaction_line(1, 1, R"(["r","x",0],["w","x",5])", 1, 4) + kSync +
                          R"({"event":"open","s":3,"t":4,"at":3,"ops":[["w","z",8],["a","l",9]]})" + "\n" +
                          transaction_line(2, 2, R"(["r","x",5],["w","y",7])", 2, 6) +
                          transaction_line(1, 3, R"(["l","l",[1,2]],["r","n",null])", 5, 9) + kSync;

TEST(RecordingTail, ReportsTheSameHoweverTheFileArrives) {
  const Told whole = told({kText});
  EXPECT_EQ(whole.transactions, (std::vector<std::string>{"s1 read 0 write 5", "s1 read-list -1 1 2 read -1",
                                                          "s2 read 5 write 7"}));
  EXPECT_EQ(whole.open, (std::vector<std::string>{"w8", "a9"}));
  EXPECT_EQ(told(by_lines(kText)), whole);
  EXPECT_EQ(told(by_bytes(kText)), whole);
  for (std::size_t cut = 0; cut <= kText.size(); ++cut)
    EXPECT_EQ(told({kText.substr(0, cut), kText.substr(cut)}), whole) << cut;
  Random random = fresh_random();
  for (int i = 0; i < 200; ++i) {
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < kText.size(); at += pieces.back().size())
      pieces.push_back(kText.substr(at, 1 + random.below(60)));
    EXPECT_EQ(told(pieces), whole);
  }
}

TEST(RecordingTail, IgnoresEverythingAfterTheLastSync) {
  const std::string more = transaction_line(1, 5, R"(["r","x",5])", 10, 11);
  EXPECT_EQ(told({kText, more}), told({kText}));
  EXPECT_EQ(told({kText, more, kSync}).transactions.size(), 4u);
  EXPECT_EQ(told({kText, more.substr(0, 20)}), told({kText}));
  EXPECT_EQ(told({kHeader, more}).transactions.size(), 1u);  // Without a sync, complete lines count.
  EXPECT_EQ(told({kHeader, more.substr(0, 20)}).transactions.size(), 0u);
}

TEST(RecordingTail, OrdersByEndTimesAsFarAsSessionOrderAllows) {
  RecordingTail tail("");
  tail.take(kHeader + transaction_line(1, 1, R"(["w","x",1])", 1, 30) +
            transaction_line(1, 2, R"(["w","x",2])", 5, 8) + transaction_line(2, 3, R"(["w","x",3])", 1, 20) +
            transaction_line(2, 4, R"(["w","x",4])", 21, 40));
  RecordingTail::Batch batch;
  Budget budget = Budget::unlimited();
  ASSERT_TRUE(tail.parse(batch, budget));
  std::vector<std::int64_t> values;
  for (const ScreenedTransaction& transaction : batch.transactions)
    values.push_back(transaction.operations.front().value.as_integer());
  EXPECT_EQ(values, (std::vector<std::int64_t>{3, 1, 2, 4}));
}

TEST(RecordingTail, SaysWhatItDoesNotReport) {
  EXPECT_EQ(told({kHeader, kHeader}).obstacle, "a recording that was continued");
  EXPECT_EQ(told({kHeader, R"({"event":"begin","s":1,"t":1,"at":1})", "\n"}).obstacle,
            "transactions told event by event");
  EXPECT_EQ(told({kHeader, R"({"event":"certificate","order":"commit_ts"})", "\n"}).obstacle,
            "a version certificate");
  EXPECT_EQ(told({kText}).obstacle, "");
}

TEST(RecordingTail, NamesTheLineThatIsWrong) {
  try {
    told({kText, "{\"s\":]\n", kSync});
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(error.position().line, 10u);
  }
}

class TailOfFile : public WithFolder {};

TEST_F(TailOfFile, ReadsWhatIsAppended) {
  const std::string name = file("run.jsonl", kHeader + kSync);
  RecordingTail tail(name);
  RecordingTail::Batch batch;
  Budget budget = Budget::unlimited();
  EXPECT_TRUE(tail.read(batch, budget));
  EXPECT_FALSE(tail.read(batch, budget));
  std::ofstream(name, std::ios::app) << transaction_line(1, 1, R"(["w","x",1])", 1, 2) << kSync;
  ASSERT_TRUE(tail.read(batch, budget));
  EXPECT_EQ(batch.transactions.size(), 1u);
  EXPECT_EQ(tail.offset(), std::filesystem::file_size(name));
  EXPECT_FALSE(tail.read(batch, budget));
}

}  // namespace
}  // namespace serval::watch
