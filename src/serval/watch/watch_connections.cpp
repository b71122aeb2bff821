#include "serval/watch/watch_connections.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serval/base/error.h"

namespace serval::watch {
namespace {

constexpr std::size_t kChunk = 1 << 16;
constexpr std::size_t kLongestLine = std::size_t{64} << 20;
constexpr std::size_t kKeptRoom = 1 << 16;  // A larger buffer is freed with the line that needed it.
constexpr int kLookMs = 100;
constexpr std::size_t kAtOnce = 1024;
constexpr std::size_t kMostUnidentified = 1024;
constexpr std::chrono::milliseconds kOutOfDescriptors{200}, kBusy{10}, kTimeForHeader{1000};
constexpr std::size_t kPrefix = 4;

void add(int poll, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  if (::epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw OutputError(fmt::format("epoll: {}", std::strerror(errno)));
}

void ring(int bell) noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(bell, &one, sizeof one);
}

void silence(int bell) noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(bell, &count, sizeof count);
}

// Raises the limit of descriptors: thousands of clients may connect.
void raise_descriptor_limit() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Detects machines that disappear without closing. Has no effect on Unix sockets.
void notice_death(int connection) noexcept {
  const int yes = 1, idle = 30, between = 10, tries = 3;
  ::setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  ::setsockopt(connection, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  ::setsockopt(connection, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
  ::setsockopt(connection, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof tries);
}

std::uint32_t length_at(std::string_view bytes) {
  const auto* const head = reinterpret_cast<const unsigned char*>(bytes.data());
  return head[0] | static_cast<std::uint32_t>(head[1]) << 8 | static_cast<std::uint32_t>(head[2]) << 16 |
         static_cast<std::uint32_t>(head[3]) << 24;
}

}  // namespace

WatchConnections::WatchConnections(WatchEngine& engine, Listener& listener, const ConnectionOptions& options)
    : engine_(engine),
      listener_(listener),
      options_(options),
      longest_line_(std::min(kLongestLine, options.memory_limit / 2)),
      poll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      room_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      looked_(Clock::now().time_since_epoch().count()),
      last_look_(looked_.load()),
      chunk_(kChunk, '\0') {
  if (poll_ < 0 || wake_ < 0 || room_ < 0) throw OutputError(fmt::format("epoll: {}", std::strerror(errno)));
  raise_descriptor_limit();
  for (const int descriptor : {wake_, room_, listener_.descriptor()}) add(poll_, descriptor);
}

WatchConnections::~WatchConnections() {
  for (const auto& [descriptor, connection] : open_) ::close(descriptor);
  for (const int descriptor : {poll_, wake_, room_}) ::close(descriptor);
}

void WatchConnections::stop() noexcept {
  stopped_ = true;
  ring(wake_);
}

void WatchConnections::run() {
  while (!stopped_ && !is_over()) look();
  for (auto& [descriptor, connection] : open_) end(*connection->stream);
}

// Transactions that were still open may show that a clock ran backwards.
void WatchConnections::end(NativeStream& stream) {
  try {
    stream.end();
  } catch (const InputError& error) {
    engine_.note_refused(error.what());
    doubt(stream, "was refused: its last actions are unknown", engine_.intake().latest());
  }
}

// The last client may still wait to be accepted.
bool WatchConnections::is_over() {
  if (options_.most == 0 || came_ < options_.most || !open_.empty()) return false;
  accept_all();
  return open_.empty();
}

// Reads first, then accepts, then passes records on. So what a client sends after another has connected
// is passed on after that connection is known.
void WatchConnections::look() {
  std::vector<Piece> pieces;
  const Clock::time_point start = Clock::now();
  const std::size_t ready = read_ready(pieces);
  accept_all();
  for (Piece& piece : pieces) hand_over(piece);
  limit_kept();
  resume();
  close_unidentified();
  closed_.clear();
  if (ready < kAtOnce) looked_ = start.time_since_epoch().count();
  last_look_ = Clock::now().time_since_epoch().count();
}

std::size_t WatchConnections::read_ready(std::vector<Piece>& pieces) {
  std::array<epoll_event, kAtOnce> events{};
  const int ready = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()),
                                 listens_ ? kLookMs : static_cast<int>(kBusy.count()));
  for (int i = 0; i < ready; ++i) {
    const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
    if (descriptor == wake_ || descriptor == room_) silence(descriptor);
    const auto found = open_.find(descriptor);
    if (found != open_.end()) read(*found->second, pieces);
  }
  return ready < 0 ? 0 : static_cast<std::size_t>(ready);
}

void WatchConnections::read(Connection& connection, std::vector<Piece>& pieces) {
  const ssize_t got = ::recv(connection.descriptor, chunk_.data(), chunk_.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  const std::size_t size = got < 0 ? 0 : static_cast<std::size_t>(got);
  pieces.push_back({&connection, chunk_.substr(0, size), size == 0});
}

void WatchConnections::accept_all() {
  if (!listens_ && Clock::now() >= listens_from_) {
    add(poll_, listener_.descriptor());
    listens_ = true;
  }
  while (listens_) {
    if (unidentified_.size() >= kMostUnidentified) return hold_newcomers(kBusy);
    const int descriptor = ::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
      engine_.note_out_of_descriptors();
      return hold_newcomers(kOutOfDescriptors);
    }
    if (descriptor < 0 && (errno == ECONNABORTED || errno == EINTR)) continue;  // It has disconnected.
    if (descriptor < 0) return;
    notice_death(descriptor);
    auto connection = std::make_unique<Connection>();
    connection->descriptor = descriptor;
    connection->opened = Clock::now();
    connection->stream = std::make_unique<NativeStream>(fmt::format("connection {}", ++accepted_),
                                                        engine_.intake(), NativeStream::Origin::Connection);
    connection->stream->source().on_room([bell = room_] { ring(bell); });
    connection->stream->source().observe(looked_);
    connection->unidentified = unidentified_.insert(unidentified_.end(), connection.get());
    add(poll_, descriptor);
    open_.emplace(descriptor, std::move(connection));
  }
}

// Closes the oldest unidentified connection; if all of them are new, new clients have to wait.
void WatchConnections::hold_newcomers(std::chrono::milliseconds pause) {
  if (!unidentified_.empty() && Clock::now() - unidentified_.front()->opened > kTimeForHeader)
    return leave(*unidentified_.front());
  ::epoll_ctl(poll_, EPOLL_CTL_DEL, listener_.descriptor(), nullptr);
  listens_ = false;
  listens_from_ = Clock::now() + pause;
}

void WatchConnections::hand_over(Piece& piece) {
  Connection& connection = *piece.connection;
  if (connection.descriptor < 0) return;  // Closed meanwhile.
  try {
    if (piece.is_last) return vanish(connection);
    connection.has_sent = true;
    take_lines(connection, piece.bytes);
    connection.stream->flush();
    settle(connection);
  } catch (const InputError& error) {
    refuse(connection, error.what());
  } catch (const std::bad_alloc&) {
    refuse(connection, fmt::format("{}: out of memory", connection.stream->name()));
  }
}

void WatchConnections::take_lines(Connection& connection, std::string_view bytes) {
  NativeStream& stream = *connection.stream;
  if (!connection.bytes.empty()) {
    connection.bytes += bytes;
    bytes = connection.bytes;
  }
  while (bytes.size() >= kPrefix && !stream.is_complete()) {
    const std::uint32_t size = length_at(bytes);
    if (size > longest_line_)
      throw InputError(
          {stream.name(), stream.lines() + 1, 1},
          fmt::format("a frame of {} bytes; expected its length, 4 bytes little endian and at most {}, "
                      "before each line",
                      size, longest_line_));
    if (bytes.size() - kPrefix < size) break;
    stream.take_line(bytes.substr(kPrefix, size));
    bytes.remove_prefix(kPrefix + size);
  }
  std::string rest(bytes);
  if (connection.bytes.capacity() > kKeptRoom && rest.size() < kKeptRoom)
    connection.bytes = std::move(rest);
  else
    connection.bytes.assign(rest);
}

// After some lines: updates the kept size, and checks whether the client has ended and whether there is
// room.
void WatchConnections::settle(Connection& connection) {
  NativeStream& stream = *connection.stream;
  if (stream.takes_part() && connection.unidentified != unidentified_.end()) {
    unidentified_.erase(connection.unidentified);
    connection.unidentified = unidentified_.end();
    ++came_;
  }
  if (stream.is_complete()) return close(connection);
  const std::size_t kept = connection.bytes.size() + stream.kept_bytes();
  kept_ += kept - std::exchange(connection.kept, kept);
  if (!stream.source().must_pause()) return;
  connection.is_paused = true;
  paused_.push_back(&connection);
  listen_for(connection, false);
}

void WatchConnections::limit_kept() {
  while (kept_ > options_.memory_limit / 2) {
    const auto most =
        std::ranges::max_element(open_, {}, [](const auto& entry) { return entry.second->kept; });
    refuse(*most->second,
           fmt::format("{}: incomplete and waiting lines take {} bytes, and {} "
                       "with those of all connections; --memory-limit allows {}",
                       most->second->stream->name(), most->second->kept, kept_, options_.memory_limit / 2));
  }
}

void WatchConnections::resume() {
  std::erase_if(paused_, [this](Connection* connection) {
    if (!connection->stream->source().may_resume()) return false;
    connection->is_paused = false;
    listen_for(*connection, true);
    return true;
  });
}

void WatchConnections::close_unidentified() {
  const Clock::time_point now = Clock::now();
  while (!unidentified_.empty() && now - unidentified_.front()->opened > options_.idle_after)
    leave(*unidentified_.front());
}

void WatchConnections::listen_for(Connection& connection, bool wanted) {
  epoll_event event{};
  event.events = wanted ? EPOLLIN : 0u;
  event.data.fd = connection.descriptor;
  ::epoll_ctl(poll_, EPOLL_CTL_MOD, connection.descriptor, &event);
}

// Unidentified: it took no part.
void WatchConnections::leave(Connection& connection) {
  if (connection.has_sent)
    return refuse(connection, fmt::format("{}: no header arrived", connection.stream->name()));
  close(connection);
}

void WatchConnections::vanish(Connection& connection) {
  NativeStream& stream = *connection.stream;
  if (!stream.takes_part()) return leave(connection);
  doubt(stream, "ended without its last record: its last actions are unknown", engine_.intake().latest());
  close(connection);
}

// A client that sent a header may continue to use the database.
void WatchConnections::refuse(Connection& connection, const std::string& reason) {
  NativeStream& stream = *connection.stream;
  ++refused_;
  engine_.note_refused(reason);
  if (stream.takes_part()) doubt(stream, "was refused: its actions are unknown", kUnknownEnd);
  if (connection.unidentified != unidentified_.end()) ++came_;  // Refused with its first bytes.
  close(connection);
}

void WatchConnections::close(Connection& connection) {
  if (connection.unidentified != unidentified_.end()) unidentified_.erase(connection.unidentified);
  connection.unidentified = unidentified_.end();
  if (std::exchange(connection.is_paused, false)) {
    std::erase(paused_, &connection);
    connection.stream->source().end_pause();
  }
  kept_ -= std::exchange(connection.kept, 0);
  const int descriptor = std::exchange(connection.descriptor, -1);
  end(*connection.stream);
  const auto found = open_.find(descriptor);
  closed_.push_back(std::move(found->second));  // A piece may still point to it.
  open_.erase(found);
  ::close(descriptor);
}

}  // namespace serval::watch
