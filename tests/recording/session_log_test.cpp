// What a recorder collects from sessions while they run. It visits all of them for their lines, then all
// of them for what may have been written in the meantime. Here the visits happen at chosen moments.

#include "serval/recording/session_log.h"

#include <gtest/gtest.h>

namespace serval {
namespace {

using Kind = Request::Kind;

class Handing : public testing::Test {
 protected:
  static std::string lines_of(SessionLog& log, Time now = 100) {
    std::string lines;
    log.take_lines(lines, now);
    return lines;
  }
  static std::string writes_of(SessionLog& log) {
    std::string writes;
    log.peek_writes(writes);
    return writes;
  }
  void write(SessionLog& log, std::int64_t tag, Time at) {
    const Request request{.kind = Kind::Write, .key = 7, .tag = tag};
    log.invoke(request, at);
    log.complete(request, {}, at + 1);
  }

  const TableText text_{Schema{{.name = "registers"}}};
  std::atomic<std::int64_t> transactions_ = 0;
  SessionLog a_{1, text_, transactions_}, b_{2, text_, transactions_};
};

TEST_F(Handing, AWriteIsKnownFromTheMomentItIsRequested) {
  a_.begin(10);
  EXPECT_EQ(lines_of(a_), "");
  EXPECT_EQ(writes_of(a_), "");
  a_.invoke({.kind = Kind::Write, .key = 7, .tag = 5}, 11);
  b_.begin(12);
  b_.invoke({.kind = Kind::Read, .key = 7}, 13);
  b_.complete({.kind = Kind::Read, .key = 7}, {.rows = {{.tag = 5}}}, 14);
  b_.end(Outcome::Committed, 15, {});
  EXPECT_EQ(lines_of(b_),
            "{\"s\":2,\"t\":2,\"ops\":[[\"r\",7,5,{\"at\":[13,14]}]],\"begin\":12,\"end\":15}\n");
  const std::string open = "{\"event\":\"open\",\"s\":1,\"t\":1,\"at\":10,\"ops\":[[\"w\",7,5]]}\n";
  EXPECT_EQ(writes_of(a_), open);
  EXPECT_EQ(writes_of(a_), open) << "looking takes nothing away";
}

TEST_F(Handing, ATransactionThatEndsBetweenTheVisitsIsOpenAtTheFirst) {
  EXPECT_EQ(lines_of(a_, 5), "");
  a_.begin(10);
  write(a_, 5, 11);
  a_.end(Outcome::Committed, 13, {});
  EXPECT_EQ(writes_of(a_), "{\"event\":\"open\",\"s\":1,\"t\":1,\"at\":10,\"ops\":[[\"w\",7,5]]}\n");
  EXPECT_EQ(lines_of(a_),
            "{\"s\":1,\"t\":1,\"ops\":[[\"w\",7,5,{\"at\":[11,12]}]],\"begin\":10,\"end\":13}\n");
  EXPECT_EQ(writes_of(a_), "");
  EXPECT_EQ(lines_of(a_), "");
}

TEST_F(Handing, EndedTransactionsAndAllWritesOfTheOpenOneAreKnown) {
  for (const std::int64_t tag : {1, 2}) {
    a_.begin(10 * tag);
    write(a_, tag, 10 * tag + 1);
    a_.end(Outcome::Indeterminate, 10 * tag + 3, {});
  }
  a_.begin(30);
  write(a_, 3, 31);
  a_.invoke({.kind = Kind::Delete, .key = 8}, 33);
  EXPECT_EQ(writes_of(a_),
            "{\"event\":\"open\",\"s\":1,\"t\":1,\"at\":10,\"ops\":[[\"w\",7,1]]}\n"
            "{\"event\":\"open\",\"s\":1,\"t\":2,\"at\":20,\"ops\":[[\"w\",7,2]]}\n"
            "{\"event\":\"open\",\"s\":1,\"t\":3,\"at\":30,\"ops\":[[\"w\",7,3],[\"d\",8]]}\n");
}

TEST_F(Handing, ReadsAndRangesAreNotWritesBeforeTheirAnswer) {
  a_.begin(10);
  for (const Kind kind : {Kind::Read, Kind::ReadList, Kind::Scan, Kind::UpdateRange, Kind::DeleteRange})
    a_.invoke({.kind = kind, .key = 7}, 11);
  EXPECT_EQ(writes_of(a_), "");
}

TEST_F(Handing, NothingBeginsEarlierThanAVisitPromised) {
  std::string lines;
  EXPECT_EQ(a_.take_lines(lines, 50), 50);
  EXPECT_EQ(a_.take_lines(lines, 40), 50) << "a promise is kept";
  a_.begin(45);
  EXPECT_EQ(a_.take_lines(lines, 60), 50) << "open since then";
  a_.end(Outcome::Aborted, 61, {.error = "40001"});
  EXPECT_EQ(a_.take_lines(lines, 70), 70);
  EXPECT_EQ(
      lines,
      "{\"s\":1,\"t\":1,\"ops\":[],\"begin\":50,\"end\":61,\"outcome\":\"aborted\",\"error\":\"40001\"}\n");
}

TEST_F(Handing, ALostAnswerLeavesTheWriteInTheLine) {
  a_.begin(10);
  const Request insert{.kind = Kind::Insert, .key = 7, .tag = 5};
  a_.invoke(insert, 11);
  a_.lose(insert);
  a_.end(Outcome::Indeterminate, 20, {});
  EXPECT_EQ(
      lines_of(a_),
      "{\"s\":1,\"t\":1,\"ops\":[[\"i\",7,5]],\"begin\":10,\"end\":20,\"outcome\":\"indeterminate\"}\n");
}

}  // namespace
}  // namespace serval
