#pragma once
// The core of serval watch. Records arrive from any number of sources, leave the pipeline in order, and
// go to the verifier. Findings are reported at once.
//
//   WatchEngine engine({.profile = {.name = "postgres:serializable"}});
//   std::thread source([&] { NativeStream stream("run.jsonl", engine.intake()); ... });
//   engine.run(tell, [] { return caught_signal() != 0; });
//   engine.finish(tell);
//
// One thread runs it. Sources and callers of state() use their own threads.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serval/online/online_verifier.h"
#include "serval/online/profile.h"
#include "serval/stream/intake.h"
#include "serval/watch/watch_doubts.h"
#include "serval/watch/watch_labels.h"

namespace serval::watch {

using Note = std::function<void(const std::string& line)>;  // Takes lines for the user. Called by any thread.

struct WatchSetting {
  online::ProfileChoice profile = {};  // Empty: by the facts of the recording.
  PipelineOptions pipeline = {};
  std::uint32_t threads = 1;  // The keys are partitioned among them.
  Note note = [](const std::string&) {};
};

// A recent snapshot of the progress.
struct WatchState {
  std::string profile;  // Empty before the first record.
  std::string level;
  online::OnlineStatistics statistics;
  std::uint64_t violations = 0;  // Only certain ones.
  std::uint64_t suspects = 0;    // Contradictions that missing records may explain.
  struct Found {
    std::uint64_t violations = 0, suspects = 0;
  };
  std::map<std::pair<AnomalyKind, online::Mechanism>, Found> found;
  PipelineStatus pipeline;
  std::uint64_t bytes = 0, lines = 0, sessions = 0, transactions = 0;  // Received.
  double lag_seconds = 0;  // Age of the oldest record that has not been judged.
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
    std::string because;  // Why it is only a suspect.
  };
  using Tell = std::function<void(const Finding&)>;
  // Runs until all sources have ended (true) or `over` returns true (false). Throws InputError,
  // UsageError.
  bool run(const Tell& tell, const std::function<bool()>& over);
  void drain(const Tell& tell);   // Judges what is ready, without waiting.
  void finish(const Tell& tell);  // Judges everything that is left.

  // Callable from any thread.
  void doubt(Doubt doubt) { doubts_.add(std::move(doubt)); }
  void note_refused(const std::string& reason);  // Prints a note, unless there are many.
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
  Time last_end_ = kUnknownBegin;  // Of the transactions passed to the verifier.
  WatchLabels labels_;
  WatchDoubts doubts_;
  Clock::time_point next_look_, next_full_look_;
  // Findings so far. publish() copies them to `state_` with the other counts.
  std::uint64_t violations_ = 0, suspects_ = 0;
  decltype(WatchState::found) found_;
  bool finished_ = false;
  bool has_told_ = false;  // Since the last publish().

  mutable std::mutex mutex_;  // Guards everything below.
  WatchState state_;
  Clock::time_point next_note_;
  std::uint64_t unsaid_ = 0;
};

}  // namespace serval::watch
