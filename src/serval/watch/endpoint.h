#pragma once
// Where to listen: unix:/run/serval.sock, tcp:9465, tcp:127.0.0.1:9465, tcp:[::1]:9465. Without a host it
// is the loopback interface; any other is refused unless it is asked for.

#include <string>

namespace serval::watch {

enum class Interfaces { LoopbackOnly, Any };

// A listening socket, closed with it. A Unix socket is removed, too.
class Listener {
 public:
  // `address` is "unix:PATH" or "tcp:[HOST:]PORT"; port 0 takes a free one. Throws UsageError for what is
  // no address, OutputError where the system refuses.
  Listener(const std::string& address, Interfaces interfaces);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  const std::string& name() const noexcept { return name_; }  // With the port that was taken.
  void remove_path() const noexcept;                          // Of a Unix socket, before the end.

 private:
  void listen_unix(const std::string& path);
  void listen_tcp(const std::string& address, Interfaces interfaces);

  int descriptor_ = -1;
  std::string name_;
  std::string path_;
};

bool is_endpoint(const std::string& word);  // Starts with unix: or tcp:.

// Waits until `descriptor` can be read (true), or `wake` can, or `milliseconds` have passed (false); -1:
// no limit.
bool await_readable(int descriptor, int wake, int milliseconds);

}  // namespace serval::watch
