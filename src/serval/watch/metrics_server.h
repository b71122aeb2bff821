#pragma once
// Serves GET and HEAD requests for monitoring a watch: /metrics in the Prometheus text format, /healthz
// and /report.
//
//   MetricsServer server("127.0.0.1:9464", Interfaces::LoopbackOnly, [&](std::string_view path) { ... });
//
// One thread serves all connections without blocking. It disconnects silent or slow clients after a few
// seconds, and sooner if there are many. cpp-httplib parses requests and formats responses; its own
// server would need a thread per client.

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "serval/watch/endpoint.h"

namespace serval::watch {

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

class MetricsServer {
 public:
  using Answering = std::function<HttpResponse(std::string_view path)>;  // Called on the server's thread.
  MetricsServer(const std::string& address, Interfaces interfaces, Answering answer);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  std::string url() const;  // "http://127.0.0.1:9464"

 private:
  using Clock = std::chrono::steady_clock;
  class Answerer;
  struct Visitor {
    int connection;
    Clock::time_point until;
    std::string request, answer;
    bool is_answered = false;
  };
  using Place = std::list<Visitor>::iterator;

  void run();
  void look();
  void let_in();
  enum class Next : std::uint8_t { Stay, Go };
  Next serve(Visitor& visitor);
  Next read(Visitor& visitor);
  Next write(Visitor& visitor);
  Place let_go(Place visitor);

  Listener listener_;
  std::unique_ptr<Answerer> answerer_;
  int wake_;
  std::atomic<bool> stopped_ = false;
  Clock::time_point listens_from_;  // Does not accept before this time, because it ran out of descriptors.
  std::list<Visitor> visitors_;     // In order of arrival.
  std::thread thread_;              // Last, because it uses the others.
};

}  // namespace serval::watch
