#include "serval/watch/metrics_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace serval::watch {
namespace {

class Visit {
 public:
  explicit Visit(const MetricsServer& server) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const std::string url = server.url();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const timeval patience{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() { ::close(socket_); }

  void say(const std::string& text) const {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  std::string hear() const {  // Until the server closes.
    std::string out;
    char chunk[1024];
    for (ssize_t got; (got = ::recv(socket_, chunk, sizeof chunk, 0)) > 0;)
      out.append(chunk, static_cast<std::size_t>(got));
    return out;
  }

 private:
  int socket_;
};

class Metrics : public testing::Test {
 protected:
  std::string answer_to(const std::string& request) const {
    const Visit visit(server_);
    visit.say(request);
    return visit.hear();
  }

  const MetricsServer server_{"0", Interfaces::LoopbackOnly, [](std::string_view path) {
                                return path == "/metrics" ? HttpResponse{.body = "serval_lines 7\n"}
                                                          : HttpResponse{.status = 404, .body = "no\n"};
                              }};
};

TEST_F(Metrics, PathsAreAnswered) {
  const std::string found = answer_to("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(found.starts_with("HTTP/1.1 200")) << found;
  EXPECT_TRUE(found.ends_with("serval_lines 7\n")) << found;
  EXPECT_TRUE(answer_to("GET /other HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
}

TEST_F(Metrics, HeadReportsTheLengthWithoutTheBody) {
  const std::string found = answer_to("HEAD /metrics HTTP/1.1\r\n\r\n");
  EXPECT_NE(found.find("Content-Length: 15"), std::string::npos) << found;
  EXPECT_EQ(found.find("serval_lines"), std::string::npos) << found;
}

TEST_F(Metrics, OtherMethodsAreRefused) {
  EXPECT_TRUE(answer_to("POST /metrics HTTP/1.1\r\nContent-Length: 0\r\n\r\n").starts_with("HTTP/1.1 405"));
}

TEST_F(Metrics, SilentAndHostileClientsBlockNobody) {
  const Visit silent(server_), half(server_), garbage(server_), endless(server_);
  half.say("GET /metr");
  garbage.say(std::string(100, '\0') + "\r\n\r\n");
  endless.say(std::string(8000, 'a'));
  EXPECT_TRUE(answer_to("GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200"));
}

}  // namespace
}  // namespace serval::watch
