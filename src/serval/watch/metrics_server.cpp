#include "serval/watch/metrics_server.h"

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include <httplib.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace serval::watch {
namespace {

constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kOutOfDescriptors{100};
constexpr std::size_t kLongestRequest = 8192;
constexpr std::size_t kMostVisitors = 256;
constexpr int kLookMs = 1000;

// A received request and its response.
class Exchange : public httplib::Stream {
 public:
  explicit Exchange(std::string_view request) : request_(request) {}
  std::string take_answer() { return std::move(answer_); }

  bool is_readable() const override { return !request_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, std::size_t size) override {
    const std::size_t count = request_.copy(to, size);
    request_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, std::size_t size) override {
    answer_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  std::string_view request_;
  std::string answer_;
};

bool is_whole(std::string_view request) {
  return request.find("\r\n\r\n") != std::string_view::npos || request.find("\n\n") != std::string_view::npos;
}

}  // namespace

class MetricsServer::Answerer : private httplib::Server {
 public:
  explicit Answerer(Answering answer) {
    set_pre_routing_handler(
        [answer = std::move(answer)](const httplib::Request& request, httplib::Response& out) {
          if (request.method != "GET" && request.method != "HEAD") {
            out.status = 405;
            out.set_header("Allow", "GET, HEAD");
            out.set_content("only GET and HEAD requests are supported\n", "text/plain; charset=utf-8");
            return HandlerResponse::Handled;
          }
          const HttpResponse found = answer(request.path);
          out.status = found.status;
          out.set_content(found.body, found.type);
          return HandlerResponse::Handled;
        });
  }

  std::string answer(std::string_view request) {
    Exchange exchange(request);
    bool is_closed = false;
    process_request(exchange, true, is_closed, nullptr);
    return exchange.take_answer();
  }
};

MetricsServer::MetricsServer(const std::string& address, Interfaces interfaces, Answering answer)
    : listener_("tcp:" + address, interfaces),
      answerer_(std::make_unique<Answerer>(std::move(answer))),
      wake_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this] { run(); }) {}

MetricsServer::~MetricsServer() {
  stopped_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
  thread_.join();
  for (const Visitor& visitor : visitors_) ::close(visitor.connection);
  ::close(wake_);
}

std::string MetricsServer::url() const { return "http://" + listener_.name().substr(4); }

void MetricsServer::run() {
  while (!stopped_) look();
}

void MetricsServer::look() {
  const bool listens = Clock::now() >= listens_from_;
  std::vector<pollfd> all{{wake_, POLLIN, 0}, {listens ? listener_.descriptor() : -1, POLLIN, 0}};
  for (const Visitor& visitor : visitors_)
    all.push_back({visitor.connection, static_cast<short>(visitor.is_answered ? POLLOUT : POLLIN), 0});
  ::poll(all.data(), all.size(), listens ? kLookMs : static_cast<int>(kOutOfDescriptors.count()));
  const Clock::time_point now = Clock::now();
  std::size_t i = 2;
  for (Place visitor = visitors_.begin(); visitor != visitors_.end(); ++i) {
    const bool stays = all[i].revents == 0 ? now < visitor->until : serve(*visitor) == Next::Stay;
    visitor = stays ? std::next(visitor) : let_go(visitor);
  }
  if (all[1].revents != 0) let_in();
}

void MetricsServer::let_in() {
  while (true) {
    const int connection = ::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (connection < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
      if (visitors_.empty()) listens_from_ = Clock::now() + kOutOfDescriptors;
      if (!visitors_.empty()) let_go(visitors_.begin());
      return;
    }
    if (connection < 0) return;
    if (visitors_.size() == kMostVisitors) let_go(visitors_.begin());
    visitors_.push_back({connection, Clock::now() + kPatience, {}, {}});
    if (serve(visitors_.back()) == Next::Go) let_go(std::prev(visitors_.end()));
  }
}

MetricsServer::Place MetricsServer::let_go(Place visitor) {
  ::close(visitor->connection);
  return visitors_.erase(visitor);
}

MetricsServer::Next MetricsServer::serve(Visitor& visitor) {
  if (!visitor.is_answered && read(visitor) == Next::Go) return Next::Go;
  return visitor.is_answered ? write(visitor) : Next::Stay;
}

MetricsServer::Next MetricsServer::read(Visitor& visitor) {
  std::array<char, 2048> chunk{};
  const ssize_t got = ::recv(visitor.connection, chunk.data(), chunk.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Next::Stay;
  if (got <= 0) return Next::Go;
  visitor.request.append(chunk.data(), static_cast<std::size_t>(got));
  if (visitor.request.size() > kLongestRequest) return Next::Go;
  if (!is_whole(visitor.request)) return Next::Stay;
  visitor.answer = answerer_->answer(visitor.request);
  visitor.is_answered = true;
  return Next::Stay;
}

MetricsServer::Next MetricsServer::write(Visitor& visitor) {
  while (!visitor.answer.empty()) {
    const ssize_t sent =
        ::send(visitor.connection, visitor.answer.data(), visitor.answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return Next::Stay;
    if (sent < 0) return Next::Go;  // It has disconnected.
    visitor.answer.erase(0, static_cast<std::size_t>(sent));
  }
  return Next::Go;
}

}  // namespace serval::watch
