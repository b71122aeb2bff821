#pragma once
// A local proxy that cuts a connection at a chosen moment: once the client has sent a certain text. The
// server still receives everything up to then, but the client receives nothing more.
//
//   CuttingProxy proxy(5432);
//   proxy.cut_after("commit");

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace serval {

class CuttingProxy {
 public:
  explicit CuttingProxy(std::uint16_t server_port) : server_port_(server_port) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(0);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    socklen_t length = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~CuttingProxy() {
    stopping_ = true;
    thread_.join();
    close(listener_);
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  std::uint16_t port() const { return port_; }
  void cut_after(const std::string& text) {
    const std::lock_guard lock(mutex_);
    text_ = text;
  }

 private:
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_port = htons(port);
    out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return out;
  }

  // Serves one connection after another.
  void serve() {
    while (!stopping_) {
      pollfd waiting{.fd = listener_, .events = POLLIN, .revents = 0};
      if (poll(&waiting, 1, 20) <= 0) continue;
      const int client = accept(listener_, nullptr, nullptr);
      const int server = socket(AF_INET, SOCK_STREAM, 0);
      const sockaddr_in address = loopback(server_port_);
      if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        carry(client, server);
      close(client);
      close(server);
    }
  }

  void carry(int client, int server) {
    std::array<pollfd, 2> ends = {
        {{.fd = client, .events = POLLIN, .revents = 0}, {.fd = server, .events = POLLIN, .revents = 0}}};
    std::array<char, 65536> buffer;
    while (!stopping_) {
      if (poll(ends.data(), ends.size(), 20) <= 0) continue;
      for (const std::size_t from : {0u, 1u}) {
        if (ends[from].revents == 0) continue;
        const ssize_t length = recv(ends[from].fd, buffer.data(), buffer.size(), 0);
        if (length <= 0) return;
        const std::string_view sent(buffer.data(), static_cast<std::size_t>(length));
        if (send(ends[1 - from].fd, sent.data(), sent.size(), MSG_NOSIGNAL) != length) return;
        if (from == 0 && is_last(sent)) return hear_out(server);
      }
    }
  }

  bool is_last(std::string_view sent) {
    const std::lock_guard lock(mutex_);
    return !text_.empty() && sent.find(text_) != std::string_view::npos;
  }

  // Waits for the server's answer, so that it has done what it was asked to.
  static void hear_out(int server) {
    std::array<char, 4096> answer;
    recv(server, answer.data(), answer.size(), 0);
  }

  std::uint16_t server_port_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;
  std::string text_;
  std::thread thread_;
};

}  // namespace serval
