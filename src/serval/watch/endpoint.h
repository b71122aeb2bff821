#pragma once
// Listen addresses: unix:/run/serval.sock, tcp:9465, tcp:127.0.0.1:9465, tcp:[::1]:9465. The default host
// is the loopback interface. Other interfaces are rejected unless explicitly allowed.

#include <string>

namespace serval::watch {

enum class Interfaces { LoopbackOnly, Any };

// A listening socket. The destructor closes it and removes the path of a Unix socket.
class Listener {
 public:
  // `address` is "unix:PATH" or "tcp:[HOST:]PORT"; port 0 chooses a free one. Throws UsageError for an
  // invalid address, OutputError if the system refuses.
  Listener(const std::string& address, Interfaces interfaces);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  const std::string& name() const noexcept { return name_; }  // With the actual port.
  void remove_path() const noexcept;                          // Removes the path of a Unix socket early.

 private:
  void listen_unix(const std::string& path);
  void listen_tcp(const std::string& address, Interfaces interfaces);

  int descriptor_ = -1;
  std::string name_;
  std::string path_;
};

bool is_endpoint(const std::string& word);  // Starts with unix: or tcp:.

// Waits until `descriptor` is readable (true), or `wake` is readable or `milliseconds` have passed
// (false). -1 means no limit.
bool await_readable(int descriptor, int wake, int milliseconds);

}  // namespace serval::watch
