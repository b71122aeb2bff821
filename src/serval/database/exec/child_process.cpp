#include "serval/database/exec/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace serval {
namespace {

constexpr std::chrono::milliseconds kFarewell{1000};
constexpr std::size_t kLongestLine = std::size_t{64} << 20;

int milliseconds_until(std::chrono::steady_clock::time_point deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

// Writing to a program that has ended raises SIGPIPE, which would end this process. Blocks it and then
// consumes it.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec at_once{};
    if (sigismember(&before_, SIGPIPE) == 0) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_, before_;
};

// In its own process group, so that the shell's children end with it; no signal is blocked or ignored.
int spawn(const std::string& command, int input, int output, pid_t& pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::array<std::string, 3> words{"sh", "-c", command};
  const std::array<char*, 4> pointers{words[0].data(), words[1].data(), words[2].data(), nullptr};
  const int problem = posix_spawn(&pid, "/bin/sh", &files, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return problem;
}

}  // namespace

ChildProcess::ChildProcess(const std::string& command, std::chrono::milliseconds patience)
    : patience_(patience) {
  std::array<int, 2> input{-1, -1}, output{-1, -1};
  int problem = pipe2(input.data(), O_CLOEXEC) != 0 || pipe2(output.data(), O_CLOEXEC) != 0 ? errno : 0;
  if (problem == 0) problem = spawn(command, input[0], output[1], pid_);
  if (input[0] >= 0) close(input[0]);
  if (output[1] >= 0) close(output[1]);
  to_ = input[1];
  from_ = output[0];
  if (problem != 0) {
    pid_ = -1;
    kill();
    throw ChildLost(fmt::format("cannot start the program: {}", std::strerror(problem)));
  }
  fcntl(to_, F_SETFL, fcntl(to_, F_GETFL) | O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  if (!is_alive()) return;
  close(to_);
  to_ = -1;
  const Deadline deadline = std::chrono::steady_clock::now() + kFarewell;
  std::array<char, 4096> rest{};
  try {  // Its output ends when it does.
    do wait_for(from_, POLLIN, deadline);
    while (read(from_, rest.data(), rest.size()) > 0);
  } catch (const ChildLost&) {
  }
  kill();
}

void ChildProcess::kill() noexcept {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  to_ = from_ = -1;
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

std::string ChildProcess::ask(std::string_view line) {
  if (!is_alive()) throw ChildLost("the program has ended");
  const Deadline deadline = std::chrono::steady_clock::now() + patience_;
  send(std::string(line) + "\n", deadline);
  return receive(deadline);
}

std::string ChildProcess::unasked() {
  pollfd waiting{from_, POLLIN, 0};
  if (received_.empty() && is_alive() && poll(&waiting, 1, 0) > 0) {
    std::array<char, 4096> bytes{};
    const ssize_t count = read(from_, bytes.data(), bytes.size());  // 0 at its end, which ask() reports.
    if (count > 0) received_.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return received_;
}

void ChildProcess::send(std::string_view line, Deadline deadline) {
  const WithoutSigpipe quiet;
  while (!line.empty()) {
    const ssize_t sent = write(to_, line.data(), line.size());
    if (sent > 0)
      line.remove_prefix(static_cast<std::size_t>(sent));
    else if (errno == EAGAIN)
      wait_for(to_, POLLOUT, deadline);
    else if (errno != EINTR)
      lose("the program has ended");
  }
}

std::string ChildProcess::receive(Deadline deadline) {
  std::size_t searched = 0;
  while (true) {
    const std::size_t end = received_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    searched = received_.size();
    if (searched > kLongestLine) lose("the program's response is too long");
    wait_for(from_, POLLIN, deadline);
    std::array<char, 65536> bytes{};
    const ssize_t count = read(from_, bytes.data(), bytes.size());
    if (count > 0)
      received_.append(bytes.data(), static_cast<std::size_t>(count));
    else if (count == 0 || (errno != EINTR && errno != EAGAIN))
      lose("the program has ended");
  }
}

void ChildProcess::wait_for(int descriptor, short event, Deadline deadline) {
  pollfd waiting{descriptor, event, 0};
  while (true) {
    const int left = milliseconds_until(deadline);
    const int ready = poll(&waiting, 1, left);
    if (ready > 0) return;
    if (ready == 0 && milliseconds_until(deadline) == 0)
      lose(fmt::format("the program has not responded within {} ms", patience_.count()));
    if (ready < 0 && errno != EINTR) lose(fmt::format("poll failed: {}", std::strerror(errno)));
  }
}

void ChildProcess::lose(const std::string& why) {
  kill();
  throw ChildLost(why);
}

}  // namespace serval
