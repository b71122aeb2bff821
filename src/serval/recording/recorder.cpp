#include "serval/recording/recorder.h"

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "serval/base/clock.h"
#include "serval/base/error.h"
#include "serval/formats/native/jsonl_line.h"

namespace serval {
namespace {

// Keys of the first table do not name it; the fact "table" names it, for predicates over it.
std::string header_line(const RunHeader& header, const Schema& schema) {
  std::vector<JsonlFact> facts(header.facts.begin(), header.facts.end());
  if (!schema.empty() && !header.facts.contains("table")) facts.emplace_back("table", schema.front().name);
  std::string initial, line;
  if (header.initial) put(initial, *header.initial);
  put_header_line(line, initial, facts, {}, JsonBytes::Printable);
  return line;
}

std::string sync_line(Time at, std::string_view since = {}, bool is_last = false) {
  std::string line;
  put_sync_line(line, at, since, is_last);
  return line;
}

std::string problem_with(const std::string& path, int error) {
  return fmt::format("{}: {}", path, std::strerror(error));
}

}  // namespace

Recorder::Recorder(std::string path, const RunHeader& header, const Schema& schema)
    : path_(std::move(path)),
      text_(schema),
      ledger_(header.ledger),
      file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644)) {
  if (file_ < 0) throw OutputError(problem_with(path_, errno));
  write(header_line(header, schema) + sync_line(now()));
  if (!problem_.empty()) throw OutputError(problem_);
  thread_ = std::thread([this] { run(); });
}

Recorder::~Recorder() {
  stop();
  if (file_ >= 0) ::close(file_);
}

void Recorder::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

SessionLog& Recorder::open_session() {
  const std::lock_guard lock(mutex_);
  return sessions_.emplace_back(static_cast<std::int64_t>(sessions_.size()) + 1, text_, last_transaction_,
                                ledger_);
}

void Recorder::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    wake_.wait_for(lock, kInterval, [this] { return stopping_; });
    lock.unlock();
    collect();
    lock.lock();
  }
}

// First the lines of all sessions, then what may have been written meanwhile, also by new sessions: a
// transaction among the lines can have read only what had been invoked when its session was visited.
void Recorder::collect() {
  std::string lines, writes, since;
  const Time time = now();
  for (SessionLog* session : sessions())
    if (const Time next = session->take_lines(lines, time); next < time)
      put_since(since, session->label(), next);
  if (lines.empty()) return;
  for (SessionLog* session : sessions()) session->peek_writes(writes);
  write(writes + lines + sync_line(time, since));
}

std::vector<SessionLog*> Recorder::sessions() {
  const std::lock_guard lock(mutex_);
  std::vector<SessionLog*> all;
  all.reserve(sessions_.size());
  for (SessionLog& session : sessions_) all.push_back(&session);
  return all;
}

// After a failure nothing more is written, so that the file stays a valid prefix.
void Recorder::write(std::string_view text) {
  while (!text.empty() && !failed()) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    const std::lock_guard lock(mutex_);
    if (written < 0) {
      if (problem_.empty()) problem_ = problem_with(path_, errno);
      return;
    }
    bytes_ += static_cast<std::uint64_t>(written);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Recorder::finish(std::string_view last) {
  stop();
  collect();
  if (!last.empty()) write(std::string(last));
  write(sync_line(now(), {}, true));
  const std::lock_guard lock(mutex_);
  if (file_ >= 0 && ::close(std::exchange(file_, -1)) != 0 && problem_.empty())
    problem_ = problem_with(path_, errno);
  if (!problem_.empty()) throw OutputError(problem_);
}

std::vector<LedgerEntry> Recorder::ledger() {
  std::vector<LedgerEntry> all;
  for (const SessionLog* session : sessions())
    all.insert(all.end(), session->ledger().begin(), session->ledger().end());
  return all;
}

bool Recorder::failed() const {
  const std::lock_guard lock(mutex_);
  return !problem_.empty();
}

std::uint64_t Recorder::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace serval
