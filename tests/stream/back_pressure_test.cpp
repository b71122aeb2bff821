#include "serval/stream/back_pressure.h"

#include <thread>

#include <gtest/gtest.h>

namespace serval {
namespace {

// A source that shares one thread with others, and records when it is notified that there is room.
struct Polled {
  explicit Polled(BackPressure& pressure) : gate(pressure.open_source()) {
    gate->on_room([this] { ++told; });
  }
  std::shared_ptr<SourceGate> gate;
  int told = 0;
};

TEST(BackPressure, CountsWaitingBytes) {
  BackPressure pressure(100);
  const auto a = pressure.open_source(), b = pressure.open_source();
  a->enter(30);
  b->enter(20);
  EXPECT_EQ(pressure.waiting_bytes(), 50u);
  a->leave(30);
  EXPECT_EQ(pressure.waiting_bytes(), 20u);
  EXPECT_EQ(pressure.most_bytes(), 50u);
  b->enter(25);
  EXPECT_EQ(pressure.most_bytes(), 50u);
  a->enter(6);
  EXPECT_EQ(pressure.most_bytes(), 51u);
  EXPECT_EQ(pressure.blocked_times(), 0u);
  EXPECT_EQ(pressure.blocked_time(), std::chrono::nanoseconds(0));
  EXPECT_FALSE(pressure.is_blocking());
}

TEST(BackPressure, ASourceThatExceedsItsSharePauses) {
  BackPressure pressure(100);
  Polled source(pressure);
  source.gate->enter(100);
  EXPECT_FALSE(source.gate->must_pause()) << "a byte is left";
  EXPECT_FALSE(source.gate->is_paused());
  source.gate->enter(1);
  EXPECT_TRUE(source.gate->must_pause());
  EXPECT_TRUE(source.gate->is_paused());
  EXPECT_TRUE(pressure.is_blocking());
  EXPECT_EQ(pressure.blocked_times(), 1u);
  EXPECT_FALSE(source.gate->may_resume());
  source.gate->leave(101);
  EXPECT_TRUE(source.gate->may_resume());
  EXPECT_FALSE(source.gate->is_paused());
  EXPECT_FALSE(pressure.is_blocking());
  EXPECT_GT(pressure.blocked_time(), std::chrono::nanoseconds(0));
  EXPECT_EQ(pressure.blocked_times(), 1u);
}

TEST(BackPressure, WakesWhenHalfOfTheShareIsFree) {
  BackPressure pressure(100);
  Polled source(pressure);
  source.gate->enter(120);
  source.gate->leave(1);
  EXPECT_EQ(source.told, 0) << "it does not sleep";
  EXPECT_TRUE(source.gate->must_pause());
  source.gate->leave(68);
  EXPECT_EQ(source.told, 0) << "51 of 101 are left";
  source.gate->leave(1);
  EXPECT_EQ(source.told, 1);
  EXPECT_TRUE(source.gate->may_resume());
  source.gate->leave(50);
  EXPECT_EQ(source.told, 1) << "it does not sleep any more";
}

TEST(BackPressure, SourcesHaveEqualShares) {
  BackPressure pressure(100);
  Polled first(pressure);
  first.gate->enter(60);
  EXPECT_FALSE(first.gate->must_pause());
  {
    Polled second(pressure);
    EXPECT_TRUE(first.gate->must_pause()) << "51 of 101 each";
    second.gate->enter(51);
    EXPECT_TRUE(second.gate->must_pause());
    EXPECT_EQ(pressure.blocked_times(), 2u);
    second.gate->leave(51);
    EXPECT_TRUE(second.gate->may_resume());
  }
  EXPECT_TRUE(first.gate->may_resume()) << "all is its own again";
}

TEST(BackPressure, ASleepingSourceBlocksNoOther) {
  BackPressure pressure(100);
  {
    Polled source(pressure);
    source.gate->enter(200);
    EXPECT_TRUE(source.gate->must_pause());
    source.gate->leave(200);
  }
  EXPECT_FALSE(pressure.is_blocking());
}

TEST(BackPressure, TheMergeAdmitsOneBatch) {
  BackPressure pressure(100);
  Polled source(pressure);
  source.gate->enter(200);
  EXPECT_TRUE(source.gate->must_pause());
  source.gate->let_one_in();
  EXPECT_EQ(source.told, 1);
  EXPECT_TRUE(source.gate->may_resume());
  source.gate->enter(50);
  EXPECT_EQ(pressure.most_bytes(), 250u);
  EXPECT_TRUE(source.gate->must_pause()) << "one and no more";
  EXPECT_FALSE(source.gate->may_resume());
}

TEST(BackPressure, ASourceWithItsOwnThreadSleepsUntilThereIsRoom) {
  BackPressure pressure(100);
  const auto source = pressure.open_source();
  source->enter(150);
  std::atomic<bool> entered = false;
  std::thread client([&] {
    source->enter(10);
    entered = true;
  });
  while (!pressure.is_blocking()) std::this_thread::yield();
  EXPECT_FALSE(entered);
  EXPECT_EQ(pressure.waiting_bytes(), 150u);
  source->leave(100);
  client.join();
  EXPECT_TRUE(entered);
  EXPECT_FALSE(pressure.is_blocking());
  EXPECT_EQ(pressure.waiting_bytes(), 60u);
  EXPECT_EQ(pressure.blocked_times(), 1u);
  EXPECT_GT(pressure.blocked_time(), std::chrono::nanoseconds(0));
}

TEST(BackPressure, AnAdmittedThreadEntersOnce) {
  BackPressure pressure(100);
  const auto source = pressure.open_source();
  source->enter(150);
  std::thread client([&] {
    source->enter(10);
    source->enter(10);
  });
  while (pressure.blocked_times() < 1) std::this_thread::yield();
  source->let_one_in();
  while (pressure.blocked_times() < 2) std::this_thread::yield();
  EXPECT_EQ(pressure.waiting_bytes(), 160u);
  source->let_one_in();
  client.join();
  EXPECT_EQ(pressure.waiting_bytes(), 170u);
}

TEST(BackPressure, NobodySleepsOnceAbandoned) {
  BackPressure pressure(100);
  const auto source = pressure.open_source();
  Polled other(pressure);
  other.gate->enter(100);
  EXPECT_TRUE(other.gate->must_pause());
  source->enter(150);
  std::thread client([&] {
    source->enter(10);
    source->enter(1000);
  });
  while (pressure.blocked_times() < 2) std::this_thread::yield();
  pressure.abandon();
  client.join();
  EXPECT_EQ(other.told, 1);
  EXPECT_TRUE(other.gate->may_resume());
  pressure.await_news(pressure.news(), std::chrono::hours(1));
}

TEST(BackPressure, NewsEndsTheWaitOfTheMerge) {
  BackPressure pressure(100);
  const std::uint64_t seen = pressure.news();
  pressure.tell();
  EXPECT_EQ(pressure.news(), seen + 1);
  pressure.await_news(seen, std::chrono::hours(1));  // There was news before it waited.
  std::thread client([&] { pressure.tell(); });
  pressure.await_news(seen + 1, std::chrono::hours(1));
  client.join();
  EXPECT_EQ(pressure.news(), seen + 2);
  pressure.await_news(pressure.news(), std::chrono::nanoseconds(1));  // The time-out also ends the wait.
}

TEST(BackPressure, KnowsTheOldestBatchThatHasNotLeft) {
  BackPressure pressure(100);
  EXPECT_EQ(pressure.oldest_arrival(), std::nullopt);
  const auto before = BackPressure::Clock::now();
  const std::uint64_t first = pressure.arrive();
  const auto oldest = pressure.oldest_arrival();
  ASSERT_TRUE(oldest.has_value());
  EXPECT_GE(*oldest, before);
  const std::uint64_t second = pressure.arrive(), third = pressure.arrive();
  pressure.depart(second);
  EXPECT_EQ(pressure.oldest_arrival(), oldest);
  pressure.depart(first);
  EXPECT_GE(pressure.oldest_arrival(), oldest);
  const std::uint64_t fourth = pressure.arrive();
  pressure.depart(fourth);
  EXPECT_TRUE(pressure.oldest_arrival().has_value()) << "the third is still there";
  pressure.depart(third);
  EXPECT_EQ(pressure.oldest_arrival(), std::nullopt);
  pressure.depart(pressure.arrive());
  EXPECT_EQ(pressure.oldest_arrival(), std::nullopt);
}

}  // namespace
}  // namespace serval
