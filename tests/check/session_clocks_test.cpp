#include "serval/check/saturation/session_clocks.h"

#include <gtest/gtest.h>

#include "serval/base/random.h"
#include "serval/history/history_builder.h"

namespace serval {
namespace {

History with_sessions(const std::vector<std::uint32_t>& lengths) {
  HistoryBuilder builder;
  for (std::uint32_t s = 0; s < lengths.size(); ++s)
    for (std::uint32_t i = 0; i < lengths[s]; ++i)
      builder.begin_transaction(builder.session(Value::integer(s)), Value::integer(i));
  return std::move(builder).freeze();
}

// The number of sessions, and the length of the longest. Plain rows are the reference.
class ManyClocks : public testing::TestWithParam<std::pair<std::uint32_t, std::uint32_t>> {};

TEST_P(ManyClocks, AgreeWithPlainRows) {
  const auto [sessions, longest] = GetParam();
  Random random(sessions * 1000 + longest);
  std::vector<std::uint32_t> lengths(sessions);
  for (std::uint32_t& length : lengths) length = 1 + static_cast<std::uint32_t>(random.below(longest));
  const History history = with_sessions(lengths);
  SessionClocks clocks(history);
  std::vector<std::pair<SessionClocks::Clock, std::vector<std::uint32_t>>> live;
  live.emplace_back(clocks.make(), std::vector<std::uint32_t>(sessions, 0));
  const auto any = [&]() -> auto& { return live[random.below(live.size())]; };
  for (int i = 0; i < 3000; ++i) {
    switch (random.below(6)) {
      case 0:
        if (live.size() < 20) live.emplace_back(clocks.make(), std::vector<std::uint32_t>(sessions, 0));
        break;
      case 1:
        if (live.size() < 20) {
          const auto& one = any();
          std::pair made{clocks.copy(one.first), one.second};
          live.push_back(std::move(made));
        }
        break;
      case 2:
        if (live.size() > 1) {
          std::swap(any(), live.back());
          clocks.release(live.back().first);
          live.pop_back();
        }
        break;
      case 3: {
        auto& into = any();
        const auto& from = any();
        clocks.join(into.first, from.first);
        for (std::uint32_t s = 0; s < sessions; ++s)
          into.second[s] = std::max(into.second[s], from.second[s]);
        break;
      }
      default: {
        auto& one = any();
        const auto s = static_cast<std::uint32_t>(random.below(sessions));
        const auto count = 1 + static_cast<std::uint32_t>(random.below(lengths[s]));
        clocks.advance(one.first, SessionId{s}, count);
        one.second[s] = std::max(one.second[s], count);
      }
    }
    if (i % 50 != 0) continue;
    const auto& one = any();
    const auto& other = any();
    std::vector<bool> may_differ(sessions, false);
    std::uint32_t next = 0;
    clocks.for_each_difference(one.first, other.first, [&](SessionId begin, SessionId end) {
      ASSERT_LE(next, begin.index);
      ASSERT_LT(begin.index, end.index);
      next = end.index;
      for (std::uint32_t s = begin.index; s < end.index; ++s) may_differ[s] = true;
    });
    for (std::uint32_t s = 0; s < sessions; ++s) {
      ASSERT_EQ(clocks.seen(one.first, SessionId{s}), one.second[s]);
      ASSERT_TRUE(may_differ[s] || one.second[s] == other.second[s]) << s;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ManyClocks,
                         testing::Values(std::pair(1u, 1u), std::pair(3u, 200u), std::pair(200u, 1u),
                                         std::pair(200u, 100u), std::pair(9000u, 1u), std::pair(5000u, 3u),
                                         std::pair(300u, 40u)));

TEST(SessionClocks, AClockThatExtendsAnotherDiffersOnlyLocally) {
  const History history = with_sessions(std::vector<std::uint32_t>(100'000, 1));
  SessionClocks clocks(history);
  const SessionClocks::Clock first = clocks.make();
  for (std::uint32_t s = 0; s < 100'000; s += 10) clocks.advance(first, SessionId{s}, 1);
  const SessionClocks::Clock second = clocks.copy(first);
  clocks.advance(second, SessionId{55'555}, 1);
  std::uint32_t looked_at = 0;
  clocks.for_each_difference(first, second, [&](SessionId begin, SessionId end) {
    EXPECT_LE(begin.index, 55'555u);
    EXPECT_GT(end.index, 55'555u);
    looked_at += end.index - begin.index;
  });
  EXPECT_GT(looked_at, 0u);
  EXPECT_LE(looked_at, 5000u);
}

}  // namespace
}  // namespace serval
