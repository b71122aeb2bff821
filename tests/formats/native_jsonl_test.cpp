#include "serval/formats/native/native_jsonl.h"

#include <fstream>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "formats/arbitrary_history.h"
#include "history_equality.h"
#include "sample.h"
#include "serval/base/error.h"
#include "serval/history/notation.h"

namespace serval {
namespace {

constexpr const char* kJsonlHeader = "{\"serval\":\"history\",\"version\":1}\n";

struct Reading {
  History history;
  std::vector<std::string> notices;
};

Reading read_jsonl(const std::string& text) {
  Reading reading;
  ByteStream stream = ByteStream::from_memory("test.jsonl", text);
  ReadOptions options;
  options.on_notice = [&](const std::string& notice) { reading.notices.push_back(notice); };
  reading.history = read_jsonl(stream, options);
  return reading;
}
History read_records(const std::string& records) { return read_jsonl(kJsonlHeader + records).history; }

std::string jsonl_error(const std::string& text) {
  try {
    read_jsonl(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

RC_GTEST_PROP(NativeJsonl, KeepsEveryMemberOfEveryHistory, (std::uint64_t seed)) {
  const History history = arbitrary_history(
      seed, {.transactions = *rc::gen::inRange(0, 20), .certificates = ArbitraryOptions::Certificates::Some});
  const Reading reading = read_jsonl(write_to_string(history, Format::Jsonl));
  RC_ASSERT(difference(history, reading.history) == "");
  RC_ASSERT(transaction_order(history) == transaction_order(reading.history));
  RC_ASSERT(reading.notices.empty());
}

RC_GTEST_PROP(NativeJsonl, WritesTheSameBytesAgain, (std::uint64_t seed)) {
  const std::string once = write_to_string(
      arbitrary_history(seed, {.certificates = ArbitraryOptions::Certificates::Some}), Format::Jsonl);
  RC_ASSERT(write_to_string(read_jsonl(once).history, Format::Jsonl) == once);
}

TEST(NativeJsonl, IsEasyToRead) {
  const History history = parse_history(
      "s1: [r(x,0) w(x,1)]@10..20 [a(y,1) l(y,[1]) i(z,1) i(z,2)! d(z)]! s2: [cas(x,1,2) cas(x,7,2)!]?");
  EXPECT_EQ(
      write_to_string(history, Format::Jsonl),
      "{\"serval\":\"history\",\"version\":1,\"initial\":0}\n"
      R"({"s":"s1","t":1,"ops":[["r","x",0],["w","x",1]],"begin":10,"end":20})"
      "\n"
      R"({"s":"s1","t":2,"ops":[["a","y",1],["l","y",[1]],["i","z",1],["i!","z",2],["d","z"]],"outcome":"aborted"})"
      "\n"
      R"({"s":"s2","t":3,"ops":[["cas","x",1,2],["cas!","x",7,2]],"outcome":"indeterminate"})"
      "\n");
}

TEST(NativeJsonl, ReadsEventsAndWholeTransactionsMixed) {
  const History history =
      read_records(R"({"event":"begin","s":1,"t":7,"at":10,"node":"n1"})"
                   "\n"
                   R"({"s":2,"t":8,"ops":[["w","x",1]],"begin":11,"end":12})"
                   "\n"
                   R"({"event":"op","s":1,"t":7,"op":["read","x",1,{"at":[13,14]}]})"
                   "\n\n"
                   R"({"event":"end","s":1,"t":7,"at":15,"outcome":"committed","commit_ts":99})"
                   "\n");
  EXPECT_EQ(print_history(history), "1: [r(x,1)]@10..15\n2: [w(x,1)]@11..12\n");
  EXPECT_EQ(history.operation(OperationId{0}).time, (Interval{13, 14}));
  EXPECT_EQ(history.hints(TransactionId{0})->node, "n1");
  EXPECT_EQ(history.hints(TransactionId{0})->commit_timestamp, 99);
}

TEST(NativeJsonl, TransactionWithoutEndRecordIsIndeterminate) {
  const Reading reading =
      read_jsonl(std::string(kJsonlHeader) + R"({"event":"begin","s":1,"t":7,"at":10,"node":"n1"})"
                                             "\n"
                                             R"({"event":"op","s":1,"t":7,"op":["w","x",1]})"
                                             "\n");
  EXPECT_EQ(print_history(reading.history), "1: [w(x,1)]?@10..\n");
  EXPECT_EQ(reading.history.hints(TransactionId{0})->node, "n1");
  EXPECT_EQ(reading.notices,
            std::vector<std::string>{"1 transaction(s) without an end record are indeterminate"});
}

TEST(NativeJsonl, SecondHeaderContinuesTheFile) {
  const Reading reading =
      read_jsonl(R"({"serval":"history","version":1,"initial":0,"facts":{"seed":7,"run":"a"}})"
                 "\n"
                 R"({"event":"begin","s":1,"t":1})"
                 "\n"
                 R"({"event":"op","s":1,"t":1,"op":["w","x",)"
                 "\n"
                 R"({"serval":"history","version":1,"initial":0,"facts":{"run":"b"}})"
                 "\n"
                 R"({"event":"begin","s":1,"t":1})"
                 "\n"
                 R"({"event":"end","s":1,"t":1,"outcome":"aborted"})"
                 "\n");
  EXPECT_EQ(print_history(reading.history), "1: []? []!\n");
  EXPECT_EQ(reading.history.facts(), (std::map<std::string, std::string>{{"run", "b"}, {"seed", "7"}}));
  EXPECT_EQ(reading.notices.size(), 2u);
}

TEST(NativeJsonl, IgnoresUnknownMembersAndSkipsUnknownEvents) {
  const Reading reading =
      read_jsonl(R"({"facts":{},"later":{"deep":[1,{"x":"}"}]},"version":1,"serval":"history"})"
                 "\r\n"
                 R"( { "ops" : [ [ "w" , "x" , 1 , {"later":true} ] ] , "later":[], "initial":5, "s":1 } )"
                 "\r\n"
                 R"({"event":"nemesis","what":"partition"})"
                 "\n");
  EXPECT_EQ(print_history(reading.history), "1: [w(x,1)]\n");
  EXPECT_TRUE(reading.history.initial_value().is_nil());
  EXPECT_EQ(reading.notices, (std::vector<std::string>{
                                 "2 line(s) with a member of unknown name, which is ignored; the first is "
                                 "\"later\" on line 1",
                                 "1 record(s) of the unknown kind \"nemesis\" skipped"}));
}

TEST(NativeJsonl, KeepsEveryDigitOfLargeIntegers) {
  for (const std::string digits :
       {"0", "-1", "999999999999999999", "1152921504606846975", "1152921504606846976", "9223372036854775807",
        "-9223372036854775808", "18446744073709551616", "-123456789012345678901234567890", "1.50", "1e400"}) {
    const History history =
        read_records(R"({"s":1,"t":)" + digits + R"(,"ops":[["w",)" + digits + "," + digits + "]]}\n");
    EXPECT_EQ(print_history(history), "1: [w(" + digits + "," + digits + ")]\n");
    EXPECT_EQ(history.format(history.label(TransactionId{0})), digits);
    const std::string text = write_to_string(history, Format::Jsonl);
    EXPECT_NE(text.find("[\"w\"," + digits + "," + digits + "]"), std::string::npos) << text;
  }
}

TEST(NativeJsonl, EqualRowsAreEqualWhateverTheirSpacing) {
  const History history = read_records(
      R"({"s":1,"ops":[["w","x",{"b": [1, {"d":2,"c":3}], "a": "\u0041"}],["r","x",{"a":"A","b":[1,{"c":3,"d":2}]}]]})"
      "\n");
  EXPECT_EQ(history.value(OperationId{0}), history.value(OperationId{1}));
  EXPECT_EQ(history.format(history.value(OperationId{0})), R"({"a":"A","b":[1,{"c":3,"d":2}]})");
}

TEST(NativeJsonl, ReadsTextWithEveryEscape) {
  const History history = read_records(R"({"s":"\"\\\/\b\f\n\r\t\u00e9\ud83d\udc06","ops":[]})"
                                       "\n");
  EXPECT_EQ(history.values().characters(history.session_label(SessionId{0})),
            "\"\\/\b\f\n\r\t\xc3\xa9\xf0\x9f\x90\x86");
}

TEST(NativeJsonl, ReadsPredicateTrees) {
  const History history = read_records(
      R"({"s":1,"ops":[["pr",["and",[">",["col","value"],3],["not",["=",["col","owner"],"bob"]],["in",["col","v"],["lit",[1,2]]]],[["k",5],["l"]],{"matched":2}]]})"
      "\n");
  const Operation op = history.operation(OperationId{0});
  const Predicate& tree = history.predicate(op.predicate);
  EXPECT_EQ(tree.node, Predicate::Node::And);
  EXPECT_EQ(tree.children[0].name, ">");
  EXPECT_EQ(tree.children[0].children[1].literal, Value::integer(3));
  EXPECT_TRUE(tree.children[2].children[1].literal.is_list());
  EXPECT_EQ(op.rows.size(), 2u);
  EXPECT_TRUE(op.rows[1].value.is_nil());
  EXPECT_EQ(op.rows_matched, 2);
}

TEST(NativeJsonl, EmptyHistoryIsAHeader) {
  EXPECT_EQ(write_to_string(History(), Format::Jsonl), kJsonlHeader);
  EXPECT_EQ(read_jsonl(kJsonlHeader).history.transaction_count(), 0u);
}

TEST(NativeJsonl, AFileTruncatedAtAnyByteIsReadAsItsBeginning) {
  const History whole = arbitrary_history(11, {.transactions = 8});
  const std::string text = write_to_string(whole, Format::Jsonl);
  const std::size_t header_end = text.find('\n');
  for (std::size_t size = 0; size < text.size(); ++size) {
    if (size < header_end) {
      EXPECT_NE(jsonl_error(text.substr(0, size)), "no error") << size;
      continue;
    }
    const Reading reading = read_jsonl(text.substr(0, size));
    const std::vector<std::string> whole_order = transaction_order(whole);
    const std::vector<std::string> order = transaction_order(reading.history);
    ASSERT_LE(order.size(), whole_order.size());
    EXPECT_TRUE(std::equal(order.begin(), order.end(), whole_order.begin())) << size;
    const auto lines =
        static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<long>(size), '\n'));
    EXPECT_GE(order.size() + 1, lines) << size;
    const bool at_line_end = size == header_end || text[size] == '\n' || text[size - 1] == '\n';
    EXPECT_EQ(reading.notices.empty(), at_line_end) << size;
  }
}

TEST(NativeJsonl, FlippedBytesGiveAHistoryOrAnInputError) {
  std::string text = write_to_string(arbitrary_history(12, {.transactions = 12}), Format::Jsonl);
  text +=
      R"({"event":"begin","s":2,"t":44,"at":30,"node":"n1","start_ts":5})"
      "\n"
      R"({"event":"op","s":2,"t":44,"op":["pr",["=",["col","a"],{"b":[1,{"c":"\u0041"}]}],[["x",1.5]],{"at":[31,null]}]})"
      "\n"
      R"({"event":"end","s":2,"t":44,"at":35,"outcome":"committed","commit_ts":991})"
      "\n";
  Random random = fresh_random();
  std::size_t refused = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string damaged = text;
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips)
      damaged[random.below(damaged.size())] = static_cast<char>(random.next());
    if (jsonl_error(damaged) != "no error") ++refused;
  }
  EXPECT_GT(refused, 0u);
}

TEST(NativeJsonl, ReportsThePositionOfAnError) {
  const std::string header = kJsonlHeader;
  EXPECT_EQ(jsonl_error(header + "{\"s\":1,\"ops\":[[\"r\",1,2],[\"zz\",1,2]]}\n"),
            "test.jsonl:2:26: expected an operation: r w a l i i! d cas cas! pr pu pd");
  EXPECT_EQ(jsonl_error(header + "{\"s\":1,\"ops\":[[\"r\",1 2]]}\n"),
            "test.jsonl:2:22: expected ',' and a value");
  EXPECT_EQ(jsonl_error(header + "{\"s\":1,\"ops\":[[\"r\",1,2]]\n"), "test.jsonl:2:25: expected ',' or '}'");
  EXPECT_EQ(jsonl_error(header + "\n{\"ops\":[]}\n"),
            "test.jsonl:3:1: expected a session, \"s\", in this record");
  EXPECT_EQ(jsonl_error(header + "{\"s\":1,\"ops\":[],\"begin\":1.5}\n"),
            "test.jsonl:2:25: expected a whole number that fits 64 bits");
  EXPECT_EQ(jsonl_error(header + "{\"s\":1,\"ops\":[],\"begin\":9223372036854775808}\n"),
            "test.jsonl:2:25: expected a whole number that fits 64 bits");
  EXPECT_EQ(jsonl_error(header + "{\"s\":1,\"ops\":[],\"outcome\":\"done\"}\n"),
            "test.jsonl:2:27: expected \"committed\", \"aborted\" or \"indeterminate\"");
  EXPECT_EQ(jsonl_error(header + "{\"s\":1,\"ops\":[]} x\n"),
            "test.jsonl:2:18: expected the end of the line after the record");
  EXPECT_EQ(jsonl_error(header + "[1]\n"), "test.jsonl:2:1: expected '{', the start of a record");
}

TEST(NativeJsonl, RefusesEventsOutOfOrder) {
  const std::string header = kJsonlHeader;
  const std::string begin = "{\"event\":\"begin\",\"s\":1,\"t\":1}\n";
  EXPECT_EQ(jsonl_error(header + begin + begin),
            "test.jsonl:3:1: expected the end of this transaction before it begins again");
  EXPECT_EQ(jsonl_error(header + "{\"event\":\"op\",\"s\":1,\"t\":1,\"op\":[\"r\",1,2]}\n"),
            "test.jsonl:2:1: expected a begin record of this transaction first");
  EXPECT_EQ(jsonl_error(header + begin + "{\"event\":\"end\",\"s\":1,\"t\":1}\n"),
            "test.jsonl:3:1: expected an \"outcome\" in this record");
}

TEST(NativeJsonl, RequiresAHeaderOfAKnownVersion) {
  EXPECT_EQ(jsonl_error(""), "test.jsonl: expected a header line, but the file has no lines");
  EXPECT_EQ(jsonl_error("{\"s\":1,\"ops\":[]}\n"),
            "test.jsonl:1:1: expected the header line, {\"serval\":\"history\",\"version\":1,\"initial\":0}, "
            "before "
            "any record (leave \"initial\" out if keys do not exist at the start)");
  EXPECT_EQ(jsonl_error("{\"serval\":\"history\",\"version\":2}\n"),
            "test.jsonl:1:1: expected version 1, but the file says 2: a newer Serval may read it");
}

TEST(NativeJsonl, ShowsOnlyTheSurroundingsOfAnErrorInALongLine) {
  const std::string text = std::string(kJsonlHeader) + "{\"s\":\"" + std::string(1 << 20, 'a') + "\",oops}\n";
  try {
    read_jsonl(text);
    FAIL() << "accepted a malformed line";
  } catch (const InputError& error) {
    EXPECT_LT(error.source_line().size(), 300u);
    EXPECT_TRUE(error.source_line().substr(error.caret() - 1).starts_with("oops}"));
  }
}

TEST(NativeJsonl, DeepNestingIsRefused) {
  const std::string deep(100000, '[');
  for (const std::string& start :
       {R"({"s":)" + deep, R"({"later":)" + deep, R"({"s":{"a":)" + deep, R"({"s":1,"ops":[["pr",)" + deep})
    EXPECT_NE(jsonl_error(kJsonlHeader + start + "\n"), "no error");
}

TEST(NativeJsonl, IsRecognisedByItsHeader) {
  EXPECT_TRUE(looks_like_jsonl(kJsonlHeader));
  EXPECT_TRUE(looks_like_jsonl("\n {\"facts\":{}, \"serval\" : \"history\"}"));
  EXPECT_FALSE(looks_like_jsonl("{\"type\":\"invoke\",\"process\":0}\n{\"serval\":1}"));
  EXPECT_FALSE(looks_like_jsonl(""));
}

TEST(NativeJsonl, IsDetectedByContent) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::string text = write_to_string(arbitrary_history(seed), Format::Jsonl);
    const FormatInfo* detected = detect_format(text);
    ASSERT_NE(detected, nullptr);
    EXPECT_EQ(detected->format, Format::Jsonl) << text.substr(0, 200);
  }
}

TEST(NativeJsonl, ReadsTheExamplesOfItsPage) {
  std::ifstream page(SERVAL_TEST_DIR "/../docs/formats/jsonl.md");
  std::string records, line;
  while (std::getline(page, line))
    if (line.starts_with("{\"")) records += line + "\n";
  const Reading reading = read_jsonl(records);
  EXPECT_EQ(print_history(reading.history),
            "1: [r(x,0) w(x,1)]@10..20\n2: [r(x,0) w(x,2)]!@12..25 [r(x,1)]@30..35\n");
  EXPECT_TRUE(reading.notices.empty());
}

constexpr const char* kSync = "{\"event\":\"sync\"}\n";

TEST(NativeJsonl, AnOpenRecordStandsForATransactionThatNeverArrived) {
  const std::string open = "{\"event\":\"open\",\"s\":1,\"t\":7,\"at\":5,\"ops\":[[\"w\",\"x\",1]]}\n";
  const std::string reader = "{\"s\":2,\"t\":8,\"ops\":[[\"r\",\"x\",1]]}\n";
  EXPECT_EQ(print_history(read_records(open + reader)), "2: [r(x,1)]\n1: [w(x,1)]?@5..\n");
  const std::string longer =
      "{\"event\":\"open\",\"s\":1,\"t\":7,\"at\":5,\"ops\":[[\"w\",\"x\",1],[\"w\",\"y\",2]]}\n";
  EXPECT_EQ(print_history(read_records(open + reader + longer)), "2: [r(x,1)]\n1: [w(x,1) w(y,2)]?@5..\n");
  const std::string whole =
      "{\"s\":1,\"t\":7,\"ops\":[[\"r\",\"x\",0],[\"w\",\"x\",1]],\"outcome\":\"aborted\"}\n";
  EXPECT_EQ(print_history(read_records(open + reader + whole)), "2: [r(x,1)]\n1: [r(x,0) w(x,1)]!\n");
}

TEST(NativeJsonl, TheNextHeaderClosesOpenRecordsOfAnEarlierRun) {
  const std::string open = "{\"event\":\"open\",\"s\":1,\"t\":7,\"ops\":[[\"w\",\"x\",1]]}\n";
  const std::string again = "{\"s\":1,\"t\":7,\"ops\":[[\"w\",\"x\",2]]}\n";
  EXPECT_EQ(print_history(read_records(open + kJsonlHeader + again)), "1: [w(x,1)]? [w(x,2)]\n");
}

TEST(NativeJsonl, LinesAfterTheLastSyncAreIgnored) {
  const std::string one = "{\"s\":1,\"t\":1,\"ops\":[[\"w\",\"x\",1]]}\n";
  const std::string two = "{\"s\":2,\"t\":2,\"ops\":[[\"r\",\"y\",9]]}\n";
  const Reading cut = read_jsonl(kJsonlHeader + std::string(kSync) + one + kSync + two + "{\"s\":3,\"t\"");
  EXPECT_EQ(print_history(cut.history), "1: [w(x,1)]\n");
  ASSERT_FALSE(cut.notices.empty());
  EXPECT_NE(cut.notices.front().find("after the last sync"), std::string::npos);
  EXPECT_EQ(print_history(read_jsonl(kJsonlHeader + std::string(kSync) + one + two + kSync).history),
            "1: [w(x,1)]\n2: [r(y,9)]\n");
}

// As in a file that `convert` wrote: the writer of 9 may be in the part that is missing.
TEST(NativeJsonl, WithoutSyncRecordsReadsWithoutAWriterAreLeftOutOfATruncatedFile) {
  const std::string text = kJsonlHeader + std::string("{\"s\":1,\"t\":1,\"ops\":[[\"w\",\"x\",1]]}\n") +
                           "{\"s\":2,\"t\":2,\"ops\":[[\"r\",\"x\",1],[\"r\",\"y\",9]]}\n";
  EXPECT_EQ(print_history(read_jsonl(text).history), "1: [w(x,1)]\n2: [r(x,1) r(y,9)]\n");
  const Reading cut = read_jsonl(text + "{\"s\":3,\"t\"");
  EXPECT_EQ(print_history(cut.history), "1: [w(x,1)]\n2: [r(x,1) r(y,?)]\n");
  ASSERT_EQ(cut.notices.size(), 2u);
  EXPECT_EQ(cut.notices[0], "1 cut-off line left out");
  EXPECT_NE(cut.notices[1].find("no transaction wrote: 1; left out"), std::string::npos);
}

TEST(NativeJsonl, ARecordingMayContinueAfterATruncation) {
  const std::string one = "{\"s\":1,\"t\":1,\"ops\":[[\"w\",\"x\",1]]}\n";
  const std::string two = "{\"s\":2,\"t\":2,\"ops\":[[\"r\",\"x\",1]]}\n";
  const std::string text =
      kJsonlHeader + std::string(kSync) + one + kSync + two + "\n" + kJsonlHeader + kSync + two + kSync;
  EXPECT_EQ(print_history(read_jsonl(text).history), "1: [w(x,1)]\n2: [r(x,1)]\n");
}

TEST(NativeJsonl, SyncRecordsMayHaveSpaces) {
  const std::string one = "{\"s\":1,\"t\":1,\"ops\":[]}\n", two = "{\"s\":1,\"t\":2,\"ops\":[]}\n";
  const std::string spaced = "{ \"event\" : \"sync\" }\n";
  const Reading cut = read_jsonl(kJsonlHeader + std::string(kSync) + one + spaced + two + "{\"s\":3,\"t\"");
  EXPECT_EQ(cut.history.transaction_count(), 1u);
  EXPECT_EQ(read_jsonl(kJsonlHeader + std::string(kSync) + one + spaced).history.transaction_count(), 1u);
}

TEST(NativeJsonl, ErrorsAfterASyncNameTheirLine) {
  const std::string text =
      kJsonlHeader + std::string(kSync) + "{\"s\":1,\"t\":1,\"ops\":[]}\nnonsense\n" + kSync;
  EXPECT_NE(jsonl_error(text).find("test.jsonl:4:1"), std::string::npos) << jsonl_error(text);
}

}  // namespace
}  // namespace serval
