#include "serval/watch/endpoint.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "serval/base/error.h"

namespace serval::watch {
namespace {

constexpr int kBacklog = 4096;

[[noreturn]] void refuse(const std::string& address) {
  throw UsageError(fmt::format("\"{}\" is not a valid listen address", address),
                   "unix:/tmp/serval.sock, tcp:9465 or tcp:127.0.0.1:9465");
}

std::uint16_t port_of(std::string_view digits, const std::string& address) {
  std::uint16_t port = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (digits.empty() || result.ec != std::errc{} || result.ptr != digits.data() + digits.size())
    refuse(address);
  return port;
}

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  bool is_loopback = false;
};

SocketAddress resolve(const std::string& host, std::uint16_t port, const std::string& address) {
  SocketAddress result;
  auto* const four = reinterpret_cast<sockaddr_in*>(&result.storage);
  if (::inet_pton(AF_INET, host.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    result.size = sizeof(sockaddr_in);
    result.is_loopback = (ntohl(four->sin_addr.s_addr) >> 24) == 127;
    return result;
  }
  auto* const six = reinterpret_cast<sockaddr_in6*>(&result.storage);
  if (::inet_pton(AF_INET6, host.c_str(), &six->sin6_addr) != 1) refuse(address);
  six->sin6_family = AF_INET6;
  six->sin6_port = htons(port);
  result.size = sizeof(sockaddr_in6);
  result.is_loopback = std::memcmp(&six->sin6_addr, &in6addr_loopback, sizeof in6addr_loopback) == 0;
  return result;
}

[[noreturn]] void system_refuses(const std::string& address) {
  throw OutputError(fmt::format("cannot listen on {}: {}", address, std::strerror(errno)));
}

}  // namespace

bool is_endpoint(const std::string& word) { return word.starts_with("unix:") || word.starts_with("tcp:"); }

Listener::Listener(const std::string& address, Interfaces interfaces) : name_(address) {
  if (address.starts_with("unix:"))
    listen_unix(address.substr(5));
  else if (address.starts_with("tcp:"))
    listen_tcp(address, interfaces);
  else
    refuse(address);
}

Listener::~Listener() {
  if (descriptor_ >= 0) ::close(descriptor_);
  remove_path();
}

void Listener::remove_path() const noexcept {
  if (!path_.empty()) ::unlink(path_.c_str());
}

// Replaces a socket without a listener; leaves anything else alone.
void Listener::listen_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) refuse(name_);
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto* const bytes = reinterpret_cast<const sockaddr*>(&address);
  descriptor_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0 && S_ISSOCK(facts.st_mode) &&
      ::connect(descriptor_, bytes, sizeof address) != 0 && errno == ECONNREFUSED)
    ::unlink(path.c_str());
  // Before bind, so that other users can never connect.
  if (descriptor_ < 0 || ::fchmod(descriptor_, S_IRUSR | S_IWUSR) != 0 ||
      ::bind(descriptor_, bytes, sizeof address) != 0)
    system_refuses(name_);
  path_ = path;
  if (::listen(descriptor_, kBacklog) != 0) system_refuses(name_);
}

void Listener::listen_tcp(const std::string& address, Interfaces interfaces) {
  std::string rest = address.substr(4);
  const std::size_t colon = rest.rfind(':');
  std::string host = colon == std::string::npos ? "" : rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty() || host == "localhost") host = "127.0.0.1";
  SocketAddress place =
      resolve(host, port_of(colon == std::string::npos ? rest : rest.substr(colon + 1), address), address);
  if (!place.is_loopback && interfaces == Interfaces::LoopbackOnly)
    throw UsageError(fmt::format("{} is not a loopback address", address),
                     "--any-interface allows other machines to connect");
  const auto* const bytes = reinterpret_cast<const sockaddr*>(&place.storage);
  descriptor_ = ::socket(place.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  if (descriptor_ < 0 || ::setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(descriptor_, bytes, place.size) != 0 || ::listen(descriptor_, kBacklog) != 0)
    system_refuses(address);
  socklen_t size = sizeof place.storage;
  ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&place.storage), &size);
  const std::uint16_t taken = place.storage.ss_family == AF_INET
                                  ? reinterpret_cast<sockaddr_in*>(&place.storage)->sin_port
                                  : reinterpret_cast<sockaddr_in6*>(&place.storage)->sin6_port;
  const bool is_six = place.storage.ss_family == AF_INET6;
  name_ = fmt::format("tcp:{}{}{}:{}", is_six ? "[" : "", host, is_six ? "]" : "", ntohs(taken));
}

bool await_readable(int descriptor, int wake, int milliseconds) {
  std::array<pollfd, 2> both{{{descriptor, POLLIN, 0}, {wake, POLLIN, 0}}};
  const int ready = ::poll(both.data(), both.size(), milliseconds);
  return ready > 0 && both[0].revents != 0;
}

}  // namespace serval::watch
