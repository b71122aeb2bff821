#include "serval/watch/watch_sources.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serval/base/error.h"
#include "serval/formats/format.h"
#include "serval/formats/history_folder.h"
#include "serval/formats/leopard/leopard_json.h"

namespace serval::watch {
namespace {

constexpr std::size_t kChunk = 1 << 18;
constexpr int kPauseMs = 20;               // Between polls of a file that does not grow.
constexpr std::size_t kTelling = 1 << 16;  // Bytes needed to recognise the format of a file.

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

// Recordings of serval run and record can be followed: each sync says when their sessions may begin the
// next transaction.
bool is_recording(std::string_view start) {
  const std::size_t end = start.find('\n');
  return end == std::string_view::npos || end + 1 == start.size() ||
         start.substr(end + 1).starts_with(R"({"event":"sync","at":)");
}

// Named pipes, and pipes of a shell such as /dev/fd/63.
bool is_pipe(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISFIFO(facts.st_mode);
}

// Does not wait for a writer. A pipe that is already open is not opened again: if its writer is gone, the
// new descriptor would not report the end.
int open_pipe(const std::string& path) {
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    int number = -1;
    if (path.starts_with(folder) &&
        std::from_chars(path.data() + folder.size(), path.data() + path.size(), number).ec == std::errc{})
      return ::dup(number);
  }
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

bool is_plain_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// What follows would be missed if another file took the place of the one that is read.
void expect_same_file(const std::string& path, int file, std::uint64_t done) {
  struct stat named {
  }, open{};
  if (::stat(path.c_str(), &named) != 0)
    throw InputError({path}, std::string("the file is gone: ") + std::strerror(errno));
  if (::fstat(file, &open) != 0)
    throw InputError({path}, std::string("cannot read: ") + std::strerror(errno));
  if (named.st_dev != open.st_dev || named.st_ino != open.st_ino)
    throw InputError({path}, "the file was replaced by another one while it was being followed");
  if (static_cast<std::uint64_t>(open.st_size) < done)
    throw InputError({path}, "the file became shorter while it was being followed");
}

// Bytes that are added to a compressed file cannot be read one by one.
bool is_compressed(const std::string& path) {
  std::array<char, 4> bytes{};
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = file.get() < 0 ? 0 : ::read(file.get(), bytes.data(), bytes.size());
  const std::string_view start(bytes.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
  return start.starts_with("\x1f\x8b") || start.starts_with("\x28\xb5\x2f\xfd");
}

// In order of their begin, so that all sessions advance together. Each session keeps its own order, even
// if its clock goes back; its feed notices that.
std::vector<TransactionId> by_begin(const History& history) {
  std::vector<Time> places(history.transaction_count());
  for (const SessionId session : history.sessions()) {
    Time latest = kUnknownBegin;
    for (const TransactionId t : history.session_transactions(session))
      places[t.index] = latest = std::max(latest, history.interval(t).begin);
  }
  std::vector<TransactionId> order;
  order.reserve(history.transaction_count());
  for (const TransactionId t : history.transactions()) order.push_back(t);
  std::ranges::stable_sort(order, {}, [&](TransactionId t) { return places[t.index]; });
  return order;
}

}  // namespace

WatchSources::WatchSources(WatchEngine& engine, const SourceOptions& options)
    : engine_(engine), options_(options), name_(options.word), wake_(::eventfd(0, EFD_CLOEXEC)) {
  if (wake_ < 0) throw OutputError(fmt::format("eventfd: {}", std::strerror(errno)));
  if (options_.initial_unknown) engine_.intake().start_with_unknown();
  if (is_endpoint(options_.word))
    start_listening();
  else if (is_folder(options_.word))
    start_leopard_folder();
  else
    start_file();
}

WatchSources::~WatchSources() {
  stop();
  if (wake_ >= 0) ::close(wake_);
}

void WatchSources::stop() {
  stopped_ = true;
  const std::uint64_t one = 1;
  if (::write(wake_, &one, sizeof one) < 0) keep_problem();
  if (connections_) connections_->stop();
  std::vector<std::thread> threads;
  do {  // A thread may start another one before it ends.
    {
      const std::lock_guard lock(mutex_);
      threads = std::exchange(threads_, {});
    }
    for (std::thread& thread : threads) thread.join();
  } while (!threads.empty());
}

void WatchSources::rethrow() const {
  const std::lock_guard lock(mutex_);
  if (problem_) std::rethrow_exception(problem_);
}

void WatchSources::keep_problem() noexcept {
  const std::lock_guard lock(mutex_);
  if (!problem_) problem_ = std::current_exception();
  failed_ = true;
}

void WatchSources::spawn(std::function<void()> body) {
  const auto run = [this, body = std::move(body)] {
    try {
      body();
    } catch (...) {
      keep_problem();
    }
    end_one();
  };
  try {
    const std::lock_guard lock(mutex_);
    ++running_;
    threads_.emplace_back(run);
  } catch (
      const std::system_error&) {  // No memory for the stack. Threads that already run are ended properly.
    try {
      throw std::bad_alloc();
    } catch (...) {
      keep_problem();
    }
    end_one();
  }
}

void WatchSources::end_one() {
  {
    const std::lock_guard lock(mutex_);
    if (--running_ > 0) return;
  }
  if (!engine_.intake().started()) engine_.intake().start_with([](RecordBatch&) {}, "", {});
  engine_.intake().pipeline().no_more_clients();
}

bool WatchSources::rest() { return !await_readable(wake_, wake_, kPauseMs) && !stopped_; }

void WatchSources::start_file() {
  const std::string path = options_.word;
  if (path == "-" || path == "/dev/stdin") return spawn([this] { read_standard_input("<stdin>"); });
  if (is_pipe(path)) return spawn([this, path] { read_pipe(path); });
  ByteStream stream = ByteStream::open(path, options_.budget);
  const std::string start(stream.peek(kTelling));
  const FormatInfo* const format = detect_format(start);
  const bool native = start.empty() || (format != nullptr && format->format == Format::Jsonl);
  if (native && is_plain_file(path) && is_to_be_followed(path, start))
    return spawn([this, path] { follow_lines(path); });
  if (start.empty())
    throw InputError({path}, "the file is empty", {},
                     options_.follow == Follow::Always ? "" : "--follow waits for it to grow");
  if (format != nullptr && format->format == Format::LeopardJson) {
    engine_.intake().start_with_unknown();
    const std::shared_ptr<ClientFeed> feed = engine_.intake().pipeline().open_client(path);
    return spawn([this, path, feed] {
      ByteStream whole = ByteStream::open(path);
      LeopardStream::Numbers numbers;
      read_leopard(whole, *feed, numbers);
      feed->close();
    });
  }
  spawn([this, path] { read_whole(path); });
}

bool WatchSources::is_to_be_followed(const std::string& path, std::string_view start) const {
  if (options_.follow == Follow::Never) return false;
  const bool compressed = is_compressed(path);
  if (options_.follow == Follow::Recordings) return !compressed && !start.empty() && is_recording(start);
  if (compressed)
    throw InputError({path}, "a compressed file cannot be followed", {}, "--no-follow reads it as it is");
  return true;
}

void WatchSources::follow_lines(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw InputError({path}, std::string("cannot open: ") + std::strerror(errno));
  NativeStream stream(path, engine_.intake());
  std::string buffer(kChunk, '\0');
  std::uint64_t done = 0;
  bool at_end = false;
  while (!stopped_ && !stream.is_complete()) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError({path}, std::string("cannot read: ") + std::strerror(errno));
    done += static_cast<std::uint64_t>(got);
    stream.take({buffer.data(), static_cast<std::size_t>(got)});
    at_end = got == 0;
    if (!at_end) continue;
    stream.flush();
    expect_same_file(path, file.get(), done);
    if (!rest()) break;
  }
  if (at_end) take_last_line(stream);
  stream.end();
}

// The merge goes on when the stream ends, so a doubt has to be known before.
void WatchSources::take_last_line(NativeStream& stream) {
  if (stream.take_last_line()) return;
  doubt_cut(stream.name(), stream.promised());
  engine_.note(fmt::format("note: {}: the last line is cut off and was left out", stream.name()));
}

void WatchSources::doubt_cut(const std::string& name, Time since) {
  engine_.doubt({.who = name,
                 .what = "is cut off: its last actions are unknown",
                 .since = since,
                 .until = kUnknownEnd});
}

// A file that does not grow is read completely and sorted by time.
void WatchSources::read_whole(const std::string& path) {
  Budget budget = Budget::until_set(stopped_);
  const auto tell = [this](const std::string& notice) { engine_.note("note: " + notice); };
  const auto doubt = [this, &path] { doubt_cut(path, kUnknownBegin); };
  History history;
  try {
    history = read_history(path, {.budget = &budget, .on_notice = tell, .on_cut_off = doubt});
  } catch (const BudgetExhausted&) {
    return;  // The watch ended before the end of the file.
  }
  if (!history.has_times() && history.transaction_count() > 0)
    throw InputError({path}, "this history has no times, so it cannot be sorted and watched", {},
                     "serval check does not need times");
  NativeStream stream(path, engine_.intake());
  stream.take_header(history);
  for (const TransactionId t : by_begin(history)) {
    if (stopped_) break;
    stream.take_transaction(history, t);
  }
  stream.end();
}

// Takes the place of standard input, which is not used otherwise.
void WatchSources::read_pipe(const std::string& path) {
  const Descriptor pipe(open_pipe(path));
  if (pipe.get() < 0) throw InputError({path}, std::string("cannot open: ") + std::strerror(errno));
  const int flags = ::fcntl(pipe.get(), F_GETFL);
  while (!await_readable(pipe.get(), wake_, -1))
    if (stopped_) return;
  if (::fcntl(pipe.get(), F_SETFL, flags & ~O_NONBLOCK) != 0 || ::dup2(pipe.get(), STDIN_FILENO) < 0)
    throw InputError({path}, std::string("cannot read: ") + std::strerror(errno));
  read_standard_input(path);
}

void WatchSources::read_standard_input(const std::string& name) {
  while (!await_readable(STDIN_FILENO, wake_, -1))
    if (stopped_) return;
  ByteStream input = ByteStream::open("-");
  const std::string_view start = input.peek(1);
  if (start == "[") {
    engine_.intake().start_with_unknown();
    const std::shared_ptr<ClientFeed> feed = engine_.intake().pipeline().open_client(name);
    LeopardStream::Numbers numbers;
    read_leopard(input, *feed, numbers);
    return feed->close();
  }
  NativeStream stream(name, engine_.intake());
  bool at_end = false;
  while (!stopped_ && !stream.is_complete()) {
    const std::string_view chunk = input.next();
    at_end = chunk.empty();
    if (at_end) break;
    stream.take(chunk);
    if (await_readable(STDIN_FILENO, wake_, 0)) continue;
    stream.flush();
    while (!stopped_ && !await_readable(STDIN_FILENO, wake_, -1)) {
    }
  }
  if (at_end) take_last_line(stream);
  stream.end();
}

void WatchSources::read_leopard(ByteStream& stream, ClientFeed& feed, LeopardStream::Numbers& numbers) {
  const ReadOptions reading{.accept_truncated = options_.follow == Follow::Always};
  LeopardReader reader(stream, reading);
  if (numbers.first <= numbers.step) ++engine_.intake().sessions;
  LeopardStream records(engine_.intake(), feed, numbers);
  LeopardOperation operation;
  while (!stopped_ && reader.next(operation)) records.take(operation);
  records.finish_transaction();
}

void WatchSources::start_leopard_folder() {
  const LeopardFolder files = find_leopard_files(options_.word);
  if (files.clients.empty())
    throw InputError({options_.word}, "this folder contains no trace of Leopard (trace/loader-0.0.json, ...)",
                     {}, "give the file of a recording");
  Budget endless = Budget::unlimited();
  if (!options_.initial_unknown)
    start_with_tables(engine_.intake(), files.tables,
                      options_.budget != nullptr ? *options_.budget : endless);
  std::vector<std::shared_ptr<ClientFeed>> feeds;
  for (const std::vector<std::string>& slices : files.clients)
    feeds.push_back(
        engine_.intake().pipeline().open_client(std::filesystem::path(slices.front()).filename().string()));
  for (std::size_t i = 0; i < feeds.size(); ++i)
    spawn([this, i, step = feeds.size(), feed = feeds[i], slices = files.clients[i]] {
      LeopardStream::Numbers numbers{i + 1, step};
      for (const std::string& slice : slices) {
        ByteStream stream = ByteStream::open(slice);
        read_leopard(stream, *feed, numbers);
      }
      feed->close();
    });
}

void WatchSources::start_listening() {
  listener_ = std::make_unique<Listener>(options_.word, options_.interfaces);
  name_ = listener_->name();
  const PipelineOptions& pipeline = engine_.setting().pipeline;
  connections_ = std::make_unique<WatchConnections>(
      engine_, *listener_,
      ConnectionOptions{options_.connections, pipeline.memory_limit, pipeline.idle_after});
  spawn([this] { connections_->run(); });
}

}  // namespace serval::watch
