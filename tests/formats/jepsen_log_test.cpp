// Jepsen operations as they were recorded, for models of workloads that are not transactions over keys.

#include "serval/formats/jepsen/jepsen_log.h"

#include <gtest/gtest.h>

#include "serval/base/error.h"

namespace serval {
namespace {

ClientLog log_of(std::string text) {
  ByteStream stream = ByteStream::from_memory("input", std::move(text));
  return read_jepsen_log(stream);
}

std::string log_error(std::string text) {
  try {
    log_of(std::move(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ClientLog, EverySpellingGivesTheSameEntries) {
  const std::vector<std::string> spellings{
      "{:index 4 :type :ok :process 1 :f :read :value {0 97, 1 3} :time 8 :error [:x]}",
      "[{\"index\":4,\"type\":\"ok\",\"process\":1,\"f\":\"read\",\"value\":{\"0\":97,\"1\":3},\"time\":8}]",
      "{\"index\":4,\"type\":\"ok\",\"process\":1,\"f\":\"read\",\"value\":{\"0\":97,\"1\":3},\"time\":8}\n",
      "1\t:ok\t:read\t{0 97, 1 3}\toh no\n"};
  for (const std::string& text : spellings) {
    SCOPED_TRACE(text);
    const ClientLog log = log_of(text);
    ASSERT_EQ(log.entries.size(), 1u);
    const ClientEntry& entry = log.entries[0];
    EXPECT_EQ(entry.type, EntryType::Ok);
    EXPECT_EQ(entry.process, Value::integer(1));
    EXPECT_TRUE(log.is_client(entry));
    EXPECT_EQ(entry.f, "read");
    ASSERT_EQ(entry.value.shape, FormShape::Map);
    ASSERT_EQ(entry.value.parts.size(), 4u);
    EXPECT_EQ(entry.value.parts[1].scalar, Value::integer(97));
  }
}

TEST(ClientLog, AMapHasEveryKeyOnce) {
  EXPECT_EQ(log_error("{:type :ok :process 1 :f :read :value {:x 1 y 2 \"x\" 3}}"),
            "input:1:39: a key comes twice in this map");
  EXPECT_EQ(log_error("[{\"type\":\"ok\",\"process\":1,\"f\":\"read\",\"value\":{\"0\":97,\"0\":3}}]"),
            "input:1:46: a key comes twice in this map");
  EXPECT_EQ(log_error("{:type :ok :process 1 :f :read :value [{:x 1} {:x 1}]}"), "no error");
}

TEST(ClientLog, ErrorAndTimeAreKept) {
  const ClientLog log = log_of("{:type :fail :process 0 :f :add :value 3 :time 17 :error [:duplicate 3]}");
  EXPECT_EQ(log.entries[0].error, "[:duplicate 3]");
  EXPECT_EQ(log.entries[0].time, 17);
  EXPECT_EQ(log_of("1\t:info\t:add\t3\tno route to host\n").entries[0].error, "no route to host");
}

TEST(ClientLog, TreesKeepShapesAndOrder) {
  ClientLog log = log_of("{:type :ok :process 0 :f :read :value [#{1 2} [:r :x nil] {:a {\"b\" [3.5]}}]}");
  const FormValue& value = log.entries[0].value;
  ASSERT_EQ(value.parts.size(), 3u);
  EXPECT_EQ(value.parts[0].shape, FormShape::Set);
  EXPECT_EQ(value.parts[0].parts.size(), 2u);
  EXPECT_TRUE(value.parts[1].parts[2].is_nil());
  const FormValue* inner = value.parts[2].find(log.values.text("a"));
  ASSERT_NE(inner, nullptr);
  EXPECT_EQ(inner->shape, FormShape::Map);
  EXPECT_EQ(value.parts[2].find(log.values.text("z")), nullptr);
}

TEST(ClientLog, EntriesWithoutAnIndexUseTheirPosition) {
  const ClientLog log = log_of("{:type :invoke :process 0 :f :add}{:type :info :process :nemesis :f :kill}");
  EXPECT_EQ(log.entries[1].index, 1);
  EXPECT_TRUE(log.entries[0].value.is_nil());
  EXPECT_FALSE(log.is_client(log.entries[1]));
}

TEST(ClientLog, InvalidFilesAreRefusedWithAPosition) {
  EXPECT_EQ(log_error("{:type :done :process 0}"), "input:1:8: expected one of :invoke, :ok, :fail, :info");
  EXPECT_EQ(log_error("r(1,2,3,4)\n"), "input: this is polysi, which contains no Jepsen operations");
  std::string deep = "{:type :ok :process 0 :value ";
  deep += std::string(10'000, '[');
  EXPECT_NE(log_error(deep + std::string(10'000, ']') + "}").find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace serval
