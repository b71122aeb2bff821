#include "metrics_server.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace serval::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{2};
constexpr std::size_t kLongestRequest = 8192;

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 503:
      return "Service Unavailable";
    default:
      return "Bad Request";
  }
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

// The head of the request; empty when it does not come in time or is too long.
std::string read_head(int connection, int wake) {
  const Clock::time_point deadline = Clock::now() + kPatience;
  std::string head;
  std::array<char, 1024> chunk{};
  while (head.find("\r\n\r\n") == std::string::npos && head.find("\n\n") == std::string::npos) {
    if (head.size() > kLongestRequest || !await_readable(connection, wake, milliseconds_until(deadline)))
      return {};
    const ssize_t got = ::recv(connection, chunk.data(), chunk.size(), 0);
    if (got <= 0) return {};
    head.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return head;
}

void send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // It went away.
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace

MetricsServer::MetricsServer(const std::string& address, Interfaces interfaces, Answering answer)
    : listener_("tcp:" + address, interfaces),
      answer_(std::move(answer)),
      wake_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this] { run(); }) {}

MetricsServer::~MetricsServer() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
  thread_.join();
  ::close(wake_);
}

std::string MetricsServer::url() const { return "http://" + listener_.name().substr(4); }

void MetricsServer::run() {
  while (!await_readable(wake_, wake_, 0)) {
    if (!await_readable(listener_.descriptor(), wake_, -1)) continue;
    const int connection = ::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    const timeval patience{kPatience.count(), 0};
    ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    serve(connection);
    ::close(connection);
  }
}

void MetricsServer::serve(int connection) const {
  const std::string head = read_head(connection, wake_);
  if (head.empty()) return;
  HttpAnswer answer{400, "text/plain; charset=utf-8", "this server takes GET requests\n"};
  const std::size_t method_end = head.find(' ');
  const std::size_t path_end = head.find_first_of(" ?\r\n", method_end + 1);
  if (method_end != std::string::npos && path_end != std::string::npos) {
    const std::string_view method = std::string_view(head).substr(0, method_end);
    const std::string_view path = std::string_view(head).substr(method_end + 1, path_end - method_end - 1);
    if (method == "GET" || method == "HEAD")
      answer = answer_(path);
    else
      answer.status = 405;
    if (method == "HEAD") answer.body.clear();
  }
  send_all(
      connection,
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
                  answer.status, reason_of(answer.status), answer.type, answer.body.size(), answer.body));
}

}  // namespace serval::cli
