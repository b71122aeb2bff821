#pragma once
// A program that responds to each line with a line, within a time limit.
//
//   ChildProcess child("python3 driver.py", 10s);
//   const std::string answer = child.ask(R"({"do":"begin"})");
//
// Used by one thread at a time.

#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace serval {

// The program has ended or did not respond in time. It is no longer running.
class ChildLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ChildProcess {
 public:
  // Runs the command with /bin/sh. It shares our standard error. Throws ChildLost.
  ChildProcess(const std::string& command, std::chrono::milliseconds patience);
  // Closes the program's input and gives it a second to end by itself.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends a line, given without its newline, and waits for the response. Throws ChildLost, then and ever
  // after.
  std::string ask(std::string_view line);
  // What the program has written since its last response, if anything. Does not wait.
  std::string unasked();
  bool is_alive() const noexcept { return pid_ > 0; }
  pid_t pid() const noexcept { return pid_; }
  void kill() noexcept;

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  void send(std::string_view line, Deadline deadline);
  std::string receive(Deadline deadline);
  void wait_for(int descriptor, short event, Deadline deadline);
  [[noreturn]] void lose(const std::string& why);

  std::chrono::milliseconds patience_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  std::string received_;  // Bytes after the last response.
};

}  // namespace serval
