#pragma once
// serval run --live: the mirrored mechanisms follow the recording while it grows, as serval watch would.
//
//   RunMirror mirror("history.jsonl", "");           // The profile is that of the recording.
//   ...                                              // The campaign runs, the recorder finishes its file.
//   const int code = mirror.finish();                // Says what it found.

#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "watch_engine.h"
#include "watch_sources.h"

namespace serval::cli {

class RunMirror {
 public:
  RunMirror(const std::string& path, const std::string& profile);
  ~RunMirror() { stop(); }
  RunMirror(const RunMirror&) = delete;
  RunMirror& operator=(const RunMirror&) = delete;

  bool violated() const { return engine_.state().violations > 0; }  // So far.
  int finish();  // Reads to the end of the recording. The exit code.
  // After finish(): the first of what was found, a line each.
  const std::vector<std::string>& headlines() const { return headlines_; }
  std::uint64_t violations() const { return engine_.state().violations; }

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
  std::vector<std::string> found_, headlines_;
  std::thread thread_;  // Last: it uses all the others.
};

}  // namespace serval::cli
