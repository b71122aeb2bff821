#pragma once
// The heart of serval watch: records come in from any number of sources, leave the pipeline in order, and
// pass the verifier. What it finds is told as it is found.
//
//   WatchEngine engine({.profile = "postgres:serializable"});
//   std::thread source([&] { NativeStream stream("run.jsonl", engine.intake()); ... });
//   engine.run(tell, [] { return caught_signal() != 0; });
//   engine.finish(tell);
//
// One thread runs it; sources and those who look at state() have their own.

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "serval/online/online_verifier.h"
#include "serval/trace/intake.h"

namespace serval::cli {

struct WatchSetting {
  std::string profile;  // "postgres:serializable"; empty: by the facts of the recording.
  std::string level;    // In place of a profile: what any database promises at this level.
  PipelineOptions pipeline;
  std::size_t most_violations = 10;  // With their evidence; all are counted.
  std::uint32_t threads = 1;         // Among which the keys are partitioned.
};

// Which row of profiles a name, a level or the facts of a recording mean. Throws UsageError.
const online::Profile& choose_profile(const WatchSetting& setting, const Intake::Facts& facts);

// How it goes, as of a moment ago.
struct WatchState {
  std::string profile;  // Empty before the first record.
  std::string level;
  online::OnlineStatistics statistics;
  std::uint64_t violations = 0;  // Certain ones.
  std::uint64_t suspects = 0;    // Found after something was missed.
  PipelineStatus pipeline;
  std::uint64_t bytes = 0, lines = 0, sessions = 0, transactions = 0;  // Taken in.
  double lag_seconds = 0;                                              // How long records have been waiting.
  std::chrono::steady_clock::time_point at;
  std::vector<std::string> doubts;
};

class WatchEngine {
 public:
  explicit WatchEngine(WatchSetting setting);
  ~WatchEngine();
  WatchEngine(const WatchEngine&) = delete;
  WatchEngine& operator=(const WatchEngine&) = delete;

  Intake& intake() noexcept { return intake_; }

  enum class Standing : std::uint8_t { Certain, Suspect };
  using Tell = std::function<void(const online::Violation&, Standing)>;
  // Until all sources have ended (true) or `over` says so (false). Throws InputError, UsageError.
  bool run(const Tell& tell, const std::function<bool()>& over);
  void drain(const Tell& tell);   // What is ready, without waiting.
  void finish(const Tell& tell);  // Judges the rest.

  // Something is missing: what contradicts the promises from now on may come from that. Any thread.
  void doubt(std::string reason);
  WatchState state() const;  // Any thread.

 private:
  using Clock = std::chrono::steady_clock;
  void verify(std::span<const Record> records);
  void pass_time();
  void tell_news(const Tell& tell, std::span<const online::Violation> violations, std::uint64_t count);
  void publish();

  WatchSetting setting_;
  Pipeline pipeline_;
  Intake intake_;
  std::unique_ptr<online::OnlineVerifier> verifier_;
  Time watermark_ = kUnknownBegin;
  std::size_t told_ = 0;
  std::uint64_t counted_ = 0;
  Clock::time_point next_look_, next_full_look_;
  std::optional<Clock::time_point> waiting_since_;

  mutable std::mutex mutex_;  // For all below.
  WatchState state_;
};

}  // namespace serval::cli
