#pragma once
// The heart of serval watch: records come in from any number of sources, leave the pipeline in order, and
// pass the verifier. What it finds is told as it is found.
//
//   WatchEngine engine({.profile = {.name = "postgres:serializable"}});
//   std::thread source([&] { NativeStream stream("run.jsonl", engine.intake()); ... });
//   engine.run(tell, [] { return caught_signal() != 0; });
//   engine.finish(tell);
//
// One thread runs it; sources and those who look at state() have their own.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "serval/online/choose_profile.h"
#include "serval/online/online_verifier.h"
#include "serval/stream/intake.h"
#include "serval/watch/watch_doubts.h"
#include "serval/watch/watch_labels.h"

namespace serval::watch {

using Note = std::function<void(const std::string& line)>;  // Takes lines for people; any thread calls it.

struct WatchSetting {
  online::ProfileChoice profile = {};  // Empty: by the facts of the recording.
  PipelineOptions pipeline = {};
  std::uint32_t threads = 1;  // Among which the keys are partitioned.
  Note note = [](const std::string&) {};
};

// How it goes, as of a moment ago.
struct WatchState {
  std::string profile;  // Empty before the first record.
  std::string level;
  online::OnlineStatistics statistics;
  std::uint64_t violations = 0;  // Certain ones.
  std::uint64_t suspects = 0;    // What somebody whose records are missing may explain.
  struct Found {
    std::uint64_t violations = 0, suspects = 0;
  };
  std::map<std::pair<AnomalyKind, online::Mechanism>, Found> found;
  PipelineStatus pipeline;
  std::uint64_t bytes = 0, lines = 0, sessions = 0, transactions = 0;  // Taken in.
  double lag_seconds = 0;  // How long ago the oldest record came that has not been judged.
  std::chrono::steady_clock::time_point at;
  std::uint64_t doubt_count = 0;
  std::vector<std::string> doubts;       // Some of them.
  std::uint64_t refused = 0;             // Connections.
  std::uint64_t out_of_descriptors = 0;  // Times.
};

class WatchEngine {
 public:
  explicit WatchEngine(WatchSetting setting);
  ~WatchEngine();
  WatchEngine(const WatchEngine&) = delete;
  WatchEngine& operator=(const WatchEngine&) = delete;

  Intake& intake() noexcept { return intake_; }
  const WatchSetting& setting() const noexcept { return setting_; }

  enum class Standing : std::uint8_t { Certain, Suspect };
  struct Finding {
    const online::Violation& violation;
    const WatchLabels& labels;
    Standing standing;
    std::string because;  // Of a suspect.
  };
  using Tell = std::function<void(const Finding&)>;
  // Until all sources have ended (true) or `over` says so (false). Throws InputError, UsageError.
  bool run(const Tell& tell, const std::function<bool()>& over);
  void drain(const Tell& tell);   // What is ready, without waiting.
  void finish(const Tell& tell);  // Judges the rest.

  // Any thread.
  void doubt(Doubt doubt) { doubts_.add(std::move(doubt)); }
  void note_refused(const std::string& reason);  // Says so, unless there are many.
  void note_out_of_descriptors();
  void note(const std::string& line) const { setting_.note(line); }
  WatchState state() const;

 private:
  using Clock = std::chrono::steady_clock;
  void verify(std::span<const Record> records);
  void pass_time();
  void tell_news(const Tell& tell);
  void tell_all(const Tell& tell, std::span<const online::Violation> violations);
  std::string doubt_about(const online::Violation& violation) const;
  void publish();

  WatchSetting setting_;
  Pipeline pipeline_;
  Intake intake_;
  std::unique_ptr<online::OnlineVerifier> verifier_;
  Time watermark_ = kUnknownBegin;
  Time last_end_ = kUnknownBegin;  // Of transactions that the verifier knows.
  WatchLabels labels_;
  WatchDoubts doubts_;
  Clock::time_point next_look_, next_full_look_;
  // What was told. As others see it, it goes with the other counts.
  std::uint64_t violations_ = 0, suspects_ = 0;
  decltype(WatchState::found) found_;
  bool finished_ = false;
  bool has_told_ = false;  // Since the last publish().

  mutable std::mutex mutex_;  // For all below.
  WatchState state_;
  Clock::time_point next_note_;
  std::uint64_t unsaid_ = 0;
};

}  // namespace serval::watch
