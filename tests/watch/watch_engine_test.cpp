#include "serval/watch/watch_engine.h"

#include <thread>

#include "serval/base/error.h"
#include "serval/watch/live_check.h"
#include "serval/watch/run_mirror.h"
#include "serval/watch/watch_sources.h"
#include "watch/temporary_folder.h"

namespace serval::watch {
namespace {

const online::ProfileChoice kSnapshots{.name = "postgres:repeatable-read"};

// What a watch of one file reports, one line per finding: how certain it is, and what it is.
class Watching : public WithFolder {
 protected:
  std::vector<std::string> findings_of(const std::string& name, const WatchSetting& setting) {
    std::vector<std::string> told;
    const auto tell = [&](const WatchEngine::Finding& finding) {
      told.push_back(
          std::string(finding.standing == WatchEngine::Standing::Certain ? "certain " : "suspect ") +
          std::string(name_of(finding.violation.kind)));
    };
    WatchEngine engine(setting);
    WatchSources sources(engine, {.word = name, .follow = Follow::Never});
    const bool complete = engine.run(tell, [&] { return sources.failed(); });
    sources.stop();
    sources.rethrow();
    EXPECT_TRUE(complete);
    engine.finish(tell);
    state_ = engine.state();
    return told;
  }

  WatchState state_;
};

TEST_F(Watching, ALostUpdateIsReportedAndCounted) {
  EXPECT_EQ(findings_of(file("run.jsonl", kLostUpdate), {.profile = kSnapshots}),
            (std::vector<std::string>{"certain lost-update"}));
  EXPECT_EQ(state_.violations, 1u);
  EXPECT_EQ(state_.suspects, 0u);
  EXPECT_EQ(state_.statistics.committed, 2u);
  EXPECT_EQ(state_.profile, "postgres:repeatable-read");
}

TEST_F(Watching, ACleanRunReportsNothing) {
  EXPECT_TRUE(findings_of(file("run.jsonl", kClean), {.profile = kSnapshots}).empty());
  EXPECT_EQ(state_.statistics.committed, 2u);
}

TEST_F(Watching, SeveralThreadsReportTheSame) {
  EXPECT_EQ(findings_of(file("run.jsonl", kLostUpdate), {.profile = kSnapshots, .threads = 3}),
            (std::vector<std::string>{"certain lost-update"}));
}

TEST_F(Watching, ALevelReplacesAProfile) {
  EXPECT_EQ(findings_of(file("run.jsonl", kLostUpdate), {.profile = {.level = Level::Serializable}}).size(),
            1u);
  EXPECT_TRUE(
      findings_of(file("run.jsonl", kLostUpdate), {.profile = {.level = Level::ReadCommitted}}).empty());
}

TEST_F(Watching, WrongProfilesAreRefusedAtOnce) {
  EXPECT_THROW(WatchEngine({.profile = {.name = "postgres:serialisible"}}), UsageError);
  EXPECT_THROW(findings_of(file("run.jsonl", kClean), {}), UsageError);  // The file does not name one.
}

TEST_F(Watching, DamagedFilesAreNamedWithLineAndColumn) {
  const std::string name = file("run.jsonl", kClean + "{\"s\":]\n");
  try {
    findings_of(name, {.profile = kSnapshots});
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(error.position().file, name);
    EXPECT_EQ(error.position().line, 4u);
  }
}

TEST_F(Watching, MissingFilesAreRefused) {
  WatchEngine engine({.profile = kSnapshots});
  EXPECT_THROW(WatchSources(engine, {.word = path("none")}), InputError);
}

TEST_F(Watching, TheMirrorOfARunEndsWithItsRecording) {
  const std::string closed = R"({"event":"sync","at":60,"last":true})"
                             "\n";
  RunMirror mirror(file("run.jsonl", kLostUpdate + closed), kSnapshots, [](const std::string&) {});
  const RunMirror::Result result = mirror.finish();
  EXPECT_FALSE(result.problem);
  EXPECT_EQ(result.summary.verdict, WatchVerdict::Violation);
  EXPECT_EQ(result.found.size(), 1u);
  ASSERT_EQ(result.headlines.size(), 1u);
  EXPECT_NE(result.headlines.front().find("lost-update"), std::string::npos);
}

TEST_F(Watching, TheMirrorOfARunKeepsWhatWentWrong) {
  RunMirror mirror(file("run.jsonl", kClean + "garbage\n"), kSnapshots, [](const std::string&) {});
  EXPECT_TRUE(mirror.finish().problem);
}

TEST_F(Watching, ALiveCheckFindsWhatTheRecordingHasSoFar) {
  LiveCheck live(file("run.jsonl", kLostUpdate), Level::Serializable, std::uint64_t{1} << 30,
                 LiveCheck::Pace::Eager);
  while (live.state().checks == 0 && live.state().ended.empty()) std::this_thread::yield();
  live.stop();
  EXPECT_EQ(live.state().ended, "");
  EXPECT_TRUE(live.state().violated());
  EXPECT_EQ(live.state().transactions, 2u);
}

TEST_F(Watching, ALiveCheckLeavesLargeRecordingsToTheEnd) {
  LiveCheck live(file("run.jsonl", kClean), Level::Serializable, 16, LiveCheck::Pace::Eager);
  while (live.state().ended.empty()) std::this_thread::yield();
  live.stop();
  EXPECT_EQ(live.state().ended, "too large to check while it runs");
}

}  // namespace
}  // namespace serval::watch
