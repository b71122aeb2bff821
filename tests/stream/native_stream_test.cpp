#include "serval/stream/native_stream.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "serval/base/clock.h"
#include "serval/base/error.h"

namespace serval {
namespace {

const std::string kHeader = R"({"serval":"history","version":1,"initial":0})"
                            "\n";

std::string spelled(const TraceValue& value) {
  if (value.is_nil()) return "_";
  if (value.is_unknown()) return "?";
  return value.has_text() ? std::string(value.text()) : std::to_string(value.integer);
}

// "2 commit [5,9]", "2 r x=1 [3,4]": the transaction, what it did, and when.
std::string spelled(const Record& record) {
  const char* const names[] = {"initial", "begin", "", "commit", "abort", "indeterminate", "heartbeat"};
  std::string out = std::to_string(record.transaction) + " " + names[static_cast<std::size_t>(record.kind)];
  if (record.kind == RecordKind::Operation) out += short_name_of(record.operation);
  if (record.lock == LockMode::Exclusive) out += "!";
  if (record.kind != RecordKind::Begin)
    for (const RecordRow& row : record.cells())
      out += " " + spelled(row.key) + (row.column.empty() ? "" : "." + std::string(row.column)) + "=" +
             spelled(row.value);
  if (record.kind == RecordKind::Initial) return out;
  const std::string end = record.time.end == kUnknownEnd ? "?" : std::to_string(record.time.end);
  return out + " [" + std::to_string(record.time.begin) + "," + end + "]";
}

std::vector<std::string> drained(Pipeline& pipeline) {
  std::vector<std::string> out;
  while (pipeline.dispatch([&](std::span<const Record> run) {
    for (const Record& record : run) out.push_back(spelled(record));
  }) == Pipeline::Progress::Moved) {
  }
  return out;
}

using Lines = std::vector<std::string>;

class Streaming : public testing::Test {
 protected:
  Lines all_of(const std::string& text) {
    NativeStream stream("run.jsonl", intake_);
    stream.take(text);
    stream.end();
    unsynced_ = stream.unsynced_lines();
    pipeline_.no_more_clients();
    return drained(pipeline_);
  }
  std::string refusal_of(const std::string& text) {
    try {
      all_of(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }

  Pipeline pipeline_{{}};
  Intake intake_{pipeline_};
  std::uint64_t unsynced_ = 0;
};

TEST_F(Streaming, TransactionsOfSessionsBecomeRecordsInOrderOfTime) {
  EXPECT_EQ(
      all_of(
          kHeader +
          R"({"s":1,"t":1,"ops":[["r","x",0,{"at":[12,14]}],["w","x",1,{"at":[15,17]}]],"begin":10,"end":20})"
          "\n"
          R"({"s":2,"t":2,"ops":[["r","x",1,{"at":[13,16],"lock":"exclusive"}]],"begin":11,"end":19,"outcome":"aborted"})"
          "\n"),
      (Lines{"0 initial _=0", "1 begin [10,12]", "2 begin [11,13]", "1 r x=0 [12,14]", "2 r! x=1 [13,16]",
             "1 w x=1 [15,17]", "2 abort [16,19]", "1 commit [17,20]"}));
}

TEST_F(Streaming, OperationsWithoutTimesLieBetweenTheirNeighbours) {
  EXPECT_EQ(
      all_of(
          kHeader +
          R"({"s":1,"t":1,"ops":[["r","x",0,{"at":[12,14]}],["w","y",3],["r","z",0,{"at":[18,19]}],["w","u",4]],"begin":10,"end":20,"outcome":"indeterminate"})"
          "\n"),
      (Lines{"0 initial _=0", "1 begin [10,12]", "1 r x=0 [12,14]", "1 w y=3 [14,18]", "1 r z=0 [18,19]",
             "1 w u=4 [19,?]", "1 indeterminate [19,?]"}));
}

TEST_F(Streaming, TheLastOperationOfAnAbortedTransactionMayLackAnAnswer) {
  EXPECT_EQ(
      all_of(
          kHeader +
          R"({"s":1,"t":1,"ops":[["w","x",1,{"at":[12,14]}],["w","y",3]],"begin":10,"end":20,"outcome":"aborted"})"
          "\n"),
      (Lines{"0 initial _=0", "1 begin [10,12]", "1 w x=1 [12,14]", "1 w y=3 [14,?]", "1 abort [14,20]"}));
}

TEST_F(Streaming, EventsAreEquivalentToAWholeLine) {
  EXPECT_EQ(all_of(kHeader + R"({"event":"begin","s":1,"t":1,"at":10})"
                             "\n"
                             R"({"event":"op","s":1,"t":1,"op":["cas","x",0,5,{"at":[11,12]}]})"
                             "\n"
                             R"({"event":"end","s":1,"t":1,"at":15,"outcome":"committed"})"
                             "\n"),
            (Lines{"0 initial _=0", "1 begin [10,11]", "1 cas x=0 x=5 [11,12]", "1 commit [12,15]"}));
}

TEST_F(Streaming, PredicatesKeepTheirLiteralsAndRows) {
  NativeStream stream("run.jsonl", intake_);
  stream.take(
      kHeader +
      R"({"s":1,"t":1,"ops":[["pr",["in",["col","t.c"],["lit",["a",2]]],[["t/1",5],["t/2",6]],{"at":[2,3]}]],"begin":1,"end":9})"
      "\n");
  stream.end();
  std::string literals;
  pipeline_.dispatch([&](std::span<const Record> run) {
    for (const Record& record : run)
      if (record.predicate != nullptr)
        literals = record.predicate->literals->format(record.predicate->tree.children[1].literal) + " rows " +
                   std::to_string(record.row_count);
  });
  EXPECT_EQ(literals, "[a 2] rows 2");
}

TEST_F(Streaming, OpenTransactionsMayHaveHappened) {
  EXPECT_EQ(all_of(kHeader + R"({"event":"open","s":2,"t":7,"at":5,"ops":[["w","x",9]]})" + "\n"),
            (Lines{"0 initial _=0", "1 begin [5,?]", "1 w x=9 [5,?]", "1 indeterminate [5,?]"}));
}

TEST_F(Streaming, LinesAfterTheLastSyncAreIgnored) {
  const std::string one = R"({"s":1,"t":1,"ops":[],"begin":1,"end":2})",
                    two = R"({"s":1,"t":2,"ops":[],"begin":3,"end":4})";
  EXPECT_EQ(all_of(kHeader + "{\"event\":\"sync\",\"at\":0}\n" + one + "\n{\"event\":\"sync\",\"at\":3}\n" +
                   two + "\n{\"s"),
            (Lines{"0 initial _=0", "1 begin [1,2]", "1 commit [1,2]"}));
  EXPECT_EQ(unsynced_, 2u);
}

TEST_F(Streaming, SyncRecordsKeepIdleSessionsFromHoldingOthersBack) {
  NativeStream stream("run.jsonl", intake_);
  const std::string one = R"({"s":1,"t":1,"ops":[],"begin":1,"end":2})",
                    two = R"({"s":2,"t":2,"ops":[],"begin":3,"end":4})";
  stream.take(kHeader + one + "\n" + two + "\n");
  stream.flush();
  EXPECT_EQ(drained(pipeline_), (Lines{"0 initial _=0", "1 begin [1,2]", "1 commit [1,2]"}));
  stream.take(R"({"event":"sync","at":10,"since":[[1,3]]})"
              "\n");
  EXPECT_EQ(drained(pipeline_), (Lines{}));  // At time 3 the first session may still come before the second.
  stream.take(R"({"event":"sync","at":10,"since":[[1,4]]})"
              "\n");
  EXPECT_EQ(drained(pipeline_), (Lines{"2 begin [3,4]", "2 commit [3,4]"}));
}

TEST_F(Streaming, IncompleteLinesWaitForTheirEnd) {
  NativeStream stream("run.jsonl", intake_);
  const std::string text = kHeader + R"({"s":1,"t":1,"ops":[["w","x",1]],"begin":1,"end":2})" + "\n";
  for (const char c : text) stream.take({&c, 1});
  stream.end();
  EXPECT_EQ(drained(pipeline_).size(), 4u);
}

TEST_F(Streaming, ACompleteLastLineNeedsNoNewline) {
  NativeStream stream("run.jsonl", intake_);
  stream.take(kHeader + R"({"s":1,"t":1,"ops":[],"begin":1,"end":2})");
  EXPECT_TRUE(stream.take_last_line());
  EXPECT_TRUE(stream.take_last_line());  // Nothing is left.
  stream.end();
  EXPECT_EQ(drained(pipeline_), (Lines{"0 initial _=0", "1 begin [1,2]", "1 commit [1,2]"}));
  EXPECT_EQ(stream.unsynced_lines(), 0u);
}

TEST_F(Streaming, ALastLineThatIsCutOffIsMissing) {
  const std::string last = R"({"s":1,"t":1,"ops":[["w","x",1]],"begin":1,"end":2})";
  for (std::size_t size = 1; size < last.size(); ++size) {
    NativeStream stream("run.jsonl", intake_);
    stream.take(kHeader + last.substr(0, size));
    EXPECT_FALSE(stream.take_last_line()) << size;
    EXPECT_EQ(stream.unsynced_lines(), 1u);
    stream.end();
  }
}

TEST_F(Streaming, ALastLineThatIsWrongIsRefused) {
  NativeStream stream("run.jsonl", intake_);
  stream.take(kHeader + "once upon");
  EXPECT_THROW(stream.take_last_line(), InputError);
}

TEST_F(Streaming, AfterASyncOnlyAnotherSyncIsTakenAsTheLastLine) {
  const std::string start =
      kHeader + "{\"event\":\"sync\",\"at\":0}\n" + R"({"s":1,"t":1,"ops":[],"begin":1,"end":2})" + "\n";
  for (const std::string rest : {R"({"s":1,"t":2,"ops":[],"begin":3,"end":4})", R"({"s":1,"t")"}) {
    NativeStream stream("run.jsonl", intake_);
    stream.take(start + rest);
    EXPECT_TRUE(stream.take_last_line());
    stream.end();
    EXPECT_EQ(stream.unsynced_lines(), 2u);
  }
  NativeStream stream("run.jsonl", intake_);
  stream.take(start + R"({"event":"sync","at":3,"last":true})");
  EXPECT_TRUE(stream.take_last_line());
  EXPECT_TRUE(stream.is_complete());
  EXPECT_EQ(stream.unsynced_lines(), 0u);
  stream.end();
}

TEST_F(Streaming, GarbageIsRefusedWithItsPosition) {
  EXPECT_EQ(refusal_of("once upon a time\n"), "run.jsonl:1:1: expected '{', the start of a record");
}
TEST_F(Streaming, WithoutAHeaderNothingIsAccepted) {
  EXPECT_NE(refusal_of(R"({"s":1,"t":1,"ops":[],"begin":1,"end":2})"
                       "\n")
                .find("run.jsonl:1:1: expected the header"),
            std::string::npos);
}
TEST_F(Streaming, WithoutTimesNothingCanBeWatched) {
  EXPECT_NE(refusal_of(kHeader + R"({"s":1,"t":1,"ops":[]})"
                                 "\n")
                .find("run.jsonl:2:1: expected the times"),
            std::string::npos);
}
TEST_F(Streaming, ASessionWhoseClockRunsBackwardsIsNamed) {
  EXPECT_EQ(refusal_of(kHeader + R"({"s":"a","t":1,"ops":[],"begin":10,"end":20})"
                                 "\n"
                                 R"({"s":"a","t":2,"ops":[],"begin":5,"end":30})"
                                 "\n"),
            "run.jsonl, session a: the clock of this client ran backwards by 5 ns, from 10 to 5");
}

TEST_F(Streaming, ASecondHeaderMayOmitTheInitialValueButNotChangeIt) {
  EXPECT_EQ(refusal_of(kHeader + R"({"serval":"history","version":1})" + "\n"), "");
  Pipeline pipeline{{}};
  Intake intake{pipeline};
  NativeStream stream("run.jsonl", intake);
  try {
    stream.take(kHeader + R"({"serval":"history","version":1,"initial":7})" + "\n");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "run.jsonl:2:1: expected the same \"initial\" value as in the header before");
  }
  stream.end();
}

// Lines of one transaction whose times no clock can have shown, and what is wrong with them.
const std::pair<const char*, const char*> kImpossibleTimes[] = {
    {R"({"s":"a","t":7,"ops":[],"begin":30,"end":20})", "it ends at 20, before it begins at 30"},
    {R"({"s":"a","t":7,"ops":[["r","x",0],["w","x",1,{"at":[15,12]}]],"begin":10,"end":20})",
     "operation 2 is answered at 12, before it is called at 15"},
    {R"({"s":"a","t":7,"ops":[["w","x",1,{"at":[5,12]}]],"begin":10,"end":20})",
     "operation 1 is called at 5, before the transaction begins at 10"},
    {R"({"s":"a","t":7,"ops":[["w","x",1,{"at":[15,25]}]],"begin":10,"end":20})",
     "operation 1 is at 25, after the transaction ends at 20"},
    {R"({"s":"a","t":7,"ops":[["w","x",1,{"at":[25,null]}]],"begin":10,"end":20})",
     "operation 1 is at 25, after the transaction ends at 20"},
    {R"({"s":"a","t":7,"ops":[["w","x",1,{"at":[15,18]}],["w","y",1,{"at":[12,13]}]],"begin":10,"end":20})",
     "operation 2 is called at 12, before an earlier one at 15"},
};

TEST_F(Streaming, ImpossibleTimesAreRefused) {
  for (const auto& [line, problem] : kImpossibleTimes) {
    Pipeline pipeline{{}};
    Intake intake{pipeline};
    NativeStream stream("run.jsonl", intake);
    try {
      stream.take(kHeader + line + "\n");
      ADD_FAILURE() << line;
    } catch (const InputError& error) {
      EXPECT_EQ(
          error.what(),
          std::string("run.jsonl:2:1: the times of transaction 7 in session a contradict each other: ") +
              problem);
    }
    stream.end();
    EXPECT_EQ(drained(pipeline), (Lines{"0 initial _=0"})) << line;
  }
}

TEST_F(Streaming, ImpossibleTimesOfAnOpenTransactionAreRefused) {
  EXPECT_NE(refusal_of(kHeader + R"({"event":"begin","s":1,"t":1,"at":10})"
                                 "\n"
                                 R"({"event":"op","s":1,"t":1,"op":["w","x",5,{"at":[8,12]}]})"
                                 "\n")
                .find("before the transaction begins at 10"),
            std::string::npos);
}

TEST(ClockError, AllowsForTimesThatDisagreeByTwiceAsMuch) {
  const auto accepts = [](Time clock_error) {
    Pipeline pipeline{{.clock_error = clock_error}};
    Intake intake{pipeline};
    NativeStream stream("run.jsonl", intake);
    try {
      stream.take(kHeader + kImpossibleTimes[0].first + "\n");
    } catch (const InputError&) {
      stream.end();
      return false;
    }
    stream.end();
    return true;
  };
  EXPECT_FALSE(accepts(4));
  EXPECT_TRUE(accepts(5));
}

// What a connected client sends, up to the point where it is refused.
class Connected : public Streaming {
 protected:
  std::string refusal_of_line(const std::string& line) {
    NativeStream stream("connection 1", intake_, NativeStream::Origin::Connection);
    stream.take_line(kHeader.substr(0, kHeader.size() - 1));
    std::string refusal;
    try {
      stream.take_line(line);
    } catch (const InputError& error) {
      refusal = error.what();
    }
    stream.end();
    return refusal;
  }
};

TEST_F(Connected, TimesInTheFutureAreRefused) {
  const std::string ahead = std::to_string(now() + Time{3600} * 1'000'000'000);
  const std::string latest = std::to_string(kUnknownEnd);
  for (const std::string& time : {ahead, latest}) {
    const std::string words = "not later than now";
    for (const std::string& line :
         {R"({"event":"heartbeat","s":1,"at":)" + time + "}", R"({"event":"sync","at":)" + time + "}",
          R"({"event":"sync","at":5,"since":[[7,)" + time + "]]}",
          R"({"event":"begin","s":1,"t":1,"at":)" + time + "}",
          R"({"s":1,"t":1,"ops":[],"begin":)" + time + R"(,"end":)" + time + "}",
          R"({"s":1,"t":1,"ops":[["r","x",0,{"at":[)" + time + "," + time + R"(]}]],"begin":1,"end":2})"})
      EXPECT_NE(refusal_of_line(line).find(words), std::string::npos) << line;
  }
  EXPECT_EQ(refusal_of(kHeader + R"({"s":1,"t":1,"ops":[],"begin":)" + ahead + R"(,"end":)" + ahead + "}\n"),
            "");
}

TEST_F(Connected, LongNamesAreRefused) {
  const std::string name(5000, 'x');
  const std::string words = "at most 4096 bytes";
  EXPECT_NE(refusal_of_line(R"({"event":"heartbeat","s":")" + name + R"(","at":1})").find(words),
            std::string::npos);
  EXPECT_NE(
      refusal_of_line(R"({"s":1,"t":1,"ops":[["w",")" + name + R"(",1]],"begin":1,"end":2})").find(words),
      std::string::npos);
  EXPECT_EQ(refusal_of_line(R"({"s":1,"t":1,"ops":[["w","k",")" + name + R"("]],"begin":1,"end":2})"), "");
}

TEST_F(Connected, NamesOfSessionsAndOpenTransactionsCountAsMemory) {
  NativeStream stream("connection 1", intake_, NativeStream::Origin::Connection);
  stream.take_line(kHeader.substr(0, kHeader.size() - 1));
  stream.take_line(R"({"event":"heartbeat","s":")" + std::string(1000, 's') + R"(","at":1})");
  EXPECT_GE(stream.kept_bytes(), 1000u);
  const std::size_t before = stream.kept_bytes();
  stream.take_line(R"({"event":"begin","s":1,"t":")" + std::string(9000, 't') + R"(","at":1})");
  EXPECT_GE(stream.kept_bytes(), before + 9000);
  stream.end();
}

TEST_F(Connected, AClientWithAWrongHeaderDoesNotParticipate) {
  NativeStream stream("connection 1", intake_, NativeStream::Origin::Connection);
  EXPECT_THROW(stream.take_line(R"({"serval":"history","version":99})"), InputError);
  EXPECT_FALSE(stream.takes_part());
  stream.end();
}

TEST_F(Streaming, AnOperationWithoutTimesWasAnsweredBeforeTheNextKnownCall) {
  EXPECT_EQ(all_of(kHeader +
                   R"({"s":1,"t":1,"ops":[["w","a",1],["w","b",1],["r","c",0,{"at":[30,40]}],["w","d",1]],)"
                   R"("begin":10,"end":90})"
                   "\n"),
            (Lines{"0 initial _=0", "1 begin [10,90]", "1 w a=1 [10,30]", "1 w b=1 [10,30]",
                   "1 r c=0 [30,40]", "1 w d=1 [40,90]", "1 commit [40,90]"}));
}

}  // namespace
}  // namespace serval
