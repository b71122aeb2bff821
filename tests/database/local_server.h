#pragma once
// A database server for a test, started by scripts/servers in its own folder and stopped with the
// object.
//
//   const LocalServer server("postgres");
//   if (server.absent()) SKIP_WITHOUT("postgres", server.problem());

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace serval {

// The exit code of a command, and its output including errors.
inline std::pair<int, std::string> run_command(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "cannot run " + command};
  std::string out;
  std::array<char, 4096> buffer;
  while (const std::size_t length = fread(buffer.data(), 1, buffer.size(), pipe))
    out.append(buffer.data(), length);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
}

class LocalServer {
 public:
  explicit LocalServer(std::string name)
      : name_(std::move(name)), folder_(testing::TempDir() + "serval-servers-" + std::to_string(getpid())) {
    const auto [code, printed] = run("start");
    if (code != 0) {
      problem_ = printed;
      absent_ = code == kAbsent;
      return;
    }
    for (std::size_t at = 0; at < printed.size();) {
      const std::size_t end = printed.find('\n', at);
      addresses_.push_back(printed.substr(at, end - at));
      at = end + 1;
    }
  }
  ~LocalServer() {
    run("stop");
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  // Not installed, which is a reason to skip. Any other problem is a failure.
  bool absent() const { return absent_; }
  const std::string& problem() const { return problem_; }
  const std::vector<std::string>& addresses() const { return addresses_; }

 private:
  static constexpr int kAbsent = 69;

  std::pair<int, std::string> run(const std::string& verb) const {
    return run_command(SERVAL_TEST_DIR "/../scripts/servers " + verb + " " + name_ + " --dir " + folder_);
  }

  std::string name_;
  std::string folder_;
  std::string problem_;
  bool absent_ = false;
  std::vector<std::string> addresses_;
};

}  // namespace serval
