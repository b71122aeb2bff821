#include "serval/formats/native/jsonl_line.h"

#include <gtest/gtest.h>

#include "serval/formats/native/jsonl_value.h"

namespace serval {
namespace {

TEST(JsonlLine, ATransactionIsAssembledFromItsParts) {
  std::string line;
  put_transaction_start(line, std::int64_t{1}, std::int64_t{42});
  put_operation_start(line, OperationKind::Write);
  put_all(line, "7,3");
  put_options_start(line, {});
  put_options_end(line);
  put_operation_start(line, OperationKind::PredicateRead);
  put_all(line, "null,[]");
  put_options_start(line, {10, kUnknownEnd});
  put_exclusive_lock(line);
  put_counts(line, 2, std::nullopt);
  put_result(line, "null");
  put_saw(line, std::int64_t{99});
  put_options_end(line);
  const TransactionHints hints{.commit_timestamp = 4, .node = "a\"b", .error = "\xFF"};
  put_transaction_end(line, {5, 30}, Outcome::Aborted, &hints, JsonBytes::Printable);
  EXPECT_EQ(
      line,
      R"({"s":1,"t":42,"ops":[["w",7,3],)"
      R"(["pr",null,[],{"at":[10,null],"lock":"exclusive","matched":2,"result":null,"saw":{"ts":99}}]],)"
      R"("begin":5,"end":30,"outcome":"aborted","commit_ts":4,"node":"a\"b","error":")"
      "\xEF\xBF\xBD\"}\n");
}

TEST(JsonlLine, UnknownMembersAreOmitted) {
  std::string line;
  put_transaction_start(line, std::int64_t{1}, std::int64_t{2});
  put_transaction_end(line, {}, Outcome::Committed);
  put_header_line(line, {}, {}, {});
  put_sync_line(line, 5, {}, false);
  EXPECT_EQ(line,
            "{\"s\":1,\"t\":2,\"ops\":[]}\n"
            "{\"serval\":\"history\",\"version\":1}\n"
            "{\"event\":\"sync\",\"at\":5}\n");
}

TEST(JsonlLine, LinesOfARun) {
  std::string line, since;
  const std::vector<JsonlFact> facts{{"b", "x"}, {"a", "y\n"}};
  put_header_line(line, "0", facts, "[1,2]");
  put_since(since, 1, 4);
  put_since(since, 2, 3);
  put_sync_line(line, 5, since, true);
  put_open_line(line, std::int64_t{1}, std::int64_t{2}, 3, R"(["w",7,3])");
  put_ordered_by_commit_line(line);
  put_order_start(line, "\"parts/7\"");
  put_citation(line, std::int64_t{1}, std::int64_t{2});
  put_citation(line, std::int64_t{2}, std::int64_t{1});
  put_order_end(line, true);
  put_settled_line(line, 1, 2, Outcome::Committed, {.server_transaction = "991"});
  EXPECT_EQ(line, R"({"serval":"history","version":1,"initial":0,"facts":{"b":"x","a":"y\n"},"sessions":[1,2]}
{"event":"sync","at":5,"since":[[1,4],[2,3]],"last":true}
{"event":"open","s":1,"t":2,"at":3,"ops":[["w",7,3]]}
{"event":"certificate","order":"commit_ts"}
{"event":"order","key":"parts/7","versions":[[1,2],[2,1]],"complete":true}
{"event":"settled","s":1,"t":2,"outcome":"committed","server_txn":"991"}
)");
}

TEST(JsonlLine, PredicateNodesBeginAlike) {
  std::string out;
  append_json_node_start(out, Predicate::Node::Between);
  append_json_node_start(out, Predicate::Node::Column, "a\"b");
  append_json_node_start(out, Predicate::Node::Compare, "<");
  append_json_node_start(out, Predicate::Node::Compare, "~");
  EXPECT_EQ(out, R"(["between"["col","a\"b"["<"["compare","~")");
}

}  // namespace
}  // namespace serval
