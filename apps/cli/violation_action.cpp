#include "violation_action.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output.h"
#include "serval/base/error.h"

namespace serval::cli {
namespace {

// The kernel limits one variable to 128 KiB.
constexpr std::size_t kLargestVariable = 100'000;
constexpr std::chrono::seconds kPatience{2};  // At the end.

// An unlinked file with the text. Unlike a pipe it never blocks the watch, however large the text and
// however slowly the command reads.
int readable(const std::string& text) {
  const int file = ::memfd_create("violation", MFD_CLOEXEC);
  std::string_view rest = text;
  while (file >= 0 && !rest.empty()) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file >= 0) ::lseek(file, 0, SEEK_SET);
  return file;
}

std::vector<char*> environment_with(std::vector<std::string>& variables) {
  std::vector<char*> out;
  for (char** each = environ; *each != nullptr; ++each)
    if (std::strncmp(*each, "SERVAL_VIOLATION=", 17) != 0 && std::strncmp(*each, "SERVAL_EVENT=", 13) != 0)
      out.push_back(*each);
  for (std::string& variable : variables) out.push_back(variable.data());
  out.push_back(nullptr);
  return out;
}

// The process id, or the error as a negative number.
pid_t spawn(const std::string& command, int input, std::vector<std::string> variables) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO,
                                     STDOUT_FILENO);  // Standard output is reserved for our own result.
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  // In its own group, so that a command that signals its group does not reach the watch.
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const char* const words[] = {"sh", "-c", command.c_str(), nullptr};
  pid_t process = 0;
  const int error = ::posix_spawn(&process, "/bin/sh", &files, &attributes, const_cast<char* const*>(words),
                                  environment_with(variables).data());
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  return error == 0 ? process : -error;
}

}  // namespace

ViolationActions::ViolationActions(const std::vector<std::string>& words, std::uint64_t rate)
    : rate_(rate), allowed_(static_cast<double>(rate)) {
  for (const std::string& word : words) {
    if (word == "exit")
      exits_ = true;
    else if (word.starts_with("exec:") && word.size() > 5)
      commands_.push_back(word.substr(5));
    else
      throw UsageError(fmt::format("--on-violation does not accept \"{}\"", word), "exit, or exec:COMMAND");
  }
}

ViolationActions::~ViolationActions() { reap(); }

void ViolationActions::act(Event event) {
  if (commands_.empty()) return;
  if (waiting_.size() >= kMostWaiting)
    ++left_out_;
  else
    waiting_.push_back(std::move(event));
  look();
}

void ViolationActions::look() {
  if (!running_.empty()) reap();
  while (!waiting_.empty() && may_start()) {
    start(waiting_.front());
    waiting_.pop_front();
  }
}

bool ViolationActions::may_start() {
  if (running_.size() + commands_.size() > std::max(kMostRunning, commands_.size())) return false;
  if (rate_ == 0) return true;
  const Clock::time_point now = Clock::now();
  const auto most = static_cast<double>(rate_);
  allowed_ = std::min(most, allowed_ + std::chrono::duration<double>(now - counted_).count() * most / 60);
  counted_ = now;
  if (allowed_ < 1) return false;
  --allowed_;
  return true;
}

void ViolationActions::start(const Event& event) {
  for (const std::string& command : commands_) {
    const int input = readable(event.json);
    std::vector<std::string> variables{"SERVAL_EVENT=" + event.name};
    if (event.json.size() <= kLargestVariable) variables.push_back("SERVAL_VIOLATION=" + event.json);
    pid_t process = input < 0 ? -errno : spawn(command, input, variables);
    if (process == -E2BIG) process = spawn(command, input, {variables.front()});
    if (process > 0)
      running_.push_back(process);
    else
      note(fmt::format("note: {}: {}", command, std::strerror(-process)));
    if (input >= 0) ::close(input);
  }
}

void ViolationActions::reap() {
  std::erase_if(running_, [](pid_t process) { return ::waitpid(process, nullptr, WNOHANG) != 0; });
}

std::string ViolationActions::reason() const {
  if (rate_ == 0)
    return fmt::format("at most {} commands run at a time, and {} wait", kMostRunning, kMostWaiting);
  return fmt::format("raise --action-rate, for example to {}", 2 * (rate_ + left_out_));
}

void ViolationActions::finish() {
  const Clock::time_point end = Clock::now() + kPatience;
  for (look(); !running_.empty() && Clock::now() < end; look())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (const pid_t process : running_) ::kill(-process, SIGTERM);
  left_out_ += waiting_.size();
  waiting_.clear();
  if (left_out_ > 0)
    note(fmt::format("note: --on-violation did not run for {} findings; {}", left_out_, reason()));
  left_out_ = 0;
}

}  // namespace serval::cli
