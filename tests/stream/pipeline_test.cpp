#include "serval/stream/pipeline.h"

#include <algorithm>
#include <map>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "serval/base/error.h"
#include "stream/fed_pipeline.h"

namespace serval {
namespace {

using Progress = Pipeline::Progress;

// Begin, client, and number within the client: records sort into the only order that Theorem 1 allows.
struct Arrival {
  Time begin;
  std::uint32_t client;
  std::uint64_t number;
  auto operator<=>(const Arrival&) const = default;
};

std::vector<Arrival> arrivals(const std::vector<Record>& records) {
  std::vector<Arrival> out;
  for (const Record& record : records) out.push_back({record.time.begin, record.session, record.transaction});
  return out;
}

// Theorem 1, for clients that push, flush and promise in any order, with dispatches at any moment.
RC_GTEST_PROP(Pipeline, RecordsLeaveInOrderOfTheirBegin, ()) {
  const auto clients = *rc::gen::inRange(1, 8);
  const auto batch = *rc::gen::inRange<std::size_t>(1, 6);
  Pipeline pipeline({.batch_records = batch});
  std::vector<ClientFeed*> feeds;
  std::vector<Time> clocks(static_cast<std::size_t>(clients), 0);
  std::vector<Arrival> expected;
  std::vector<Record> got;
  for (int i = 0; i < clients; ++i) feeds.push_back(pipeline.open_client("c" + std::to_string(i)).get());
  const auto collect = [&](std::span<const Record> run) { got.insert(got.end(), run.begin(), run.end()); };
  const auto steps = *rc::gen::container<std::vector<std::tuple<int, int, int>>>(
      rc::gen::tuple(rc::gen::inRange(0, clients), rc::gen::inRange(0, 6), rc::gen::inRange(0, 10)));
  for (const auto& [client, step, span] : steps) {
    const auto index = static_cast<std::size_t>(client);
    Time& clock = clocks[index];
    clock += span;
    if (step <= 2) {
      expected.push_back({clock, static_cast<std::uint32_t>(client), expected.size()});
      put(*feeds[index], clock, expected.back().number);
    } else if (step == 3) {
      feeds[index]->flush();
    } else if (step == 4) {
      feeds[index]->promise(clock);
    } else {
      pipeline.dispatch(collect, static_cast<std::uint64_t>(span) + 1);
    }
  }
  for (ClientFeed* feed : feeds) feed->close();
  pipeline.no_more_clients();
  while (pipeline.dispatch(collect) != Progress::Done) {
  }
  std::ranges::sort(expected);
  RC_ASSERT(arrivals(got) == expected);
  RC_ASSERT(pipeline.status().waiting_bytes == 0u);
}

class ThreadedClients : public testing::TestWithParam<std::size_t> {};

TEST_P(ThreadedClients, ProduceOneOrderWithinTheMemoryLimit) {
  constexpr std::uint32_t kClients = 6;
  constexpr Time kRecords = 20'000;
  const std::size_t limit = GetParam();
  Pipeline pipeline({.batch_records = 64, .memory_limit = limit, .idle_after = std::chrono::hours(1)});
  std::vector<ClientFeed*> feeds;
  for (std::uint32_t i = 0; i < kClients; ++i)
    feeds.push_back(pipeline.open_client("c" + std::to_string(i)).get());
  pipeline.no_more_clients();
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kClients; ++i)
    threads.emplace_back([feed = feeds[i], i] {
      for (Time t = 0; t < kRecords; ++t) put(*feed, t * (1 + i), static_cast<std::uint64_t>(t));
      feed->close();
    });
  std::vector<Arrival> got;
  const auto collect = [&](std::span<const Record> run) {
    for (const Record& record : run) got.push_back({record.time.begin, record.session, record.transaction});
  };
  for (Progress progress = Progress::Moved; progress != Progress::Done;) {
    progress = pipeline.dispatch(collect, 1000);
    if (progress == Progress::Waiting) pipeline.wait(std::chrono::seconds(1));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(got.size(), kClients * kRecords);
  EXPECT_TRUE(std::ranges::is_sorted(got));
  EXPECT_LE(pipeline.status().most_bytes, limit + 2 * kClients * (64 * sizeof(Record) + 4096));
}
INSTANTIATE_TEST_SUITE_P(Limits, ThreadedClients, testing::Values(std::size_t{1}, 20'000, 1 << 20));

TEST(Pipeline, AClientWithoutNewsHoldsOthersBackUntilItPromises) {
  Pipeline pipeline({.idle_after = std::chrono::hours(1)});
  ClientFeed& busy = *pipeline.open_client("busy");
  ClientFeed& quiet = *pipeline.open_client("quiet");
  put(busy, 10);
  put(busy, 20);
  busy.flush();
  EXPECT_TRUE(dispatched(pipeline).empty());
  EXPECT_EQ(pipeline.status().held_back_by, "quiet");
  quiet.promise(15);
  EXPECT_EQ(ticks(dispatched(pipeline)), (std::vector<Tick>{{10, 0}}));
  quiet.close();
  EXPECT_EQ(ticks(dispatched(pipeline)), (std::vector<Tick>{{20, 0}}));
}

// A stream that learns of its sessions from their first records: a client without records promises on
// behalf of the unknown ones. Steps happen between dispatches and during them.
RC_GTEST_PROP(Pipeline, ClientsThatArriveDuringADispatchHaveTheirTurn, ()) {
  const auto drawn = *rc::gen::container<std::vector<std::tuple<int, int, bool, bool>>>(
      rc::gen::tuple(rc::gen::inRange(0, 5), rc::gen::inRange(0, 4), rc::gen::arbitrary<bool>(),
                     rc::gen::arbitrary<bool>()));
  Pipeline pipeline({.batch_records = 2});
  ClientFeed& unknown = *pipeline.open_client("unknown");
  std::map<int, ClientFeed*> known;
  std::vector<Record> got;
  std::vector<Arrival> expected;
  std::size_t done = 0;
  Time now = 1;
  const auto take_step = [&] {
    if (done == drawn.size()) return;
    const auto& [client, after, flushes, dispatches] = drawn[done++];
    now += after;
    auto [found, fresh] = known.try_emplace(client);
    if (fresh) found->second = pipeline.open_client("c" + std::to_string(client)).get();
    ClientFeed& feed = *found->second;
    expected.push_back({now, feed.number(), expected.size()});
    put(feed, now, expected.back().number);
    if (flushes) feed.promise(now);
    unknown.promise(now);
  };
  const auto sink = [&](std::span<const Record> run) {
    got.insert(got.end(), run.begin(), run.end());
    take_step();
  };
  while (done < drawn.size()) {
    const bool dispatches = std::get<3>(drawn[done]);
    take_step();
    if (dispatches) pipeline.dispatch(sink);
  }
  for (const auto& [client, feed] : known) feed->close();
  unknown.close();
  pipeline.no_more_clients();
  while (pipeline.dispatch(sink) != Progress::Done) {
  }
  std::ranges::sort(expected);
  RC_ASSERT(arrivals(got) == expected);
}

// As a stream does for a session that it did not know: it opens a client, fills it, and only then
// promises on behalf of the unknown sessions. Both happen within one dispatch.
TEST(Pipeline, AClientOpenedDuringADispatchHasItsTurnBeforeThePromiseThatReliesOnIt) {
  Pipeline pipeline({});
  ClientFeed& unknown = *pipeline.open_client("unknown");
  ClientFeed& known = *pipeline.open_client("known");
  unknown.promise(11);
  put(known, 10);
  put(known, 50);
  known.promise(500);
  std::vector<Record> all;
  const auto open_another = [&](std::span<const Record> run) {
    if (all.empty()) {
      ClientFeed& late = *pipeline.open_client("late");
      put(late, 11);
      late.promise(400);
      unknown.promise(500);
    }
    all.insert(all.end(), run.begin(), run.end());
  };
  while (pipeline.dispatch(open_another) == Progress::Moved) {
  }
  EXPECT_EQ(ticks(all), (std::vector<Tick>{{10, 1}, {11, 2}, {50, 1}}));
  EXPECT_EQ(pipeline.watermark(), 400);
}

TEST(Pipeline, ASilentClientIsIdleAndNamed) {
  Pipeline pipeline({.idle_after = std::chrono::seconds(0)});
  ClientFeed& busy = *pipeline.open_client("busy");
  ClientFeed& silent = *pipeline.open_client("silent");
  put(busy, 10);
  busy.flush();
  EXPECT_EQ(ticks(dispatched(pipeline)), (std::vector<Tick>{{10, 0}}));
  EXPECT_EQ(pipeline.status().idle, std::vector<std::string>{"silent"});
  put(silent, 12);  // Still in time.
  silent.close();
  put(busy, 30);
  busy.close();
  EXPECT_EQ(ticks(dispatched(pipeline)), (std::vector<Tick>{{12, 1}, {30, 0}}));
  EXPECT_TRUE(pipeline.status().idle.empty());
}

// For a client that is too late, only its possible writes are passed on, at the time already reached.
void put_transaction(ClientFeed& feed, Time begin, std::uint64_t number) {
  const auto add = [&](RecordKind kind, OperationKind operation, Time at) {
    Record& record = feed.batch().add();
    record.kind = kind;
    record.operation = operation;
    record.time = {at, at + 1};
    record.transaction = number;
  };
  add(RecordKind::Begin, OperationKind::Read, begin);
  add(RecordKind::Operation, OperationKind::Read, begin + 1);
  add(RecordKind::Operation, OperationKind::Write, begin + 2);
  add(RecordKind::Commit, OperationKind::Read, begin + 3);
  feed.flush();
}

TEST(Pipeline, OnlyTheWritesOfALateTransactionAreKept) {
  Pipeline pipeline({.idle_after = std::chrono::seconds(0)});
  ClientFeed& busy = *pipeline.open_client("busy");
  ClientFeed& silent = *pipeline.open_client("silent");
  put(busy, 10);
  busy.flush();
  EXPECT_EQ(dispatched(pipeline).size(), 1u);
  EXPECT_EQ(pipeline.idle_since(), kUnknownBegin);
  put_transaction(silent, 8, 7);   // Its last records would be in time.
  put_transaction(silent, 20, 9);  // So is this one.
  put(busy, 30);
  busy.close();
  silent.close();
  const std::vector<Record> got = dispatched(pipeline);
  ASSERT_EQ(got.size(), 3u + 4u + 1u);
  EXPECT_EQ(got[0].kind, RecordKind::Begin);
  EXPECT_EQ(got[1].operation, OperationKind::Write);
  EXPECT_EQ(got[1].time, (Interval{10, kUnknownEnd}));
  EXPECT_EQ(got[2].kind, RecordKind::Indeterminate);
  EXPECT_EQ(got[2].time.begin, 11);
  EXPECT_EQ(got[6].kind, RecordKind::Commit);
  EXPECT_EQ(got[6].transaction, 9u);
  EXPECT_EQ(pipeline.late().since, 8);
  EXPECT_EQ(pipeline.late().until, 10);
  EXPECT_EQ(pipeline.status().late, std::vector<std::string>{"silent"});
  EXPECT_EQ(pipeline.status().late_transactions, 1u);
  EXPECT_EQ(pipeline.status().waiting_bytes, 0u);
  EXPECT_EQ(pipeline.idle_since(), kUnknownEnd);
}

TEST(Pipeline, RecordsEarlierThanAPromiseToTheVerifierAreLate) {
  Pipeline pipeline({});
  ClientFeed& first = *pipeline.open_client("first");
  put(first, 10);
  first.promise(50);
  EXPECT_EQ(dispatched(pipeline).size(), 1u);
  EXPECT_EQ(pipeline.watermark(), 50);
  pipeline.promise(pipeline.watermark());
  ClientFeed& second = *pipeline.open_client("second");
  put_transaction(second, 40, 7);
  second.close();
  first.promise(60);
  const std::vector<Record> got = dispatched(pipeline);
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].time.begin, 50);
}

TEST(Pipeline, AClockThatRunsBackwardsIsRefusedWithTheNameOfItsClient) {
  Pipeline pipeline({});
  ClientFeed& feed = *pipeline.open_client("node 3");
  put(feed, 100);
  put(feed, 99);
  try {
    feed.flush();
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "node 3: the clock of this client ran backwards by 1 ns, from 100 to 99");
  }
}

TEST(Pipeline, AClockErrorWidensIntervalsAndKeepsProgramOrder) {
  Pipeline pipeline({.clock_error = 10});
  ClientFeed& feed = *pipeline.open_client("node 3");
  put(feed, 100);
  put(feed, 95);  // In fact not earlier than the previous one, which began at 90 or later.
  put(feed, 120);
  feed.close();
  const std::vector<Record> records = dispatched(pipeline);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].time, (Interval{90, 115}));
  EXPECT_EQ(records[1].time, (Interval{90, 110}));
  EXPECT_EQ(records[2].time, (Interval{110, 135}));
}

TEST(Pipeline, MoreThanTwiceTheClockErrorIsRefused) {
  Pipeline pipeline({.clock_error = 10});
  ClientFeed& feed = *pipeline.open_client("node 3");
  put(feed, 100);
  put(feed, 80);
  EXPECT_NO_THROW(feed.flush());
  put(feed, 79);
  EXPECT_THROW(feed.flush(), InputError);
}

TEST(Pipeline, AnEndBeforeItsBeginIsRefused) {
  Pipeline pipeline({.clock_error = 10});
  ClientFeed& feed = *pipeline.open_client("node 3");
  feed.batch().add().time = {100, 80};
  EXPECT_NO_THROW(feed.flush());
  feed.batch().add().time = {100, 79};
  try {
    feed.flush();
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "node 3: the clock of this client ran backwards by 21 ns, from 100 to 79");
  }
}

}  // namespace
}  // namespace serval
