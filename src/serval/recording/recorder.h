#pragma once
// Writes the logs of all sessions of a run to one file of native lines, during the run.
//
//   Recorder recorder("run.jsonl", {.initial = 0, .facts = {{"database", "sqlite 3.40"}}}, schema);
//   SessionLog& log = recorder.open_session();      // From any thread; stays valid.
//   recorder.finish();
//
// A thread collects the logs every 50 ms and appends them, followed by a "sync" record. The file is
// readable at any time, even after the process was killed or the disk was full: up to the last "sync",
// everything that a line has read was written by another line, at least as an "open" record
// (docs/formats/jsonl.md).

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "serval/recording/session_log.h"

namespace serval {

struct RunHeader {
  std::optional<std::int64_t> initial;  // The initial value of keys; none: no row.
  std::map<std::string, std::string> facts;
  SessionLog::Ledger ledger = SessionLog::Ledger::None;
};

class Recorder {
 public:
  static constexpr std::chrono::milliseconds kInterval{50};

  // Throws OutputError; never overwrites a file.
  Recorder(std::string path, const RunHeader& header, const Schema& schema);
  ~Recorder();  // Writes what is left; ignores failures.
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  SessionLog& open_session();  // Labelled 1, 2, 3, ...
  // Writes the rest, followed by `last`: whole lines. Sessions must have ended. Throws OutputError if
  // anything could not be written.
  void finish(std::string_view last = {});
  // Of all sessions, once they have ended.
  std::vector<LedgerEntry> ledger();

  bool failed() const;  // For example, the disk is full. Later records are lost.
  std::uint64_t bytes() const;

 private:
  void run();
  void stop();
  void collect();
  std::vector<SessionLog*> sessions();
  void write(std::string_view text);

  std::string path_;
  TableText text_;
  SessionLog::Ledger ledger_;
  int file_ = -1;
  std::atomic<std::int64_t> last_transaction_ = 0;

  mutable std::mutex mutex_;  // Guards everything below.
  std::condition_variable wake_;
  std::deque<SessionLog> sessions_;
  bool stopping_ = false;
  std::string problem_;
  std::uint64_t bytes_ = 0;

  std::thread thread_;  // Last, because it uses the others.
};

}  // namespace serval
