#pragma once
// serval run --live: the mirrored mechanisms follow the recording while it grows, as serval watch would.
//
//   RunMirror mirror("history.jsonl", {});           // The profile is that of the recording.
//   ...                                              // The campaign runs, the recorder finishes its file.
//   const RunMirror::Result result = mirror.finish();

#include <atomic>
#include <exception>
#include <map>
#include <mutex>
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
    std::vector<std::string> found, headlines;  // The first of what was found: as text, in a line each.
    std::exception_ptr problem;                 // What ended the mirror before the recording ended.
  };

  RunMirror(const std::string& path, const online::ProfileChoice& profile, Note note);
  ~RunMirror() { stop(); }
  RunMirror(const RunMirror&) = delete;
  RunMirror& operator=(const RunMirror&) = delete;

  bool violated() const { return engine_.state().violations > 0; }  // So far.
  Result finish();  // Reads to the end of the recording. Once.

  // Throws UsageError where there is neither a profile of that name nor one for a run with these facts.
  static void require_profile(const std::string& name, const std::map<std::string, std::string>& facts);

 private:
  void run() noexcept;
  void stop() noexcept;

  std::string path_;
  WatchEngine engine_;
  WatchSources sources_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<bool> stopping_ = false;
  std::exception_ptr problem_;
  std::vector<std::string> found_, headlines_;  // Of the thread, until it ends.
  std::thread thread_;                          // Last: it uses all the others.
};

}  // namespace serval::watch
