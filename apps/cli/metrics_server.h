#pragma once
// Answers GET requests of whoever monitors a watch: /metrics in the text format of Prometheus, /healthz,
// /report.
//
//   MetricsServer server("127.0.0.1:9464", Interfaces::LoopbackOnly, [&](std::string_view path) { ... });
//
// One thread of its own, one request at a time, each at most two seconds.

#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "endpoint.h"

namespace serval::cli {

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

class MetricsServer {
 public:
  using Answering = std::function<HttpAnswer(std::string_view path)>;  // Called on the server's thread.
  MetricsServer(const std::string& address, Interfaces interfaces, Answering answer);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  std::string url() const;  // "http://127.0.0.1:9464"

 private:
  void run();
  void serve(int connection) const;

  Listener listener_;
  Answering answer_;
  int wake_;
  std::thread thread_;  // Last: it uses all the others.
};

}  // namespace serval::cli
