#include "serval/watch/live_check.h"

#include <fstream>
#include <functional>
#include <thread>

#include <fmt/format.h>

#include "watch/temporary_folder.h"

namespace serval::watch {
namespace {

constexpr std::uint64_t kMuchMemory = std::uint64_t{1} << 30;
const std::string kStart = R"({"serval":"history","version":1,"initial":0})"
                           "\n"
                           R"({"event":"sync","at":0})"
                           "\n";
const std::string kSynced = R"({"event":"sync","at":1})"
                            "\n";

// A recording that grows while a live check follows it.
class LiveChecking : public WithFolder {
 protected:
  LiveChecking() : path_(file("run.jsonl", kStart)) {}

  void append(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }
  std::string transaction(const std::string& operations, const char* outcome = "committed") {
    ++last_;
    return fmt::format(R"({{"s":{},"t":{},"ops":[{}],"begin":{},"end":{},"outcome":"{}"}})"
                       "\n",
                       last_ % 3, last_, operations, 10 * last_, 10 * last_ + 5, outcome);
  }
  std::string update(int from, int to) {
    return transaction(fmt::format(R"(["r","x",{}],["w","x",{}])", from, to));
  }
  // The state once the condition holds, or the last state after a time-out.
  static LiveState await(const LiveCheck& live, const std::function<bool(const LiveState&)>& is_so) {
    LiveState state = live.state();
    for (int i = 0; i < 2000 && !is_so(state) && state.ended.empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      state = live.state();
    }
    EXPECT_TRUE(is_so(state)) << spelled(state, LiveState::Clock::now());
    EXPECT_EQ(state.ended, "");
    return state;
  }
  static LiveState await_count(const LiveCheck& live, std::uint64_t count) {
    return await(live, [count](const LiveState& state) { return state.transactions == count; });
  }

  std::string path_;
  int last_ = 0;
};

TEST_F(LiveChecking, FollowsTheRecording) {
  LiveCheck live(path_, Level::Serializable, kMuchMemory, LiveCheck::Pace::Eager);
  for (int i = 0; i < 5; ++i) {
    append(update(i, i + 1) + kSynced);
    const LiveState state = await_count(live, static_cast<std::uint64_t>(i) + 1);
    EXPECT_TRUE(state.decided);
    EXPECT_FALSE(state.violated());
  }
  const std::string line = update(0, 9);
  append(line.substr(0, 30));  // Half a line has no effect.
  const std::uint64_t checks = live.state().checks;
  await(live, [checks](const LiveState& state) { return state.checks > checks + 1; });
  EXPECT_FALSE(live.state().violated());
  append(line.substr(30) + kSynced);
  const LiveState state = await(live, [](const LiveState& now) { return now.violated(); });
  EXPECT_TRUE(state.anomalies.contains(AnomalyKind::LostUpdate));
  EXPECT_EQ(state.transactions, 6u);
}

TEST_F(LiveChecking, ReadsFromRunningTransactionsAreExaminedLater) {
  LiveCheck live(path_, Level::ReadCommitted, kMuchMemory, LiveCheck::Pace::Eager);
  append(R"({"event":"open","s":7,"t":99,"at":1,"ops":[["w","x",1]]})"
         "\n" +
         transaction(R"(["r","x",0])") + transaction(R"(["r","x",1])") + kSynced);
  EXPECT_FALSE(await_count(live, 1).violated());
  append(R"({"s":7,"t":99,"ops":[["w","x",1]],"begin":1,"end":50,"outcome":"aborted"})"
         "\n" +
         kSynced);
  const LiveState state = await(live, [](const LiveState& now) { return now.violated(); });
  EXPECT_TRUE(state.anomalies.contains(AnomalyKind::AbortedRead));
}

// Two writes without a read: the whole history is checked again each time the file has grown enough.
TEST_F(LiveChecking, ChecksTheWholeHistoryWhereTheScreenGivesUp) {
  LiveCheck live(path_, Level::Serializable, kMuchMemory, LiveCheck::Pace::Eager);
  append(transaction(R"(["w","x",1])") + transaction(R"(["w","x",2])") + kSynced);
  EXPECT_TRUE(await_count(live, 2).decided);
  for (int i = 0; i < 20; ++i) append(transaction(R"(["r","y",0])") + kSynced);
  EXPECT_FALSE(await_count(live, 22).violated());
  append(transaction(R"(["r","z",0],["w","z",1])") + transaction(R"(["r","z",0],["w","z",2])") + kSynced);
  for (int i = 0; i < 40; ++i) append(transaction(R"(["r","y",0])") + kSynced);
  await(live, [](const LiveState& state) { return state.violated(); });
}

// A long fork violates snapshot isolation, which the screen follows, but not the requested level.
TEST_F(LiveChecking, AnUnconfirmedSuspicionIsNotAViolation) {
  LiveCheck live(path_, Level::ConsistentView, kMuchMemory, LiveCheck::Pace::Eager);
  append(transaction(R"(["w","x",1])") + transaction(R"(["w","y",1])") +
         transaction(R"(["r","x",1],["r","y",0])") + transaction(R"(["r","x",0],["r","y",1])") + kSynced);
  const LiveState state = await_count(live, 4);
  EXPECT_TRUE(state.decided);
  EXPECT_FALSE(state.violated());
}

TEST_F(LiveChecking, SaysWhyItEnded) {
  append("{\"s\":]\n" + kSynced);
  LiveCheck live(path_, Level::Serializable, kMuchMemory, LiveCheck::Pace::Eager);
  while (live.state().ended.empty()) std::this_thread::yield();
  EXPECT_NE(live.state().ended.find("run.jsonl:3"), std::string::npos) << live.state().ended;
}

}  // namespace
}  // namespace serval::watch
