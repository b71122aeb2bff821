#pragma once
// serval run --live: the mirror follows the recording as it grows, like serval watch.
//
//   RunMirror mirror("history.jsonl", {});           // Profile by the recording.
//   ...                                              // The campaign runs; the recorder finishes its file.
//   const RunMirror::Result result = mirror.finish();

#include <atomic>
#include <exception>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "serval/watch/watch_engine.h"
#include "serval/watch/watch_report.h"
#include "serval/watch/watch_sources.h"

namespace serval::watch {

class RunMirror {
 public:
  struct Result {
    WatchSummary summary;
    std::vector<std::string> found, headlines;  // The first findings: as text, and as one line each.
    std::exception_ptr problem;                 // What ended the mirror early, if anything.
  };

  RunMirror(const std::string& path, const online::ProfileChoice& profile, Note note);
  ~RunMirror() { stop(); }
  RunMirror(const RunMirror&) = delete;
  RunMirror& operator=(const RunMirror&) = delete;

  bool violated() const { return engine_.state().violations > 0; }  // So far.
  Result finish();  // Reads to the end of the recording. Call it once.

  // Throws UsageError if there is neither a profile of that name nor one for a run with these facts.
  static void require_profile(const online::ProfileChoice& choice,
                              const std::map<std::string, std::string>& facts);

 private:
  void run() noexcept;
  void stop() noexcept;

  std::string path_;
  WatchEngine engine_;
  WatchSources sources_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<bool> stopping_ = false;
  std::exception_ptr problem_;
  std::vector<std::string> found_, headlines_;  // Used by the thread until it ends.
  std::thread thread_;                          // Last, because it uses the others.
};

}  // namespace serval::watch
