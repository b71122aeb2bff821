// Clients of a pipeline that come, fall silent, leave, or send more than fits into memory.

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "serval/stream/pipeline.h"
#include "stream/fed_pipeline.h"

namespace serval {
namespace {

TEST(Pipeline, ClientsAreFreedOnceTheyAreClosedAndEmpty) {
  Pipeline pipeline({.idle_after = std::chrono::hours(1)});
  ClientFeed& silent = *pipeline.open_client("silent");  // Others wait for it, but are freed nevertheless.
  std::weak_ptr<ClientFeed> feed;
  std::weak_ptr<SourceGate> gate;
  {
    const std::shared_ptr<SourceGate> source = pipeline.open_source();
    const std::shared_ptr<ClientFeed> client =
        pipeline.open_client("short", source, ClientFeed::Role::Herald);
    pipeline.dispatch([](std::span<const Record>) {});
    client->close();
    feed = client;
    gate = source;
  }
  EXPECT_FALSE(feed.expired());
  pipeline.dispatch([](std::span<const Record>) {});
  EXPECT_TRUE(feed.expired());
  EXPECT_TRUE(gate.expired());
  EXPECT_EQ(pipeline.status().open_clients, 1u);
  silent.close();
}

// This would take long if every arrival and departure rebuilt everything.
TEST(Pipeline, ManyClientsComeAndGo) {
  constexpr Time kClients = 30'000;
  Pipeline pipeline({});
  const std::shared_ptr<SourceGate> source = pipeline.open_source();
  const std::shared_ptr<ClientFeed> herald = pipeline.open_client("herald", source, ClientFeed::Role::Herald);
  std::vector<std::shared_ptr<ClientFeed>> feeds;
  std::size_t got = 0;
  const auto count = [&](std::span<const Record> run) { got += run.size(); };
  for (Time t = 0; t < kClients; ++t) {
    feeds.push_back(pipeline.open_client("client", source));
    put(*feeds.back(), t);
    feeds.back()->promise(kClients);
    herald->promise(t);
    pipeline.dispatch(count);
  }
  for (const std::shared_ptr<ClientFeed>& feed : feeds) {
    feed->close();
    pipeline.dispatch(count);
  }
  herald->close();
  pipeline.no_more_clients();
  EXPECT_EQ(pipeline.dispatch(count), Pipeline::Progress::Done);
  EXPECT_EQ(got, static_cast<std::size_t>(kClients));
  EXPECT_EQ(pipeline.status().open_clients, 0u);
}

// A source that polls for news itself: its own polls decide which clients are silent. Once several
// newcomers have let the time pass, the pipeline no longer waits for newcomers.
TEST(Pipeline, NewcomersAreNotAwaitedAfterSeveralWereTooSlow) {
  using Clock = std::chrono::steady_clock;
  Pipeline pipeline({.idle_after = std::chrono::hours(1)});
  std::atomic<Clock::rep> looked = Clock::now().time_since_epoch().count();
  std::vector<std::shared_ptr<ClientFeed>> strangers;
  const auto let_stranger_in = [&] {
    const std::shared_ptr<SourceGate> source = pipeline.open_source();
    source->observe(looked);
    strangers.push_back(pipeline.open_client("stranger", source, ClientFeed::Role::Herald));
  };
  ClientFeed& busy = *pipeline.open_client("busy");
  for (int i = 0; i < 3; ++i) let_stranger_in();
  put(busy, 10);
  busy.flush();
  EXPECT_TRUE(dispatched(pipeline).empty());
  looked = (Clock::now() + std::chrono::hours(2)).time_since_epoch().count();
  EXPECT_EQ(dispatched(pipeline).size(), 1u);
  EXPECT_EQ(pipeline.idle_since(), kUnknownEnd);  // They do not participate.
  looked = Clock::now().time_since_epoch().count();
  let_stranger_in();
  put(busy, 20);
  busy.flush();
  EXPECT_EQ(dispatched(pipeline).size(), 1u);
  EXPECT_EQ(pipeline.status().idle_clients, 4u);
  strangers.front()->take_part();
  EXPECT_EQ(pipeline.idle_since(), kUnknownBegin);
}

// None of them stays for long, but there is always another one.
TEST(Pipeline, SuccessiveNewcomersDoNotHoldOthersBackForever) {
  using Clock = std::chrono::steady_clock;
  Pipeline pipeline({.idle_after = std::chrono::milliseconds(20)});
  std::atomic<Clock::rep> looked = Clock::now().time_since_epoch().count();
  ClientFeed& busy = *pipeline.open_client("busy");
  put(busy, 10);
  busy.flush();
  std::shared_ptr<ClientFeed> stranger;
  std::size_t got = 0;
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(60);
  while (got == 0 && Clock::now() < deadline) {
    const std::shared_ptr<SourceGate> source = pipeline.open_source();
    source->observe(looked);
    const auto next = pipeline.open_client("stranger", source, ClientFeed::Role::Herald);
    if (stranger) stranger->close();
    stranger = next;
    looked = Clock::now().time_since_epoch().count();
    got += dispatched(pipeline).size();
  }
  EXPECT_EQ(got, 1u);
}

TEST(Pipeline, ASourceThatMayNotSleepIsNotifiedToPauseAndToResume) {
  Pipeline pipeline({.batch_records = 1, .memory_limit = sizeof(Record)});
  const std::shared_ptr<SourceGate> source = pipeline.open_source();
  int told = 0;
  source->on_room([&] { ++told; });
  ClientFeed& feed = *pipeline.open_client("fast", source);
  ClientFeed& other = *pipeline.open_client("other");
  other.promise(0);
  EXPECT_FALSE(source->must_pause());
  for (Time t = 1; t < 4; ++t) put(feed, t);  // Does not wait.
  EXPECT_TRUE(source->must_pause());
  EXPECT_TRUE(pipeline.status().is_blocking);
  EXPECT_FALSE(source->may_resume());
  other.close();
  EXPECT_EQ(dispatched(pipeline).size(), 3u);
  EXPECT_GT(told, 0);
  EXPECT_TRUE(source->may_resume());
  EXPECT_FALSE(pipeline.status().is_blocking);
  EXPECT_FALSE(pipeline.status().oldest_arrival);
}

TEST(Pipeline, OldestArrivalIsThatOfTheOldestBatchThatHasNotLeft) {
  Pipeline pipeline({.idle_after = std::chrono::hours(1)});
  ClientFeed& busy = *pipeline.open_client("busy");
  ClientFeed& quiet = *pipeline.open_client("quiet");
  put(busy, 10);
  busy.flush();
  const auto first = pipeline.status().oldest_arrival;
  ASSERT_TRUE(first);
  put(busy, 20);
  busy.flush();
  EXPECT_EQ(pipeline.status().oldest_arrival, first);
  quiet.promise(15);
  EXPECT_EQ(dispatched(pipeline).size(), 1u);
  ASSERT_TRUE(pipeline.status().oldest_arrival);
  EXPECT_GT(*pipeline.status().oldest_arrival, *first);
  quiet.close();
  EXPECT_EQ(dispatched(pipeline).size(), 1u);
  EXPECT_FALSE(pipeline.status().oldest_arrival);
}

TEST(Pipeline, AClientIsIdleOnceTooMuchWaitsForIt) {
  Pipeline pipeline({.batch_records = 10, .memory_limit = 1000, .idle_after = std::chrono::hours(1)});
  const std::shared_ptr<SourceGate> source = pipeline.open_source();
  ClientFeed& busy = *pipeline.open_client("busy", source);
  pipeline.open_client("silent", source);
  std::size_t got = 0;
  for (Time t = 0; t < 100; ++t) {
    if (t % 10 == 0) got += dispatched(pipeline).size();  // Otherwise the next batch would block.
    put(busy, t);
  }
  EXPECT_EQ(got + dispatched(pipeline).size(), 100u);
  EXPECT_GT(pipeline.status().most_bytes, 1000u);
  EXPECT_EQ(pipeline.status().idle, std::vector<std::string>{"silent"});
}

TEST(Pipeline, AFullBufferBlocksAClientAndIsReported) {
  Pipeline pipeline({.batch_records = 1, .memory_limit = sizeof(Record)});
  ClientFeed& feed = *pipeline.open_client("fast");
  std::atomic<int> sent = 0;
  std::thread client([&] {
    for (Time t = 0; t < 4; ++t, ++sent) put(feed, t);
    feed.close();
  });
  while (!pipeline.status().is_blocking) std::this_thread::yield();
  EXPECT_LT(sent, 3);
  pipeline.no_more_clients();
  std::size_t got = 0;
  for (Pipeline::Progress progress = Pipeline::Progress::Moved; progress != Pipeline::Progress::Done;) {
    progress = pipeline.dispatch([&](std::span<const Record> run) { got += run.size(); });
    if (progress == Pipeline::Progress::Waiting) pipeline.wait(std::chrono::seconds(1));
  }
  client.join();
  EXPECT_EQ(got, 4u);
  EXPECT_GE(pipeline.status().blocked_times, 1u);
  EXPECT_GT(pipeline.status().blocked_time, std::chrono::nanoseconds(0));
}

TEST(Pipeline, NoClientBlocksOnceThePipelineIsAbandoned) {
  Pipeline pipeline({.batch_records = 1, .memory_limit = 1});
  ClientFeed& feed = *pipeline.open_client("fast");
  std::thread client([&] {
    for (Time t = 0; t < 100; ++t) put(feed, t);
  });
  pipeline.abandon();
  client.join();
  EXPECT_GE(pipeline.status().most_bytes, 100 * sizeof(Record));
}

}  // namespace
}  // namespace serval
